"""Our finalizer: put on the pods whose label asks for it, taken off when all there is to tell is safe (design 4.5)."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping
from datetime import datetime
from typing import Protocol

from agent.cluster.actions.workqueue import PodWorkqueue
from agent.core.failure import PodReference
from agent.kube.finalizer import FINALIZER
from agent.telemetry import cluster_metrics as metrics


class Finalizers(Protocol):
    """Where finalizers are put on and taken off; twice is the same as once, a pod that is gone is done."""

    async def add_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Put it on this very pod. Raises ApiError and Unreachable."""
        ...

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Take it off this very pod. Raises ApiError and Unreachable."""
        ...


class Pods(Protocol):
    """What is known of the pods."""

    def to_hold(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those whose label asks for our finalizer, and which it would still help."""
        ...

    def releasable(self, uids: Collection[str]) -> Mapping[str, PodReference]:
        """Those that carry our finalizer and of which there is nothing left to report."""
        ...


Safe = Callable[[Collection[str]], Collection[str]]
"""Of pods by uid, those whose reports are safe. May block; asked on a thread."""

Drained = Callable[[], Awaitable[None]]
"""Returns when all that was to be remembered so far is on disk."""


def add_queue(finalizers: Finalizers, pods: Pods, *, clock: Callable[[], datetime]) -> PodWorkqueue:
    """The chore of putting our finalizer on."""

    async def select(uids: Collection[str]) -> Mapping[str, PodReference]:
        return pods.to_hold(uids)

    async def hold(pod: PodReference) -> None:
        await finalizers.add_finalizer(pod, FINALIZER)

    return PodWorkqueue("hold", select, hold, clock=clock)


def remove_queue(
    finalizers: Finalizers, pods: Pods, safe: Safe, *, drained: Drained, clock: Callable[[], datetime]
) -> PodWorkqueue:
    """The chore of taking our finalizer off: of pods that are releasable first, and then safe.

    What is known of them is on disk by then: who starts after a crash would else take one that had succeeded, and
    went with our finalizer, for missing.
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

    return PodWorkqueue("release", select, release, clock=clock)
