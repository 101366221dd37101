"""The watermark: up to when everything seen has reached the broker, as exchanged between replicas (``Peers``)."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Final

import structlog

from agent.cluster.spool.spool import Spool

_log = structlog.get_logger(__name__)
_PAUSE_SECONDS: Final = 2.0

MARGIN: Final = timedelta(seconds=15)
"""How much earlier or later than we the other replica may have seen the same thing: its watch may lag."""

Seen = Callable[[], datetime | None]
"""Up to when everything that happened was seen and is on disk; ``None`` if that is not known."""


class Watermark:
    """Measures how far this replica is, and drops from its standby buffer what the leader has published."""

    def __init__(self, spool: Spool, *, seen: Iterable[Seen], clock: Callable[[], datetime]) -> None:
        self._spool = spool
        self._seen = tuple(seen)
        self._clock = clock
        self._through: datetime | None = None
        self._published_before: datetime | None = None

    def behind(self) -> float | None:
        """For how many seconds back something seen may not have reached the broker; ``None`` if not known."""
        return None if self._through is None else max(0.0, (self._clock() - self._through).total_seconds())

    def on_published(self, seconds: float) -> None:
        """The leader has published everything that it saw longer than this number of seconds ago."""
        self._published_before = self._clock() - timedelta(seconds=seconds) - MARGIN

    async def run(self) -> None:
        """Measure and drop until cancelled."""
        while True:
            try:
                await self.update()
            except sqlite3.OperationalError as error:
                self._through = None
                _log.warning("the spool's state cannot be read; will try again", error=str(error))
            await asyncio.sleep(_PAUSE_SECONDS)

    async def update(self) -> None:
        """Measure once: first what is not on disk yet, then the disk.

        In the other order, an event that is spooled in between would be in neither.
        """
        seen = [seen_until() for seen_until in (*self._seen, self._clock)]
        state = await asyncio.to_thread(self._spool.state)
        known = [at for at in (*seen, state.oldest_waiting) if at is not None]
        self._through = None if None in seen else min(known)
        if (before := self._published_before) is not None:
            self._published_before = None
            await asyncio.to_thread(self._spool.drop_published, before=before)
