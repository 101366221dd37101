"""The chore of deleting pods: gently first, by force where a deletion takes too long (armada-today.md 1.5, 1.11)."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.failure import PodReference
from agent.observe.removal import Deletion
from agent.telemetry import cluster_metrics as metrics


class Deletions(Protocol):
    """Where pods are deleted; twice is the same as once, a pod that is gone is done."""

    async def delete(
        self, pod: PodReference, *, resource_version: str | None = None, grace_seconds: int | None = None
    ) -> None:
        """Delete this very pod. Raises ApiError, 409 where it is not at this version, and Unreachable."""
        ...


class Pods(Protocol):
    """What is known of the pods."""

    def to_remove(self, uids: Collection[str], *, now: datetime) -> Mapping[str, PodReference]:
        """Those for which a deletion is to be asked now."""
        ...

    def next_deletion(self, uid: str, *, now: datetime) -> Deletion | None:
        """The request to make now."""
        ...


def delete_queue(deletions: Deletions, pods: Pods, *, clock: Callable[[], datetime]) -> PodWorkqueue:
    """The chore of deleting the pods that are to be removed."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.to_remove(uids, now=clock())

    async def remove(pod: PodReference) -> None:
        request = pods.next_deletion(pod.uid, now=clock())
        if request is None:
            return
        grace = 0 if request.by_force else None
        await deletions.delete(pod, resource_version=request.resource_version or None, grace_seconds=grace)
        metrics.DELETED_PODS.labels("force" if request.by_force else "grace").inc()

    return PodWorkqueue("delete", select, remove, clock=clock)
