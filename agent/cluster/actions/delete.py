"""The workqueue that deletes pods: gracefully first, by force if that takes too long.

Source: armadaproject/armada internal/executor/context/cluster_context.go, ProcessPodsToDelete.
"""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.run_event import PodReference
from agent.observe.removal import Deletion
from agent.telemetry import cluster_metrics as metrics


class Deletions(Protocol):
    """Deletes pods. Idempotent: a pod that is gone is done."""

    async def delete(
        self, pod: PodReference, *, resource_version: str | None = None, grace_seconds: int | None = None
    ) -> None:
        """Delete the pod with this uid. Raises ApiError, 409 where it is not at this version, and Unreachable."""
        ...


class Pods(Protocol):
    def to_remove(self, uids: Collection[str], *, now: datetime) -> Mapping[str, PodReference]:
        """Those for which a deletion must be requested now."""
        ...

    def next_deletion(self, uid: str, *, now: datetime) -> Deletion | None:
        """The request to make now."""
        ...


def delete_queue(deletions: Deletions, pods: Pods, *, clock: Callable[[], datetime]) -> PodWorkqueue:
    """The workqueue that deletes the pods that are to be removed."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.to_remove(uids, now=clock())

    async def remove(pod: PodReference) -> None:
        request = pods.next_deletion(pod.uid, now=clock())
        if request is None:
            return  # it changed between select and now
        grace = 0 if request.by_force else None
        await deletions.delete(pod, resource_version=request.resource_version or None, grace_seconds=grace)
        metrics.DELETED_PODS.labels("force" if request.by_force else "grace").inc()

    return PodWorkqueue("delete a pod", select, remove, clock=clock)
