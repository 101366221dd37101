"""Pods that left the watch before their end was seen: gone, or only out of scope.

A pod known before this process began may have been deleted while nobody watched, or may no longer fit namespaces and
labels in the settings; one that leaves a watch by label may have lost its label. Calling a live pod missing would
give its job a second run, so the API server is asked. A live pod that still carries our finalizer stays ours until the
finalizer is off, because nobody else would take it off.

client-go hands such an object to its handlers as ``DeletedFinalStateUnknown``, and leaves the question to them.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from enum import Enum, auto
from typing import Final, Protocol

import structlog

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod, carries_finalizer
from agent.core.run_event import PodReference
from agent.kube import objects
from agent.kube.codec import Unreadable
from agent.kube.errors import ApiError, Unreachable
from agent.kube.finalizer import FINALIZER
from agent.kube.pods import Finalizers, Lookup
from agent.kube.reflector.cache import Change, ChangeKind

_log = structlog.get_logger(__name__)
_RETRY_SECONDS: Final = 2.0


class PodHandler(Protocol):
    """What takes the changes of pods: the controller."""

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """A pod appeared, changed or went."""
        ...

    async def on_gone(self, uid: str, last: objects.Pod | None) -> None:
        """The pod is gone for certain; ``last`` is the last state seen of it, ``None`` where none was."""
        ...

    async def on_out_of_scope(self, uid: str) -> None:
        """The pod lives, but this process does not watch it: forget it and report nothing."""
        ...


class Answer(Enum):
    """The result for a pod that left the watch; ``UNDECIDED``: ask again."""

    GONE = auto()
    OUT_OF_SCOPE = auto()
    OURS = auto()
    UNDECIDED = auto()


class AskLoop(ABC):
    """Looks up pods whose end nobody saw, one after the other, until the state of each is certain.

    A lookup that fails is repeated until the API server answers. A subclass says which pods to ask about, and what it
    means that one still lives.
    """

    def __init__(self, lookup: Lookup, pods: PodRegistry, handler: PodHandler) -> None:
        self._lookup = lookup
        self._pods = pods
        self._handler = handler
        self._unconfirmed: dict[str, tuple[PodReference, objects.Pod | None]] = {}
        self._wake = asyncio.Event()

    def __len__(self) -> int:
        return len(self._unconfirmed)

    @abstractmethod
    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """A pod appeared, changed or left the watch: pass on what is certain."""

    def all_listed(self) -> None:
        """Every pod of the first list was handed on: restored pods that were not among them are looked up."""
        for tracked in self._pods.unseen():
            self._add(tracked, None)

    async def run(self) -> None:
        """Look pods up until cancelled."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            await self.ask()
            if self._unconfirmed:
                await asyncio.sleep(_RETRY_SECONDS)
                self._wake.set()

    async def ask(self) -> None:
        """Look every unconfirmed pod up once."""
        for uid, (pod, last) in tuple(self._unconfirmed.items()):
            try:
                found = await self._lookup.find(pod)
                answer = Answer.GONE if found is None else await self._judge(found, pod)
            except (ApiError, Unreachable, Unreadable) as error:
                _log.warning(
                    "a pod left the watch and cannot be looked up; will try again", pod=pod.name, error=str(error)
                )
                continue
            # The watch may have returned the pod in the meantime: then there is nothing to ask.
            if answer is not Answer.UNDECIDED and self._unconfirmed.pop(uid, None) is not None:
                await self._conclude(uid, last, answer)

    @abstractmethod
    async def _judge(self, found: objects.Pod, pod: PodReference) -> Answer:
        """What to make of a pod that lives. Raises ApiError and Unreachable."""

    async def _conclude(self, uid: str, last: objects.Pod | None, answer: Answer) -> None:
        if answer is Answer.GONE:
            await self._handler.on_gone(uid, last)
        elif answer is Answer.OUT_OF_SCOPE:
            await self._handler.on_out_of_scope(uid)

    def _add(self, tracked: TrackedPod, last: objects.Pod | None) -> None:
        pod = tracked.entry.reference
        self._unconfirmed[pod.uid] = (pod, last)
        self._wake.set()


class Tombstones(AskLoop):
    """Stands before the handler. A pod that left a watch by label, or that the first list lacked, may live.

    ``selective``: pods are watched by label, so that leaving the watch does not mean being gone.
    """

    def __init__(
        self, lookup: Lookup, pods: PodRegistry, handler: PodHandler, *, finalizers: Finalizers, selective: bool
    ) -> None:
        super().__init__(lookup, pods, handler)
        self._finalizers = finalizers
        self._selective = selective
        self._may: Callable[[], bool] = lambda: True

    def only_while(self, may: Callable[[], bool]) -> None:
        """Remove no finalizer while ``may`` returns false, on a standby; the pod stays unconfirmed."""
        self._may = may

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        if change.kind is not ChangeKind.DELETED:
            self._unconfirmed.pop(change.uid, None)
        elif self._selective and (tracked := self._pods.get(change.uid)) is not None and _may_live(tracked, change):
            self._add(tracked, change.object)
            return
        await self._handler.on_pod(change)

    async def _judge(self, found: objects.Pod, pod: PodReference) -> Answer:
        if carries_finalizer(found) and not await self._release(found, pod):
            return Answer.UNDECIDED
        _log.info("a pod no longer fits the watch; it is forgotten", pod=pod.name, namespace=pod.namespace)
        return Answer.OUT_OF_SCOPE

    async def _release(self, found: objects.Pod, pod: PodReference) -> bool:
        """Take our finalizer off a live pod that is out of scope; whether it is off.

        Its state is handed on first: if the run is over, the finalizer comes off after the report, as for any pod.
        """
        await self._handler.on_pod(Change(kind=ChangeKind.MODIFIED, uid=pod.uid, object=found, previous=None))
        tracked = self._pods.get(pod.uid)
        if (tracked is not None and tracked.over) or not self._may():
            return False
        await self._finalizers.remove_finalizer(pod, FINALIZER)
        return True


def _may_live(tracked: TrackedPod, change: Change[objects.Pod, None]) -> bool:
    """Whether it matters that it may live: its run is not over, or our finalizer may still be on it."""
    last = change.object
    return not tracked.over or last is None or carries_finalizer(last)


IsOurs = Callable[[str], bool]
"""Whether this process watches the pods of the node of this name; ``""``: the pods without a node."""


class MovedPods(AskLoop):
    """Asks the same in mode daemonset: a pod that left a watch by node may be gone or bound to another node.

    Handles the pods without a node, and after a start the restored pods that are not on our node.
    """

    def __init__(self, lookup: Lookup, pods: PodRegistry, handler: PodHandler, *, is_ours: IsOurs) -> None:
        super().__init__(lookup, pods, handler)
        self._is_ours = is_ours

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        """A pod without a node appeared, changed, got a node or went; the last two look alike."""
        if change.kind is not ChangeKind.DELETED:
            await self._handler.on_pod(change)
        elif (tracked := self._pods.get(change.uid)) is not None:
            self._add(tracked, change.object)

    async def _judge(self, found: objects.Pod, pod: PodReference) -> Answer:
        del pod
        return Answer.OURS if self._is_ours(found.spec.nodeName or "") else Answer.OUT_OF_SCOPE
