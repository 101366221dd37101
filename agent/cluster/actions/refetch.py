"""The chore of asking for a pod that is due and of which no state is kept: a running one, past its deadline.

A hundred thousand running pods with a deadline each would not fit in memory; few of them ever pass it.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

import structlog

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.failure import PodReference
from agent.kube import objects
from agent.kube.codec import Unreadable
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)


class Lookup(Protocol):
    """Where a pod is looked up."""

    async def find(self, pod: PodReference) -> objects.Pod | None:
        """This very pod, or ``None`` if it is gone. Raises ApiError, Unreachable and Unreadable."""
        ...


class Pods(Protocol):
    """What is known of the pods."""

    def without_state(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that are still there, and of which no state is kept."""
        ...


def refetch_queue(
    lookup: Lookup,
    pods: Pods,
    on_found: Callable[[objects.Pod], Awaitable[None]],
    *,
    clock: Callable[[], datetime],
) -> PodWorkqueue:
    """The chore; ``on_found`` is given the pod as it is now. That it is gone, the watch says."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.without_state(uids)

    async def find(pod: PodReference) -> None:
        try:
            found = await lookup.find(pod)
        except Unreadable as error:
            metrics.BAD_OBJECTS.labels("pod").inc()
            _log.warning("a pod cannot be read", pod=pod.name, namespace=pod.namespace, error=str(error))
            return
        if found is not None:
            await on_found(found)

    return PodWorkqueue("look at", select, find, clock=clock)
