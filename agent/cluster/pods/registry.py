"""The tracked pods: the state of each, and the possible actions. No I/O."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from itertools import chain

import msgspec

from agent.cluster.pods.packed import pack, unpack
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.spool.entries import Forgotten, Known, Report
from agent.cluster.spool.schema import SpoolError
from agent.core.run_event import PodReference
from agent.json_reader.reader import Reader
from agent.observe.doubt import Doubt, recount
from agent.observe.entry import PodEntry, RunProgress
from agent.observe.removal import Deletion, force_due, next_deletion

_READER = Reader(PodEntry)


class PodRegistry:
    """All tracked pods, by uid.

    A deletion of ours is forced ``kill_timeout`` after its grace period, but not while there is a ``doubt``.
    A pod with nothing under way is kept as bytes. ``get`` unpacks it; iterating gives copies of packed pods, and
    changes to those are lost.
    """

    def __init__(self, *, kill_timeout: timedelta | None = None, doubt: Doubt = lambda: None) -> None:
        self._unpacked: dict[str, TrackedPod] = {}
        self._packed: dict[str, bytes] = {}
        self._unseen: set[str] = set()
        self._kill_timeout = kill_timeout
        self._doubt = doubt

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

    def peek(self, uid: str) -> TrackedPod | None:
        """The pod with this uid, only to be read: what is changed in one that is packed is lost."""
        return self._peek(uid) if uid in self._packed else self._unpacked.get(uid)

    def run_of(self, uid: str) -> RunProgress | None:
        """How far this process has seen the run of this pod go; ``None`` if it knows of none."""
        tracked = self.peek(uid)
        return None if tracked is None else tracked.entry.run

    def has_watched(self, uid: str) -> bool:
        """Whether this process saw all changes of the pod of a run since no kubelet had reported anything of it."""
        tracked = self.peek(uid)
        return tracked is not None and tracked.watched

    def due_at(self, uid: str) -> datetime | None:
        """When the pod is due; ``None`` for never, and of a pod that is not tracked."""
        if (packed := self._packed.get(uid)) is not None:
            return unpack(packed, uid=uid).due_at
        tracked = self._unpacked.get(uid)
        return None if tracked is None else tracked.due_at

    def add(self, entry: PodEntry) -> TrackedPod:
        """Track a pod that was not known."""
        tracked = TrackedPod(entry=entry)
        self.put(tracked)
        return tracked

    def pack(self, tracked: TrackedPod) -> None:
        """Keep only bytes of it if nothing is under way; the object must not be used after that."""
        uid = tracked.entry.reference.uid
        if self._unpacked.get(uid) is tracked and tracked.packable:
            self._packed[uid] = pack(tracked.entry)
            del self._unpacked[uid]

    def put(self, tracked: TrackedPod) -> None:
        self._unpacked[tracked.entry.reference.uid] = tracked

    def settle(self, tracked: TrackedPod) -> Known | Forgotten:
        """No case of it is under way: the spool's entry for it. A pod that is gone or out of scope is dropped."""
        if tracked.left:
            self.drop(tracked.entry.reference.uid)
        return tracked.durable()

    def saved(self, reports: Iterable[Report]) -> list[TrackedPod]:
        """These reports are on disk. Returns the pods they are about, each once, without those that were dropped."""
        found: dict[str, TrackedPod] = {}
        for report in reports:
            if (tracked := self.get(report.pod_uid)) is not None:
                tracked.saved()
                found[report.pod_uid] = tracked
        return list(found.values())

    def drop(self, uid: str) -> None:
        self._unpacked.pop(uid, None)
        self._packed.pop(uid, None)
        self._unseen.discard(uid)

    def restore(
        self,
        known: Iterable[Known],
        reported: Mapping[str, frozenset[str]],
        *,
        counted_from: datetime | None = None,
    ) -> None:
        """Take up what an earlier process knew. Raises SpoolError for an entry that cannot be read.

        ``counted_from``: what lasts is counted from then, because the earlier process's clock may have been wrong.
        """
        for pod in known:
            try:
                entry = _READER.decode(pod.entry)
            except (msgspec.DecodeError, ValueError) as error:
                raise SpoolError(f"the spool's entry of pod {pod.uid} cannot be read: {error}") from error
            if counted_from is not None:
                entry = recount(entry, counted_from)
            tracked = TrackedPod(entry=entry, seen=False, reported_before=reported.get(pod.uid, frozenset()))
            self.put(tracked)
            self._unseen.add(pod.uid)
            self.pack(tracked)
        self._unseen &= self._packed.keys()

    def unseen(self) -> list[TrackedPod]:
        """Restored pods of which this process has had no news."""
        unpacked = [tracked for tracked in self._unpacked.values() if not tracked.seen]
        return [*unpacked, *map(self._peek, self._unseen)]

    def without_state(self, uids: Collection[str]) -> dict[str, PodReference]:
        """Those that still exist but have no cached state."""
        packed = {uid: self._peek(uid).entry.reference for uid in uids if uid in self._packed}
        unpacked = (tracked for tracked in self._of(uids) if tracked.pod is None and not tracked.left)
        return packed | {tracked.entry.reference.uid: tracked.entry.reference for tracked in unpacked}

    def held(self) -> int:
        return sum(tracked.held and not tracked.left for tracked in self._unpacked.values())

    def releasable(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those that carry our finalizer and have nothing left to report."""
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
            kill_timeout=self._kill_timeout if self._doubt() is None else None,
        )

    def _of(self, uids: Iterable[str]) -> Iterator[TrackedPod]:
        """Those of the pods that are unpacked: a packed one is neither held nor removed."""
        found = (self._unpacked.get(uid) for uid in uids)
        return (tracked for tracked in found if tracked is not None)

    def _peek(self, uid: str) -> TrackedPod:
        entry = unpack(self._packed[uid], uid=uid)
        return TrackedPod(entry=entry, due_at=entry.due_at, seen=uid not in self._unseen)
