"""How long a demo stays: until somebody at a terminal has seen enough, and not at all where nobody looks."""

import io
import os
import pty
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import pytest

from agent.demo.staying import is_watched, stay
from agent.process.stopping import Stopped, stop_raised


@contextmanager
def terminal() -> Iterator[tuple[int, TextIO]]:
    """The end that a person types into, and the one that a program reads."""
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, encoding="utf-8") as read:
        yield ours, read
    os.close(ours)


def after(ticks: int, act: Callable[[], object]) -> Callable[[], None]:
    """A tick that acts once, and fails the test if that ends nothing."""
    seen = iter(range(ticks + 40))

    def tick() -> None:
        if next(seen) == ticks:
            act()

    return tick


def test_a_line_ends_it() -> None:
    with terminal() as (ours, read):
        stay(read, after(1, lambda: os.write(ours, b"\n")))


def test_what_was_typed_before_does_not_end_it() -> None:
    asked: list[int] = []
    with terminal() as (ours, read):
        os.write(ours, b"\n")
        stay(read, after(1, lambda: asked.append(os.write(ours, b"\n"))))

    assert asked == [1]


def test_the_end_of_the_input_ends_it() -> None:
    with terminal() as (ours, read):
        stay(read, after(1, lambda: os.write(ours, b"\x04")))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_without_a_terminal_too(number: signal.Signals) -> None:
    with stop_raised():
        stay(None, after(1, lambda: os.kill(os.getpid(), number)))


def test_what_a_tick_raises_is_not_lost() -> None:
    def full() -> None:
        raise OSError("No space left on device")

    with pytest.raises(OSError, match="No space"):
        stay(None, full)


def test_it_is_watched_at_a_terminal_only(tmp_path: Path) -> None:
    with terminal() as (_, read), (tmp_path / "out").open("w") as file:
        assert is_watched(read, read, {})
        assert is_watched(read, read, {"CI": "false"})
        assert not is_watched(read, read, {"CI": "true"})
        assert not is_watched(read, file, {})
        assert not is_watched(io.StringIO(), read, {})


def test_a_stop_that_comes_later_is_one() -> None:
    """Staying takes the signal that ends it, and no other."""
    with stop_raised():
        stay(None, after(0, lambda: os.kill(os.getpid(), signal.SIGINT)))
        with pytest.raises(Stopped):
            os.kill(os.getpid(), signal.SIGINT)
