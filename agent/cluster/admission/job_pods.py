"""The pods of Jobs as far as a limit of conditions needs them: which index a pod is of, and which pods have conditions.

The watch says what is true. A condition that was just given is counted before the watch shows it, for a while: the
write may have failed, and a request may have been made up. So only pods that the watch knows are counted, under the
index that it knows.

No I/O; ``now`` is seconds of a monotonic clock.
"""

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from sys import intern
from typing import Final, NamedTuple

from agent.core.job.pod import INDEX, read_index
from agent.kube import objects
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.success import FINISHED
from agent.observe.values import our_conditions

_JOB: Final = "Job"
_GROUP: Final = "batch/"
SHOWN_WITHIN: Final = 30.0
"""Seconds in which the watch shows a condition that was given; after that it counts no more."""


class Index(NamedTuple):
    """What a limit is for: an index of an Indexed Job, or all of another Job (``number`` is ``None``).

    With its namespace: nobody checks the uid of a Job that pods of another namespace name as their controller.
    """

    namespace: str
    job: str
    number: int | None


@dataclass(frozen=True, slots=True)
class _Given:
    index: Index
    types: frozenset[str]
    at: float


class JobPods:
    """The index of each pod of a Job that has not ended, and the pods that have conditions of ours, by index.

    Those of deleted pods are remembered for ``age`` seconds: whoever cleans up would lift the limit otherwise. At most
    ``at_most`` pods with conditions are remembered; the first of those that were deleted are dropped first.
    """

    def __init__(self, *, age: float, at_most: int) -> None:
        self._age = age
        self._at_most = at_most
        self._alive: dict[str, Index] = {}
        self._carried: dict[str, tuple[Index, frozenset[str]]] = {}
        self._by_index: dict[Index, set[str]] = {}
        self._given: dict[str, _Given] = {}
        self._deleted: OrderedDict[str, float] = OrderedDict()

    def __len__(self) -> int:
        return len(self._carried)

    @property
    def full(self) -> bool:
        """Whether no more can be counted: every pod that is remembered still exists."""
        return len(self._carried) >= self._at_most and not self._deleted

    def on_change(self, change: Change[objects.Pod, None], *, now: float) -> bool:
        """Take what the watch reports. Returns whether a pod has a condition that nobody here has given."""
        is_new = change.object is not None and self._put(change.uid, change.object, now)
        if change.kind is ChangeKind.DELETED:
            self._forget(change.uid, now)
        return is_new

    def index(self, uid: str) -> Index | None:
        """The index of a pod that has not ended; ``None`` if the watch has not shown it, or no Job controls it."""
        return self._alive.get(uid)

    def count(self, index: Index, kind: str, *, without: str, now: float) -> int:
        """How many pods of an index have this type of condition, or were just given it; all but one pod."""
        return sum(kind in types for uid, types in self._of_index(index, now) if uid != without)

    def given(self, uid: str) -> frozenset[str] | None:
        """The conditions that a pod that has not ended was given; ``None`` if it was given none."""
        given, carried = self._given.get(uid), self._carried.get(uid)
        if given is not None:
            return given.types
        return None if carried is None else carried[1]

    def give(self, uid: str, types: frozenset[str], *, now: float) -> None:
        """A pod that has not ended is given these conditions: count them until the watch says what is true."""
        index = self._alive[uid]
        self._given[uid] = _Given(index, types, now)
        self._by_index.setdefault(index, set()).add(uid)

    def carry(self, uid: str, types: frozenset[str], *, now: float) -> None:
        """A pod that has not ended would be given these conditions: count them as if the watch had shown them."""
        self._carry(uid, self._alive[uid], types, now)

    def _put(self, uid: str, pod: objects.Pod, now: float) -> bool:
        found = index_of(pod)
        if found is None:
            return False
        index = self._known(uid) or found
        if pod.status.phase not in FINISHED:
            self._alive[uid] = index
            return False
        self._alive.pop(uid, None)
        given = self._given.pop(uid, None)
        types = our_conditions(pod)
        if types:
            is_new = given is None and uid not in self._carried
            self._carry(uid, index, types, now)
            return is_new
        if given is not None and uid not in self._carried:
            self._drop_from_index(uid, given.index)
        return False

    def _known(self, uid: str) -> Index | None:
        """The index with which the watch first showed a pod: its user may change the annotation later."""
        carried = self._carried.get(uid)
        return self._alive.get(uid) if carried is None else carried[0]

    def _carry(self, uid: str, index: Index, types: frozenset[str], now: float) -> None:
        self._carried[uid] = index, types
        self._by_index.setdefault(index, set()).add(uid)
        while self._deleted and (len(self._carried) > self._at_most or self._is_old(now)):
            self._drop(next(iter(self._deleted)))

    def _is_old(self, now: float) -> bool:
        return now - next(iter(self._deleted.values())) > self._age

    def _forget(self, uid: str, now: float) -> None:
        self._alive.pop(uid, None)
        given = self._given.pop(uid, None)
        if uid in self._carried:
            self._deleted[uid] = now
        elif given is not None:
            self._drop_from_index(uid, given.index)

    def _drop(self, uid: str) -> None:
        del self._deleted[uid]
        index, _ = self._carried.pop(uid)
        self._drop_from_index(uid, index)

    def _drop_from_index(self, uid: str, index: Index) -> None:
        pods = self._by_index.get(index, set())
        pods.discard(uid)
        if not pods:
            self._by_index.pop(index, None)

    def _of_index(self, index: Index, now: float) -> Iterator[tuple[str, frozenset[str]]]:
        for uid in tuple(self._by_index.get(index, ())):
            if (carried := self._carried.get(uid)) is not None:
                yield uid, carried[1]
            elif (given := self._given.get(uid)) is not None and now - given.at <= SHOWN_WITHIN:
                yield uid, given.types
            else:
                self._given.pop(uid, None)
                self._drop_from_index(uid, index)


def index_of(pod: objects.Pod) -> Index | None:
    """The index of a pod; ``None`` if no Job controls it."""
    owner = next((owner for owner in pod.metadata.ownerReferences or () if owner.controller), None)
    if owner is None or owner.kind != _JOB or not owner.uid or not (owner.apiVersion or "").startswith(_GROUP):
        return None
    number = read_index((pod.metadata.annotations or {}).get(INDEX))
    return Index(intern(pod.metadata.namespace or ""), intern(owner.uid), number)
