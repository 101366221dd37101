"""Group commit: all entries that wait when the disk is ready go into one transaction."""

import asyncio
import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import structlog

from agent.backoff import NO_JITTER, Backoff
from agent.cluster.spool.entries import Forgotten, Held, Report, RunList, SpoolEntry
from agent.cluster.spool.quota import SpoolFull
from agent.cluster.spool.spool import Spool
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)
_GATHER_SECONDS: Final = 0.02
"""What comes so soon after the first shares its commit: a sync to disk costs more than all other work on a failure."""

_BACKOFF: Final = Backoff(first=0.1, most=5.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """Entries that are on disk now, and the ids of the events among them that were new."""

    entries: Sequence[SpoolEntry]
    new: frozenset[str]

    def reports(self) -> Iterator[Report]:
        """The reports among them, held ones too."""
        for entry in self.entries:
            if isinstance(entry, Report | Held):
                yield entry.report if isinstance(entry, Held) else entry

    def forgotten(self) -> Iterator[str]:
        """The uids of the pods that the spool has forgotten."""
        return (entry.uid for entry in self.entries if isinstance(entry, Forgotten))


class SpoolWriter:
    """Takes entries from the event loop and commits them in order on a thread; a commit that fails is tried again.

    Await ``room`` before making more to put: there is room while fewer than ``waiting`` groups wait.
    ``problem`` is the last error of the disk, ``None`` while it accepts writes.
    """

    def __init__(
        self,
        spool: Spool,
        *,
        clock: Callable[[], datetime],
        at_most: int,
        waiting: int,
    ) -> None:
        self.problem: str | None = None
        self._spool = spool
        self._clock = clock
        self._at_most = at_most
        self._waiting = waiting
        self._groups: deque[tuple[SpoolEntry, ...]] = deque()
        self._changed = asyncio.Condition()
        self._work = asyncio.Event()
        self._put = self._on_disk = 0
        self._offered: dict[str, bool] = {}

    def waiting(self) -> int:
        """How many groups wait for their commit."""
        return len(self._groups)

    def check(self) -> str | None:
        """Why the spool takes nothing, by the last commit or by a write made now. May block."""
        return self.problem or self._spool.check()

    def put(self, *entries: SpoolEntry) -> None:
        """Commit these in this order and in one transaction, after all that was put before. Does not wait."""
        if entries:
            self._groups.append(entries)
            self._put += 1
            self._work.set()

    async def settled(self, pod_uid: str) -> bool:
        """Whether the broker has every report of this pod that is on disk."""
        return pod_uid in await asyncio.to_thread(self._spool.settled, [pod_uid])

    async def offer(self, run_list: RunList) -> bool:
        """Commit the list after all that was put before. Whether it is on disk: a full one drops it, and a standby."""
        first = run_list.pages[0].event_id
        self._offered[first] = False
        try:
            self.put(run_list)
            await self.drained()
            return self._offered[first]
        finally:
            del self._offered[first]

    async def room(self) -> bool:
        """Wait for room for more. Returns False if there is none because the disk takes nothing."""
        if not self._has_room():
            async with self._changed:
                await self._changed.wait_for(lambda: self._has_room() or self.problem is not None)
        return self._has_room()

    async def drained(self) -> None:
        """Return when everything put so far is on disk."""
        put = self._put
        async with self._changed:
            await self._changed.wait_for(lambda: self._on_disk >= put)

    async def run(self, saved: Callable[[Saved], None]) -> None:
        """Commit until cancelled; ``saved`` is called after each commit, on the event loop."""
        while True:
            await self._work.wait()
            self._work.clear()
            await asyncio.sleep(_GATHER_SECONDS)
            while self._groups:
                count = min(self._at_most, len(self._groups))
                done = await self._commit_groups(count)
                self._offered.update(dict.fromkeys(done.new & self._offered.keys(), True))
                saved(done)
                self._on_disk += count
                await self._notify()

    def _has_room(self) -> bool:
        return len(self._groups) < self._waiting

    async def _commit_groups(self, count: int) -> Saved:
        entries = [entry for _ in range(count) for entry in self._groups.popleft()]
        await self._notify()
        return Saved(entries=entries, new=await self._commit(entries))

    async def _commit(self, entries: Sequence[SpoolEntry]) -> frozenset[str]:
        refused = 0
        while True:
            try:
                new = await asyncio.to_thread(self._spool.commit, entries, now=self._clock())
            except (sqlite3.OperationalError, SpoolFull) as error:
                if any(isinstance(entry, RunList) for entry in entries):  # what cannot be found out again has the room
                    entries = [entry for entry in entries if not isinstance(entry, RunList)]
                    continue
                metrics.SPOOL_REFUSED.inc(len(entries))
                await self._refused(error, entries=len(entries))
                await asyncio.sleep(_BACKOFF.seconds(refused, jitter=NO_JITTER))
                refused += 1
            else:
                self.problem = None
                return new

    async def _refused(self, error: Exception, *, entries: int) -> None:
        self.problem = f"the spool takes nothing: {error}"
        _log.error("the spool takes nothing; will try again", error=str(error), entries=entries)
        await self._notify()

    async def _notify(self) -> None:
        async with self._changed:
            self._changed.notify_all()
