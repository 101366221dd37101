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
        self._started = time.monotonic()
        self._shown = 0.0

    def show(self, done: int, *, detail: str = "") -> None:
        """Say how many are done, and a detail of a fixed length."""
        if self._err is None:
            return
        now = time.monotonic()
        if now - self._started > _PATIENCE_SECONDS and now - self._shown > _EVERY_SECONDS:
            self._shown = now
            rate = done / (now - self._started)
            self._err.write(f"\r{done:,} {self._noun}, {rate:,.0f}/s{detail}")
            self._err.flush()

    def counting(self, things: Iterable[T]) -> Iterator[T]:
        """Yield the things, and count each when the caller asks for the next."""
        for done, thing in enumerate(things, start=1):
            yield thing
            self.show(done)
        self.end()

    def end(self) -> None:
        """Remove the line from the terminal."""
        if self._err is not None and self._shown:
            self._err.write("\r\x1b[2K")
            self._err.flush()
