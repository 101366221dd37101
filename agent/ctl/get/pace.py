"""When a list that is watched is asked for again: not often, and at once if the output has no reader any more."""

import os
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, TextIO

EVERY_SECONDS: Final = 2.0
"""The least time between two questions."""
SHARE: Final = 5
"""A fifth of the time is what answers may take: a list that is slow is asked for less often."""

_CHUNK: Final = 1 << 16


class Pace:
    """Waits between questions. ``news`` is a pipe that has bytes once something may have changed, if one says so."""

    def __init__(self, out: TextIO, news: int | None = None, *, every: float = EVERY_SECONDS) -> None:
        self._news: Final = news
        self._every: Final = every
        self._poll: Final = select.poll()
        self._closable: Final = _descriptor(out)
        if self._closable is not None:
            self._poll.register(self._closable, 0)  # errors and hang-ups are always reported

    def wait(self, took: float) -> None:
        """Wait after an answer that took this long, in seconds. Raises BrokenPipeError once nobody reads the output."""
        until = time.monotonic() + max(self._every, took * (SHARE - 1))
        while (left := until - time.monotonic()) > 0:
            self._look(left)
        if self._news is not None:
            self._wait_for_news(self._news)

    def _wait_for_news(self, news: int) -> None:
        self._poll.register(news, select.POLLIN)
        try:
            while not self._look(None):
                continue
        finally:
            self._poll.unregister(news)
        os.read(news, _CHUNK)

    def _look(self, seconds: float | None) -> bool:
        """Whether there is news, after this many seconds at most."""
        found = self._poll.poll(None if seconds is None else seconds * 1_000)
        if any(descriptor == self._closable for descriptor, _ in found):
            raise BrokenPipeError
        return bool(found)


def _descriptor(out: TextIO) -> int | None:
    """What is watched for a reader; ``None`` for an output that is no file of the system."""
    try:
        return out.fileno()
    except OSError:
        return None


@contextmanager
def paced(out: TextIO, lookout: str | None) -> Iterator[Pace]:
    """The pace for a Lookout, which says when something changed, or for anything else, which is asked regularly."""
    if lookout is None:
        yield Pace(out)
        return
    from agent.ctl.lookout_changes import LookoutChanges  # noqa: PLC0415 - nothing else needs it

    changes = LookoutChanges(lookout)
    try:
        yield Pace(out, changes.news)
    finally:
        changes.close()
