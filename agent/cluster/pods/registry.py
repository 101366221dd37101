"""The tracked pods: what is remembered of each, and what may be done to it. No I/O."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain

import msgspec
from msgspec.structs import replace

from agent.cluster.pods.packed import is_idle, pack, unpack
from agent.cluster.spool.entries import Forgotten, Known
from agent.cluster.spool.schema import SpoolError
from agent.core.failure import PodReference
from agent.kube import objects
from agent.kube.finalizer import asks_for_finalizer, carries_finalizer
from agent.observe.entry import PodEntry
from agent.observe.occurrence import FINISHED
from agent.observe.removal import Deletion, RemovalKind, force_due, next_deletion

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(PodEntry)

_RUNNING = "Running"


@dataclass(slots=True, kw_only=True)
class TrackedPod:
    """What this process knows of one pod.

    ``held``: it carries our finalizer. ``wants_finalizer``: it does not, and its label asks for it. ``pod`` is its
    last state, kept only while a time or an event may make it worth reconciling without a change of the pod.
    ``reported`` are the ids of the events that earlier processes spooled of it. ``working`` counts its cases that are
    not yet given to the spool's writer, ``unsaved`` those given and not yet on disk. ``gone``: the API server no
    longer has it, or it is out of scope. ``empty``: only finalizers keep it on the API server. ``deleted_at``: when
    its grace period ends, if it was deleted. ``seen``: there was news of it since this process began.
    """

    entry: PodEntry
    pod: objects.Pod | None = None
    held: bool = False
    wants_finalizer: bool = False
    gone: bool = False
    empty: bool = False
    deleted_at: datetime | None = None
    seen: bool = True
    working: int = 0
    unsaved: int = 0
    reported: frozenset[str] = frozenset()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to its run."""
        removed = self.entry.stopping and self.empty
        return removed or self.entry.ended is not None or self.entry.phase in FINISHED

    @property
    def settled(self) -> bool:
        """Whether every report of it is on disk."""
        return self.working == 0 and self.unsaved == 0

    @property
    def releasable(self) -> bool:
        """Whether our finalizer may come off, once the spool says that the reports are safe."""
        removal = self.entry.removal
        holds = removal is not None and removal.holds
        return self.held and not self.gone and self.over and self.settled and not holds

    @property
    def to_hold(self) -> bool:
        """Whether our finalizer would help: it is asked for and the run is not over, or we are about to delete it."""
        if self.gone or self.held:
            return False
        return (self.wants_finalizer and not self.over) or (
            self.to_remove and self.deleted_at is None and not self._given_up
        )

    @property
    def packable(self) -> bool:
        """Whether nothing is under way with it, so that its entry is all there is to remember."""
        quiet = self.settled and self.pod is None and self.deleted_at is None and not self.reported
        return quiet and not (self.held or self.wants_finalizer or self.gone or self.empty) and is_idle(self.entry)

    @property
    def to_remove(self) -> bool:
        """Whether the agent removes it, and that is on disk."""
        return self.entry.removal is not None and not self.gone and not self.empty and self.settled

    @property
    def removable(self) -> bool:
        """Whether its deletion may be requested: our finalizer is on it, or can no longer help."""
        return self.to_remove and (self.held or self.deleted_at is not None or self._given_up)

    @property
    def _given_up(self) -> bool:
        """Whether the removal goes on without our finalizer.

        Either it could not be put on in time, or another failure was reported instead of the held one and released it.
        """
        removal = self.entry.removal
        return (
            removal is not None
            and removal.kind is not RemovalKind.HALTED
            and (removal.reported or removal.without_finalizer)
        )

    def durable(self) -> Known | Forgotten:
        """The spool entry for the pod as it is now."""
        uid = self.entry.reference.uid
        return Forgotten(uid=uid) if self.gone else Known(uid=uid, entry=_ENCODER.encode(lasting(self.entry)))


class PodRegistry:
    """All tracked pods, by uid. A deletion of ours is forced ``kill_timeout`` after its grace period.

    A pod with nothing under way is kept as bytes. ``get`` unpacks it; iterating gives copies of packed pods, and
    changes to those are lost.
    """

    def __init__(self, *, kill_timeout: timedelta | None = None) -> None:
        self._unpacked: dict[str, TrackedPod] = {}
        self._packed: dict[str, bytes] = {}
        self._unseen: set[str] = set()
        self._kill_timeout = kill_timeout

    def __len__(self) -> int:
        return len(self._unpacked) + len(self._packed)

    def __iter__(self) -> Iterator[TrackedPod]:
        return chain(tuple(self._unpacked.values()), map(self._peek, tuple(self._packed)))

    def get(self, uid: str) -> TrackedPod | None:
        """The pod with this uid, unpacked until ``pack`` is called."""
        if uid in self._packed:
            self._unpacked[uid] = self._peek(uid)
            del self._packed[uid]
            self._unseen.discard(uid)
        return self._unpacked.get(uid)

    def remember(
        self, tracked: TrackedPod | None, entry: PodEntry, pod: objects.Pod | None, *, gone: bool
    ) -> TrackedPod:
        """Take the pod as it is now. ``tracked`` is ``None`` for a new one; ``pod`` where its state was not seen."""
        if tracked is None:
            tracked = TrackedPod(entry=entry)
            self.put(tracked)
        tracked.entry = entry
        tracked.seen = True
        tracked.gone = gone
        tracked.held = pod is not None and carries_finalizer(pod) and not gone
        tracked.wants_finalizer = pod is not None and asks_for_finalizer(pod) and not gone
        tracked.empty = pod is not None and only_finalizers_left(pod)
        tracked.deleted_at = None if pod is None else pod.metadata.deletionTimestamp
        return tracked

    def pack(self, tracked: TrackedPod) -> None:
        """Keep only bytes of it if nothing is under way; the object must not be used after that."""
        uid = tracked.entry.reference.uid
        if self._unpacked.get(uid) is tracked and tracked.packable:
            self._packed[uid] = pack(tracked.entry)
            del self._unpacked[uid]

    def put(self, tracked: TrackedPod) -> None:
        self._unpacked[tracked.entry.reference.uid] = tracked

    def drop(self, uid: str) -> None:
        self._unpacked.pop(uid, None)
        self._packed.pop(uid, None)
        self._unseen.discard(uid)

    def restore(self, known: Iterable[Known], reported: Mapping[str, frozenset[str]]) -> None:
        """Take up what an earlier process knew. Raises SpoolError for an entry that cannot be read."""
        for each in known:
            try:
                entry = _DECODER.decode(each.entry)
            except msgspec.DecodeError as error:
                raise SpoolError(f"the spool's entry of pod {each.uid} cannot be read: {error}") from error
            tracked = TrackedPod(entry=entry, seen=False, reported=reported.get(each.uid, frozenset()))
            self.put(tracked)
            self._unseen.add(each.uid)
            self.pack(tracked)
        self._unseen &= self._packed.keys()

    def unseen(self) -> list[TrackedPod]:
        """Restored pods of which this process has had no news."""
        unpacked = [tracked for tracked in self._unpacked.values() if not tracked.seen]
        return [*unpacked, *map(self._peek, self._unseen)]

    def without_state(self, uids: Collection[str]) -> dict[str, PodReference]:
        """Those that still exist, and of which no state is kept."""
        packed = {uid: self._peek(uid).entry.reference for uid in uids if uid in self._packed}
        unpacked = (tracked for tracked in self._of(uids) if tracked.pod is None and not tracked.gone)
        return packed | {tracked.entry.reference.uid: tracked.entry.reference for tracked in unpacked}

    def held(self) -> int:
        return sum(tracked.held and not tracked.gone for tracked in self._unpacked.values())

    def releasable(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those that carry our finalizer and of which there is nothing left to report."""
        return {
            tracked.entry.reference.uid: tracked.entry.reference for tracked in self._of(uids) if tracked.releasable
        }

    def to_hold(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those that need our finalizer and do not carry it."""
        return {tracked.entry.reference.uid: tracked.entry.reference for tracked in self._of(uids) if tracked.to_hold}

    def to_remove(self, uids: Iterable[str], *, now: datetime) -> dict[str, PodReference]:
        """Those for which a deletion must be requested now."""
        return {
            tracked.entry.reference.uid: tracked.entry.reference
            for tracked in self._of(uids)
            if self._deletion(tracked, now=now) is not None
        }

    def next_deletion(self, uid: str, *, now: datetime) -> Deletion | None:
        """The delete request to make now, if any."""
        tracked = self._unpacked.get(uid)
        return None if tracked is None else self._deletion(tracked, now=now)

    def force_due(self, tracked: TrackedPod) -> datetime | None:
        """When a deletion of ours is forced; ``None`` for never."""
        return force_due(tracked.deleted_at, kill_timeout=self._kill_timeout) if tracked.to_remove else None

    def _deletion(self, tracked: TrackedPod, *, now: datetime) -> Deletion | None:
        removal = tracked.entry.removal
        if removal is None or not tracked.removable:
            return None
        return next_deletion(
            removal,
            deleted_at=tracked.deleted_at,
            resource_version=tracked.entry.resource_version,
            now=now,
            kill_timeout=self._kill_timeout,
        )

    def _of(self, uids: Iterable[str]) -> Iterator[TrackedPod]:
        """Those of the pods that are unpacked: a packed one is neither held nor removed."""
        found = (self._unpacked.get(uid) for uid in uids)
        return (tracked for tracked in found if tracked is not None)

    def _peek(self, uid: str) -> TrackedPod:
        return TrackedPod(entry=unpack(self._packed[uid], uid=uid), seen=uid not in self._unseen)


def lasting(entry: PodEntry) -> PodEntry:
    """The part of an entry that is worth a write: without what changes at every reconciliation."""
    return replace(entry, resource_version="", due_at=None)


def only_finalizers_left(pod: objects.Pod) -> bool:
    """Whether nothing but finalizers keeps a deleted pod on the API server.

    It waits for no kubelet: deleted with grace period 0, as the kubelet does at the end, and the server itself for a
    pod that has no node (Kubernetes pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
    """
    return pod.metadata.deletionTimestamp is not None and pod.metadata.deletionGracePeriodSeconds == 0


def just_runs(pod: objects.Pod | None) -> bool:
    """Whether it is an ordinary running pod, which has one deadline, far off, and is mostly gone by then."""
    return pod is not None and pod.status.phase == _RUNNING and pod.metadata.deletionTimestamp is None
