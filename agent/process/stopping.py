"""SIGTERM and SIGINT: an event for asyncio, a flag for threads, an exception for a program that waits in many places.

A shell starts the background jobs of a script with SIGINT ignored, and Python leaves it so: ``kill -INT`` would do
nothing. Here both signals stop the process also then. SIGHUP is not changed, so that ``nohup`` works.
"""

import asyncio
import os
import signal
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Thread
from types import FrameType
from typing import Final, TypeVar

T = TypeVar("T")

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_POLL_SECONDS: Final = 0.1


class Stopped(BaseException):
    """A signal asked the process to stop. No ``Exception``, because nothing may handle it as an error."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.code = 128 + number
        """The exit code, as a shell reports a process that the signal ended."""


@contextmanager
def stop_requested() -> Iterator[asyncio.Event]:
    """An event that SIGTERM or SIGINT sets; a second signal ends the process at once, as a crash would.

    Only inside the running loop of the main thread.
    """
    loop, asked = asyncio.get_running_loop(), asyncio.Event()

    def stop(number: int) -> None:
        if asked.is_set():
            os._exit(128 + number)
        asked.set()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop, number)
    try:
        yield asked
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


async def unless_stopped(asked: asyncio.Event, work: Coroutine[None, None, T]) -> T | None:
    """The result of the work; ``None``, with the work cancelled, if stopping was requested first."""
    working, stopping = asyncio.ensure_future(work), asyncio.ensure_future(asked.wait())
    await asyncio.wait((working, stopping), return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if working.done():
        return working.result()
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    return None


@dataclass(slots=True)
class StopFlag:
    """Whether a signal has come. No ``threading.Event``: a handler may interrupt the main thread inside its lock."""

    signal: int | None = None

    def wait_for_stop_or_end(self, worker: Thread) -> None:
        """Wait until a signal has come or ``worker`` has ended."""
        while self.signal is None and worker.is_alive():
            worker.join(_POLL_SECONDS)


@contextmanager
def watch_for_stop() -> Iterator[StopFlag]:
    """Catch the signals inside this context; only in the main thread."""
    asked = StopFlag()

    def note(number: int, frame: FrameType | None) -> None:
        del frame
        asked.signal = number

    before = {number: signal.signal(number, note) for number in _SIGNALS}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def stop_raised() -> Iterator[None]:
    """Raise Stopped inside this context, again for each signal; only in the main thread."""

    def stop(number: int, frame: FrameType | None) -> None:
        del frame
        raise Stopped(number)

    before = {number: signal.signal(number, stop) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
