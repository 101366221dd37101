"""Spooling in groups: whatever is in hand when the disk is ready goes into one commit."""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from agent.cluster.spool import Spool
from agent.cluster.spool_entry import Entry
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)
_RETRY_SECONDS: Final = (0.1, 5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """Entries that are on disk now, and the ids of the events among them that were new."""

    entries: Sequence[Entry]
    new: frozenset[str]


class SpoolWriter:
    """Takes entries from the event loop and commits them in order, off it; a disk that refuses is asked again.

    ``saved`` is called on the event loop after each commit. At most ``waiting`` groups are held; ``put`` waits for
    room.
    """

    def __init__(
        self,
        spool: Spool,
        *,
        saved: Callable[[Saved], None],
        clock: Callable[[], datetime],
        at_most: int,
        waiting: int,
    ) -> None:
        self.problem: str | None = None
        self._spool = spool
        self._saved = saved
        self._clock = clock
        self._at_most = at_most
        self._queue: asyncio.Queue[tuple[Entry, ...]] = asyncio.Queue(waiting)

    async def put(self, *entries: Entry) -> None:
        """Have these committed, in this order and in one transaction."""
        if entries:
            await self._queue.put(entries)

    async def run(self) -> None:
        """Commit until cancelled."""
        while True:
            groups = [await self._queue.get()]
            while len(groups) < self._at_most and not self._queue.empty():
                groups.append(self._queue.get_nowait())
            entries = [entry for group in groups for entry in group]
            self._saved(Saved(entries=entries, new=await self._commit(entries)))
            for _ in groups:
                self._queue.task_done()

    async def drained(self) -> None:
        """Return when everything put so far is on disk."""
        await self._queue.join()

    async def _commit(self, batch: Sequence[Entry]) -> frozenset[str]:
        pause, longest = _RETRY_SECONDS
        while True:
            try:
                new = await asyncio.to_thread(self._spool.commit, batch, now=self._clock())
            except sqlite3.OperationalError as error:
                metrics.SPOOL_REFUSED.inc(len(batch))
                self.problem = f"the spool takes nothing: {error}"
                _log.error("the spool takes nothing; will ask again", error=str(error), entries=len(batch))
                await asyncio.sleep(pause)
                pause = min(2 * pause, longest)
            else:
                self.problem = None
                return new
