"""Pods that moved to where another process watches them, or are gone (mode daemonset).

A pod that gets a node leaves the watch of pods without one, and the API server says of it what it says of a deleted
pod. So it is asked, one pod after the other.
"""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from agent.cluster.doubts import Lookup, Reports
from agent.cluster.watched import WatchedPods
from agent.core.failure import PodReference
from agent.kube import objects
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Unreachable
from agent.kube.reflector.cache import Change, ChangeKind

_log = structlog.get_logger(__name__)
_RETRY_SECONDS: Final = 2.0

Ours = Callable[[str], bool]
"""Whether this process watches the pods of the node of this name; ``""``: the pods without a node."""


class Moves:
    """Told of the pods without a node, and after a start of those known from before that are not on our nodes."""

    def __init__(self, lookup: Lookup, pods: WatchedPods, reports: Reports, *, ours: Ours) -> None:
        self._lookup = lookup
        self._pods = pods
        self._reports = reports
        self._ours = ours
        self._asked: dict[str, tuple[PodReference, objects.Pod | None]] = {}
        self._wake = asyncio.Event()

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """A pod without a node appeared, changed, got a node or went."""
        if change.kind is not ChangeKind.DELETED:
            await self._reports.on_pod(change)
        elif (watched := self._pods.get(change.uid)) is not None:
            self._ask_about(watched.entry.reference, change.object)

    def all_listed(self) -> None:
        """Every pod of our own node has been told of."""
        for watched in self._pods.unseen():
            self._ask_about(watched.entry.reference, None)

    async def run(self) -> None:
        """Ask until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self.ask()
            if self._asked:
                await asyncio.sleep(_RETRY_SECONDS)
                self._wake.set()

    async def ask(self) -> None:
        """Ask once about each."""
        for uid, (pod, last) in tuple(self._asked.items()):
            try:
                found = await self._lookup.find(pod)
            except (ApiError, Unreachable, Unreadable) as error:
                _log.warning("cannot find out where a pod is; will ask again", pod=pod.name, error=str(error))
                continue
            del self._asked[uid]
            if found is None:
                await self._reports.on_gone(uid, last)
            elif not self._ours(found.spec.nodeName or ""):
                await self._reports.on_out_of_sight(uid)

    def _ask_about(self, pod: PodReference, last: objects.Pod | None) -> None:
        self._asked[pod.uid] = (pod, last)
        self._wake.set()
