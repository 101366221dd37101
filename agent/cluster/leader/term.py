"""Publication: what only the replica that leads does, where several watch the same pods."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

import structlog

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.publish.publisher import Publishing
from agent.cluster.spool.spool import Spool

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaderTerm:
    """Publishes, and holds, releases and deletes pods. Fits ``leader.Term``."""

    spool: Spool
    publishing: Publishing
    queues: Sequence[PodWorkqueue]
    pods: PodRegistry

    async def begin(self) -> None:
        """Publish what is on the shelf and all that comes, and look at every pod that may need something."""
        taken = await asyncio.to_thread(self.spool.lead)
        _log.info("publishing what the one that led before may not have published", events=taken)
        self.publishing.begin()
        uids = [tracked.entry.reference.uid for tracked in self.pods]
        for queue in self.queues:
            queue.add(uids)

    async def end(self) -> None:
        """Publish nothing and touch no pod; from now on what would be published goes to the shelf."""
        self.publishing.pause()
        await asyncio.to_thread(self.spool.stand_by)
