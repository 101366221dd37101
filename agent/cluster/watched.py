"""The pods that are watched: what is remembered of each, and whether it may be let go of. No I/O."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from agent.cluster.spool_entry import Forgotten, Known
from agent.cluster.spool_schema import SpoolError
from agent.core.failure import PodReference
from agent.kube import objects
from agent.observe.entry import Entry
from agent.observe.occurrence import FINISHED

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(Entry)


@dataclass(slots=True, kw_only=True)
class Watched:
    """One pod.

    ``held``: it carries our finalizer; ``asks``: it does not, and its label asks for it. ``pod`` is its last state,
    kept only while it must be looked at again without news. ``reported`` are the ids of the events spooled of it
    by processes before this one. ``working`` counts events that are not yet given to the spool, ``unsaved`` those
    given and not yet on disk. ``gone``: the API server has it no longer. ``seen``: it has been heard of since this
    process began.
    """

    entry: Entry
    pod: objects.Pod | None = None
    held: bool = False
    asks: bool = False
    gone: bool = False
    seen: bool = True
    working: int = 0
    unsaved: int = 0
    reported: frozenset[str] = frozenset()

    @property
    def over(self) -> bool:
        """Whether nothing more will happen to its run."""
        return self.entry.ended is not None or self.entry.phase in FINISHED

    @property
    def releasable(self) -> bool:
        """Whether our finalizer is on it and all there is to tell was told to the disk."""
        return self.held and not self.gone and self.over and self.working == 0 and self.unsaved == 0

    @property
    def to_hold(self) -> bool:
        """Whether our finalizer is asked for and would still help: the run is not over."""
        return self.asks and not self.gone and not self.over

    def durable(self) -> Known | Forgotten:
        """What the spool should know of it now."""
        uid = self.entry.reference.uid
        return Forgotten(uid=uid) if self.gone else Known(uid=uid, entry=_ENCODER.encode(lasting(self.entry)))


class WatchedPods:
    """All of them, by uid."""

    def __init__(self) -> None:
        self._pods: dict[str, Watched] = {}

    def __len__(self) -> int:
        return len(self._pods)

    def __iter__(self) -> Iterator[Watched]:
        return iter(tuple(self._pods.values()))

    def get(self, uid: str) -> Watched | None:
        """The pod with this uid."""
        return self._pods.get(uid)

    def put(self, watched: Watched) -> None:
        """Watch this pod."""
        self._pods[watched.entry.reference.uid] = watched

    def drop(self, uid: str) -> None:
        """Forget it."""
        self._pods.pop(uid, None)

    def restore(self, known: Iterable[Known], reported: Mapping[str, frozenset[str]]) -> None:
        """Take up what a process before this one knew. Raises SpoolError for an entry that is none."""
        for each in known:
            try:
                entry = _DECODER.decode(each.entry)
            except msgspec.DecodeError as error:
                raise SpoolError(f"the spool's entry of pod {each.uid} cannot be read: {error}") from error
            self.put(Watched(entry=entry, seen=False, reported=reported.get(each.uid, frozenset())))

    def unseen(self) -> list[Watched]:
        """Those restored that have not been heard of since."""
        return [watched for watched in self._pods.values() if not watched.seen]

    def held(self) -> int:
        """How many carry our finalizer."""
        return sum(watched.held and not watched.gone for watched in self._pods.values())

    def releasable(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those that carry our finalizer and of which there is nothing left to report."""
        return {
            watched.entry.reference.uid: watched.entry.reference for watched in self._of(uids) if watched.releasable
        }

    def to_hold(self, uids: Iterable[str]) -> dict[str, PodReference]:
        """Those whose label asks for our finalizer, and which it would still help."""
        return {watched.entry.reference.uid: watched.entry.reference for watched in self._of(uids) if watched.to_hold}

    def _of(self, uids: Iterable[str]) -> Iterator[Watched]:
        found = (self._pods.get(uid) for uid in uids)
        return (watched for watched in found if watched is not None)


def lasting(entry: Entry) -> Entry:
    """The part of an entry that is worth a write: not what every look at the pod changes."""
    return replace(entry, resource_version="", due_at=None)


def only_held(pod: objects.Pod) -> bool:
    """Whether nothing but finalizers keeps a deleted pod on the API server.

    It waits for no kubelet: deleted with grace period 0, as the kubelet does at the end, and the server itself for a
    pod that has no node (Kubernetes pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
    """
    return pod.metadata.deletionTimestamp is not None and pod.metadata.deletionGracePeriodSeconds == 0
