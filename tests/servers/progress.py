"""Progress of something that takes minutes: one line that changes on a terminal, a line now and then elsewhere."""

from collections.abc import Callable
from typing import Final, TextIO

_TERMINAL_SECONDS: Final = 0.2
_LOG_SECONDS: Final = 30.0


class Progress:
    """Tells what is done, on ``out``; ``clock`` gives seconds. The first news of anything is told at once."""

    def __init__(self, out: TextIO, *, clock: Callable[[], float]) -> None:
        self._out = out
        self._clock = clock
        self._began = clock()
        self._terminal = out.isatty()
        self._told_at: float | None = None
        self._open = False

    def say(self, text: str) -> None:
        """Say something that stays."""
        self._out.write(f"\n{text}\n" if self._open else f"{text}\n")
        self._out.flush()
        self._open = False
        self._told_at = None

    def at(self, text: str) -> None:
        """Say how far it is; what comes too soon after the last news is left out."""
        now = self._clock()
        if self._told_at is not None and now - self._told_at < (_TERMINAL_SECONDS if self._terminal else _LOG_SECONDS):
            return
        self._told_at = now
        line = f"  {elapsed(now - self._began)}  {text}"
        self._out.write(f"\r\x1b[2K{line}" if self._terminal else f"{line}\n")
        self._out.flush()
        self._open = self._terminal


def elapsed(seconds: float) -> str:
    """Minutes and seconds, as ``7:03``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
