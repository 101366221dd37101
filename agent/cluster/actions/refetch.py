"""The workqueue that fetches pods that are due but have no cached state, such as a running pod past its deadline.

The states of a hundred thousand running pods would not fit in memory, and few of them ever pass their deadline.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

import structlog

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.run_event import PodReference
from agent.kube import objects
from agent.kube.codec import Unreadable
from agent.kube.pods import Lookup
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)


class Pods(Protocol):
    def without_state(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that still exist but have no cached state."""
        ...


def refetch_queue(
    lookup: Lookup,
    pods: Pods,
    on_found: Callable[[objects.Pod], Awaitable[None]],
    *,
    clock: Callable[[], datetime],
) -> PodWorkqueue:
    """``on_found`` is given the pod as it is now. A pod that is gone is left to the watch, which reports it."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.without_state(uids)

    async def find(pod: PodReference) -> None:
        try:
            found = await lookup.find(pod)
        except Unreadable as error:
            metrics.BAD_OBJECTS.labels("pod").inc()
            _log.warning(
                "the API server's answer for a pod cannot be decoded; the pod is left as it is",
                pod=pod.name,
                namespace=pod.namespace,
                error=str(error),
            )
            return
        if found is not None:
            await on_found(found)

    return PodWorkqueue("fetch a pod", select, find, clock=clock)
