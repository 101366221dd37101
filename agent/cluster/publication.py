"""Publication: what only the replica that leads does, where several watch the same pods."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from agent.cluster.chores import PodChores
from agent.cluster.publish import Publishing
from agent.cluster.spool import Spool
from agent.cluster.watched import WatchedPods

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Publishes, and holds, releases and deletes pods. Fits ``leader.Term``."""

    spool: Spool
    publishing: Publishing
    chores: Sequence[PodChores]
    pods: WatchedPods

    async def begin(self) -> None:
        """Publish what is on the shelf and all that comes, and look at every pod that may need something."""
        taken = await asyncio.to_thread(self.spool.lead)
        _log.info("publishing what the one that led before may not have published", events=taken)
        self.publishing.begin()
        uids = [watched.entry.reference.uid for watched in self.pods]
        for chore in self.chores:
            chore.consider(uids)

    async def end(self) -> None:
        """Publish nothing and touch no pod; from now on what would be published goes to the shelf."""
        self.publishing.pause()
        await asyncio.to_thread(self.spool.stand_by)
