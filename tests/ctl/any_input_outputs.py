"""Outputs: a pipe, a closed pipe or a narrow terminal as standard output, and what was written there."""

import os
import pty
import termios
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.ctl.any_input_places import Run

NARROW = 20


@contextmanager
def output(run: Run) -> Iterator[tuple[int, Callable[[], bytes]]]:
    """Where standard output goes, and what was written there once it is closed."""
    if run.terminal:
        with _terminal() as given:
            yield given
        return
    reading, writing = os.pipe()
    if run.closed_stdout:
        os.close(reading)
        try:
            yield writing, bytes
        finally:
            os.close(writing)
        return
    with _drained(reading, writing) as given:
        yield given


@contextmanager
def _terminal() -> Iterator[tuple[int, Callable[[], bytes]]]:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, NARROW))
    with _drained(master, slave) as given:
        yield given


@contextmanager
def _drained(reading: int, writing: int) -> Iterator[tuple[int, Callable[[], bytes]]]:
    """Read what is written all the time, so that the writer never waits."""
    parts: list[bytes] = []

    def drain() -> None:
        try:
            while part := os.read(reading, 1 << 16):
                parts.append(part)
        except OSError:
            return  # so a terminal ends, when nobody has it open for writing

    thread = threading.Thread(target=drain)
    thread.start()
    try:
        yield writing, lambda: b"".join(parts)
    finally:
        os.close(writing)
        thread.join()
        os.close(reading)
