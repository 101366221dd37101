"""Shows the progress of long work on one line of a terminal."""

import time
from collections.abc import Iterable, Iterator
from typing import Final, TextIO, TypeVar

from agent.console.guard import unguarded

T = TypeVar("T")

_EVERY_SECONDS: Final = 0.5
_PATIENCE_SECONDS: Final = 1.0


class Progress:
    """Counts on one line of ``err`` once something takes longer than a second."""

    def __init__(self, err: TextIO, *, noun: str) -> None:
        self._err = unguarded(err) if err.isatty() else None
        self._noun = noun
        self._done = 0
        self._started = time.monotonic()
        self._shown = 0.0

    def _step(self) -> None:
        self._done += 1
        if self._err is None:
            return
        now = time.monotonic()
        if now - self._started > _PATIENCE_SECONDS and now - self._shown > _EVERY_SECONDS:
            self._shown = now
            rate = self._done / (now - self._started)
            self._err.write(f"\r{self._done:,} {self._noun}, {rate:,.0f}/s")
            self._err.flush()

    def counting(self, things: Iterable[T]) -> Iterator[T]:
        """Yield the things, and count each when the caller asks for the next."""
        for thing in things:
            yield thing
            self._step()
        self._end()

    def _end(self) -> None:
        """Remove the line from the terminal."""
        if self._err is not None and self._shown:
            self._err.write("\r\x1b[2K")
            self._err.flush()
