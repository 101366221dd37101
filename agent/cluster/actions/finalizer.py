"""Our finalizer keeps a pod until all its reports are safe. There are three reasons for it.

- The label of the pod asks for it: it is added here.
- The pod is that of a submitted job: it is created with it (``cluster.runs.manifest``), and keeps it until something
  also confirms that the pod no longer lives.
- The agent is about to delete the pod itself: it is added here first.

Why there is one: docs/decisions/0008-finalizer-until-acknowledged.md.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.run_event import PodReference
from agent.kube.finalizer import FINALIZER
from agent.kube.pods import Finalizers
from agent.telemetry import cluster_metrics as metrics


class Pods(Protocol):
    def to_hold(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that need our finalizer and do not carry it."""
        ...

    def releasable(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that carry our finalizer and have nothing left to report."""
        ...


Safe = Callable[[Collection[str]], Collection[str]]
"""Of pods by uid, those whose reports are safe. May block; asked on a thread."""

Drained = Callable[[], Awaitable[None]]
"""Returns when every entry given to the spool so far is on disk."""


def add_queue(finalizers: Finalizers, pods: Pods, *, clock: Callable[[], datetime]) -> PodWorkqueue:
    """The workqueue that adds our finalizer."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.to_hold(uids)

    async def hold(pod: PodReference) -> None:
        await finalizers.add_finalizer(pod, FINALIZER)

    return PodWorkqueue("add our finalizer to a pod", select, hold, clock=clock)


def remove_queue(
    finalizers: Finalizers, pods: Pods, safe: Safe, *, drained: Drained, clock: Callable[[], datetime]
) -> PodWorkqueue:
    """The workqueue that removes our finalizer from pods that are releasable and whose reports are safe.

    Their entries are on disk by then. Otherwise a process that starts after a crash would report a succeeded pod as
    missing if it was deleted when our finalizer was removed.
    """

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        candidates = pods.releasable(uids)
        if not candidates:
            return {}
        await drained()
        found = await asyncio.to_thread(safe, tuple(candidates))
        return {uid: candidates[uid] for uid in found}

    async def release(pod: PodReference) -> None:
        await finalizers.remove_finalizer(pod, FINALIZER)
        metrics.RELEASED_PODS.inc()

    return PodWorkqueue("remove our finalizer from a pod", select, release, clock=clock)
