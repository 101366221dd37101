"""The end of a demo that somebody watches: everything runs on until they have seen enough."""

import os
import select
import termios
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TextIO

from agent.process.stopping import Stopped

_TICK_SECONDS = 0.25


def is_watched(source: TextIO, out: TextIO, environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a person reads and can answer: at a terminal, and not in CI, which may have one."""
    return source.isatty() and out.isatty() and environ.get("CI", "") in {"", "false"}


def stay(source: TextIO | None, tick: Callable[[], None]) -> None:
    """Return when a line comes from a terminal or it ends, or a signal stops the process.

    ``tick`` is called four times a second. What was typed before counts for nothing.
    """
    if source is not None:
        termios.tcflush(source, termios.TCIFLUSH)
    with suppress(Stopped):
        while not _has_come(source):
            tick()


def _has_come(source: TextIO | None) -> bool:
    """Whether there is a line, or the end; waits for a moment."""
    watched = [] if source is None else [source]
    ready, _, _ = select.select(watched, [], [], _TICK_SECONDS)
    for found in ready:
        found.readline()
    return bool(ready)
