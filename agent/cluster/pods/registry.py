"""The pods that are watched: what is remembered of each, and whether it may be let go of. No I/O."""

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
    """One pod.

    ``held``: it carries our finalizer; ``asks``: it does not, and its label asks for it. ``pod`` is its last state,
    kept only while it must be looked at again without news. ``reported`` are the ids of the events spooled of it
    by processes before this one. ``working`` counts events that are not yet given to the spool, ``unsaved`` those
    given and not yet on disk. ``gone``: the API server has it no longer. ``empty``: nothing but finalizers keeps it
    there. ``deleted_at``: when its grace period ends, where it was deleted. ``seen``: it has been heard of since this
    process began.
    """

    entry: PodEntry
    pod: objects.Pod | None = None
    held: bool = False
    asks: bool = False
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
        """Whether all there is to tell of it now was told to the disk."""
        return self.working == 0 and self.unsaved == 0

    @property
    def releasable(self) -> bool:
        """Whether our finalizer is on it and all there is to tell was told to the disk."""
        removal = self.entry.removal
        holds = removal is not None and removal.holds
        return self.held and not self.gone and self.over and self.settled and not holds

    @property
    def to_hold(self) -> bool:
        """Whether our finalizer would help: it is asked for and the run is not over, or we are about to delete it."""
        if self.gone or self.held:
            return False
        return (self.asks and not self.over) or (self.to_remove and self.deleted_at is None and not self._given_up)

    @property
    def restful(self) -> bool:
        """Whether nothing is under way with it, so that its entry is all there is to remember."""
        quiet = self.settled and self.pod is None and self.deleted_at is None and not self.reported
        return quiet and not (self.held or self.asks or self.gone or self.empty) and is_idle(self.entry)

    @property
    def to_remove(self) -> bool:
        """Whether we take it away, and that is on disk."""
        return self.entry.removal is not None and not self.gone and not self.empty and self.settled

    @property
    def removable(self) -> bool:
        """Whether its deletion may be asked for: our finalizer is on it, or can no longer help."""
        return self.to_remove and (self.held or self.deleted_at is not None or self._given_up)

    @property
    def _given_up(self) -> bool:
        """Whether our finalizer is done without: it did not come on in time, or what was told took it off again."""
        removal = self.entry.removal
        return (
            removal is not None
            and removal.kind is not RemovalKind.HALTED
            and (removal.reported or removal.without_finalizer)
        )

    def durable(self) -> Known | Forgotten:
        """What the spool should know of it now."""
        uid = self.entry.reference.uid
        return Forgotten(uid=uid) if self.gone else Known(uid=uid, entry=_ENCODER.encode(lasting(self.entry)))


class PodRegistry:
    """All of them, by uid. A deletion of ours is forced ``kill_timeout`` after its grace period.

    One of which nothing is in hand rests as bytes, and wakes when it is asked for by ``get``; what the other methods
    give of it is not to be changed.
    """

    def __init__(self, *, kill_timeout: timedelta | None = None) -> None:
        self._awake: dict[str, TrackedPod] = {}
        self._resting: dict[str, bytes] = {}
        self._unseen: set[str] = set()
        self._kill_timeout = kill_timeout

    def __len__(self) -> int:
        return len(self._awake) + len(self._resting)

    def __iter__(self) -> Iterator[TrackedPod]:
        return chain(tuple(self._awake.values()), map(self._peek, tuple(self._resting)))

    def get(self, uid: str) -> TrackedPod | None:
        """The pod with this uid."""
        if uid in self._resting:
            self._awake[uid] = self._peek(uid)
            del self._resting[uid]
            self._unseen.discard(uid)
        return self._awake.get(uid)

    def remember(
        self, watched: TrackedPod | None, entry: PodEntry, pod: objects.Pod | None, *, gone: bool
    ) -> TrackedPod:
        """The pod as seen now. ``watched``: ``None`` for one not known before; ``pod``: where it was not seen."""
        if watched is None:
            watched = TrackedPod(entry=entry)
            self.put(watched)
        watched.entry = entry
        watched.seen = True
        watched.gone = gone
        watched.held = pod is not None and carries_finalizer(pod) and not gone
        watched.asks = pod is not None and asks_for_finalizer(pod) and not gone
        watched.empty = pod is not None and only_held(pod)
        watched.deleted_at = None if pod is None else pod.metadata.deletionTimestamp
        return watched

    def rest(self, watched: TrackedPod) -> None:
        """It was looked at. If it is restful, bytes are kept from now on, and this object is of no use any longer."""
        uid = watched.entry.reference.uid
        if self._awake.get(uid) is watched and watched.restful:
            self._resting[uid] = pack(watched.entry)
            del self._awake[uid]

    def put(self, watched: TrackedPod) -> None:
        """Watch this pod."""
        self._awake[watched.entry.reference.uid] = watched

    def drop(self, uid: str) -> None:
        """Forget it."""
        self._awake.pop(uid, None)
        self._resting.pop(uid, None)
        self._unseen.discard(uid)

    def restore(self, known: Iterable[Known], reported: Mapping[str, frozenset[str]]) -> None:
        """Take up what a process before this one knew. Raises SpoolError for an entry that is none."""
        for each in known:
            try:
                entry = _DECODER.decode(each.entry)
            except msgspec.DecodeError as error:
                raise SpoolError(f"the spool's entry of pod {each.uid} cannot be read: {error}") from error
            watched = TrackedPod(entry=entry, seen=False, reported=reported.get(each.uid, frozenset()))
            self.put(watched)
            self._unseen.add(each.uid)
            self.rest(watched)
        self._unseen &= self._resting.keys()

    def unseen(self) -> list[TrackedPod]:
        """Those restored that have not been heard of since."""
        awake = [watched for watched in self._awake.values() if not watched.seen]
        return [*awake, *map(self._peek, self._unseen)]

    def without_state(self, uids: Collection[str]) -> dict[str, PodReference]:
        """Those that are still there, and of which no state is kept."""
        resting = {uid: self._peek(uid).entry.reference for uid in uids if uid in self._resting}
        awake = (watched for watched in self._of(uids) if watched.pod is None and not watched.gone)
        return resting | {watched.entry.reference.uid: watched.entry.reference for watched in awake}

    def held(self) -> int:
        """How many carry our finalizer."""
        return sum(watched.held and not watched.gone for watched in self._awake.values())

    def releasable(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those that carry our finalizer and of which there is nothing left to report."""
        return {
            watched.entry.reference.uid: watched.entry.reference for watched in self._of(uids) if watched.releasable
        }

    def to_hold(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those whose label asks for our finalizer, and which it would still help."""
        return {watched.entry.reference.uid: watched.entry.reference for watched in self._of(uids) if watched.to_hold}

    def to_remove(self, uids: Iterable[str], *, now: datetime) -> dict[str, PodReference]:
        """Those for which a deletion is to be asked now."""
        return {
            watched.entry.reference.uid: watched.entry.reference
            for watched in self._of(uids)
            if self._deletion(watched, now=now) is not None
        }

    def next_deletion(self, uid: str, *, now: datetime) -> Deletion | None:
        """The request that deletes it; ``None`` where there is none to make now."""
        watched = self._awake.get(uid)
        return None if watched is None else self._deletion(watched, now=now)

    def force_due(self, watched: TrackedPod) -> datetime | None:
        """When a deletion of ours is forced; ``None`` for never."""
        return force_due(watched.deleted_at, kill_timeout=self._kill_timeout) if watched.to_remove else None

    def _deletion(self, watched: TrackedPod, *, now: datetime) -> Deletion | None:
        removal = watched.entry.removal
        if removal is None or not watched.removable:
            return None
        return next_deletion(
            removal,
            deleted_at=watched.deleted_at,
            resource_version=watched.entry.resource_version,
            now=now,
            kill_timeout=self._kill_timeout,
        )

    def _of(self, uids: Iterable[str]) -> Iterator[TrackedPod]:
        """Those of the pods that are awake: one at rest is neither held nor removed."""
        found = (self._awake.get(uid) for uid in uids)
        return (watched for watched in found if watched is not None)

    def _peek(self, uid: str) -> TrackedPod:
        return TrackedPod(entry=unpack(self._resting[uid], uid=uid), seen=uid not in self._unseen)


def lasting(entry: PodEntry) -> PodEntry:
    """The part of an entry that is worth a write: not what every look at the pod changes."""
    return replace(entry, resource_version="", due_at=None)


def only_held(pod: objects.Pod) -> bool:
    """Whether nothing but finalizers keeps a deleted pod on the API server.

    It waits for no kubelet: deleted with grace period 0, as the kubelet does at the end, and the server itself for a
    pod that has no node (Kubernetes pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
    """
    return pod.metadata.deletionTimestamp is not None and pod.metadata.deletionGracePeriodSeconds == 0


def just_runs(pod: objects.Pod | None) -> bool:
    """Whether it is an ordinary running pod, which has one deadline, far off, and is mostly gone by then."""
    return pod is not None and pod.status.phase == _RUNNING and pod.metadata.deletionTimestamp is None
