"""Letting go of pods: our finalizer comes off when nothing of the pod is left to tell (design 4.5)."""

import asyncio
import random
from collections.abc import Callable, Collection, Iterable
from datetime import datetime, timedelta
from typing import Final, Protocol

import structlog

from agent.cluster.due import Due
from agent.core.failure import PodReference
from agent.kube.errors import ApiError, Unreachable
from agent.telemetry import cluster_metrics as metrics

FINALIZER: Final = "failure-agent.dev/reported"
"""Keeps a finished pod on the API server until its failure is safe elsewhere."""

_log = structlog.get_logger(__name__)
_BACKOFF_SECONDS: Final = (0.5, 60.0)
_IDLE_SECONDS: Final = 1.0


class Finalizers(Protocol):
    """Where finalizers are taken off; twice is the same as once, a pod that is gone is done."""

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        """Take it off this very pod. Raises ApiError and Unreachable."""
        ...


class Held(Protocol):
    """What is known of the pods that may be held."""

    def releasable(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those that carry our finalizer and of which there is nothing left to report."""
        ...


class Releaser:
    """Takes our finalizer off the pods it is told to consider, once they are releasable and ``safe``.

    ``safe`` gives those of some uids whose reports are safe; it may block and runs on a thread. A refusal is tried
    again, later each time. Considering a pod twice, or one that is released, does nothing.
    """

    def __init__(
        self,
        finalizers: Finalizers,
        held: Held,
        *,
        safe: Callable[[Collection[str]], Collection[str]],
        clock: Callable[[], datetime],
        at_once: int = 8,
    ) -> None:
        self._finalizers = finalizers
        self._held = held
        self._safe = safe
        self._clock = clock
        self._at_once = at_once
        self._considered: set[str] = set()
        self._failures: dict[str, int] = {}
        self._later: Due[str] = Due()
        self._wake = asyncio.Event()

    def consider(self, uids: Iterable[str]) -> None:
        """These may be ready now. Call on the event loop."""
        self._considered.update(uids)
        if self._considered:
            self._wake.set()

    async def run(self) -> None:
        """Release until cancelled."""
        while True:
            await self.release()
            self._wake.clear()
            if not self._considered:
                await self._sleep()
            self._considered.update(self._later.take(self._clock()))

    async def release(self) -> None:
        """Release what can be released of what was considered so far."""
        uids, self._considered = self._considered, set()
        candidates = self._held.releasable(uids)
        if not candidates:
            return
        safe = await asyncio.to_thread(self._safe, tuple(candidates))
        queue = iter([(uid, candidates[uid]) for uid in safe])
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(self._at_once, len(safe))):
                workers.create_task(self._work(queue))

    async def _work(self, queue: Iterable[tuple[str, PodReference]]) -> None:
        for uid, pod in queue:
            try:
                await self._finalizers.remove_finalizer(pod, FINALIZER)
            except (ApiError, Unreachable) as error:
                self._postpone(uid, pod, error)
            else:
                self._failures.pop(uid, None)
                metrics.RELEASED_PODS.inc()

    def _postpone(self, uid: str, pod: PodReference, error: Exception) -> None:
        failures = self._failures[uid] = self._failures.get(uid, 0) + 1
        first, longest = _BACKOFF_SECONDS
        pause = min(first * 2 ** min(failures - 1, 16), longest) * (0.5 + random.random() / 2)  # noqa: S311 - jitter
        self._later.set(uid, self._clock() + timedelta(seconds=pause))
        _log.warning(
            "a pod could not be released; will try again", pod=pod.name, namespace=pod.namespace, error=str(error)
        )

    async def _sleep(self) -> None:
        soonest = self._later.next()
        pause = None if soonest is None else max(0.0, (soonest - self._clock()).total_seconds())
        try:
            async with asyncio.timeout(pause):
                await self._wake.wait()
        except TimeoutError:
            return
