"""Progress on a terminal; silence anywhere else."""

import time
from typing import TextIO

_EVERY_SECONDS = 0.5
_PATIENCE_SECONDS = 1.0


class Progress:
    """Counts on one line of ``err`` once something takes longer than a second."""

    def __init__(self, err: TextIO, *, noun: str) -> None:
        self._err = err if err.isatty() else None
        self._noun = noun
        self._done = 0
        self._started = time.monotonic()
        self._shown = 0.0

    def step(self) -> None:
        """One more is done."""
        self._done += 1
        if self._err is None:
            return
        now = time.monotonic()
        if now - self._started > _PATIENCE_SECONDS and now - self._shown > _EVERY_SECONDS:
            self._shown = now
            rate = self._done / (now - self._started)
            self._err.write(f"\r{self._done:,} {self._noun}, {rate:,.0f}/s")
            self._err.flush()

    def end(self) -> None:
        """All are done; the line is wiped."""
        if self._err is not None and self._shown:
            self._err.write("\r\x1b[2K")
            self._err.flush()
