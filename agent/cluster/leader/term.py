"""The leader's actions in mode deployment, where several replicas watch the same pods."""

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
    """Publishes, holds, releases and deletes pods. A ``leader.Term``."""

    spool: Spool
    publishing: Publishing
    queues: Sequence[PodWorkqueue]
    pods: PodRegistry

    async def begin(self) -> None:
        """Publish the standby buffer and what follows, and add every pod to the queues.

        The queues of the replica that led before are gone with it; ``select`` finds the pods that need something.
        """
        taken = await asyncio.to_thread(self.spool.become_leader)
        _log.info("publishing what the previous leader may not have published", events=taken)
        self.publishing.begin()
        uids = [tracked.entry.reference.uid for tracked in self.pods]
        for queue in self.queues:
            queue.add(uids)

    async def end(self) -> None:
        """Publish nothing; what would be published goes to the standby buffer from now on."""
        self.publishing.pause()
        await asyncio.to_thread(self.spool.become_standby)
