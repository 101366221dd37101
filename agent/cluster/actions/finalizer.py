"""Our finalizer: put on pods whose label asks for it, taken off when every report of them is safe (design 4.5)."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.failure import PodReference
from agent.kube.finalizer import FINALIZER
from agent.kube.pods import Finalizers
from agent.telemetry import cluster_metrics as metrics


class Pods(Protocol):
    def to_hold(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that need our finalizer and do not carry it."""
        ...

    def releasable(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that carry our finalizer and of which there is nothing left to report."""
        ...


Safe = Callable[[Collection[str]], Collection[str]]
"""Of pods by uid, those whose reports are safe. May block; asked on a thread."""

Drained = Callable[[], Awaitable[None]]
"""Returns when every entry given to the spool so far is on disk."""


def add_queue(finalizers: Finalizers, pods: Pods, *, clock: Callable[[], datetime]) -> PodWorkqueue:
    """The workqueue that puts our finalizer on."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.to_hold(uids)

    async def hold(pod: PodReference) -> None:
        await finalizers.add_finalizer(pod, FINALIZER)

    return PodWorkqueue("put our finalizer on a pod", select, hold, clock=clock)


def remove_queue(
    finalizers: Finalizers, pods: Pods, safe: Safe, *, drained: Drained, clock: Callable[[], datetime]
) -> PodWorkqueue:
    """The workqueue that takes our finalizer off pods that are releasable and whose reports are safe.

    Their entries are on disk by then. Otherwise a process that starts after a crash would report a pod as missing that
    had succeeded and went with our finalizer.
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

    return PodWorkqueue("take our finalizer off a pod", select, release, clock=clock)
