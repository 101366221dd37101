"""Finds the Job that made a pod, and the JobSet that made the Job, among the objects of the same input.

They may come after their pods, as kubectl lists them. Pods wait for them, up to a number, and stay in their order.
"""

from collections import deque
from collections.abc import Iterator
from typing import Final, NamedTuple

from agent.diagnose.subject import Subject, with_owners
from agent.kube import objects
from agent.observe.templates import JOB_SET_NAME, Owner

MOST: Final = 5_000
"""Pods that wait for their owners. More are diagnosed without those that come later."""


class Key(NamedTuple):
    """What an owner is known by."""

    kind: str
    namespace: str
    name: str


class Families:
    """Owners by what they are, and the pods that wait for them.

    ``late`` are the owners that came after pods of theirs were given.
    """

    def __init__(self, *, most: int = MOST) -> None:
        self.late: list[Key] = []
        self._most = most
        self._owners: dict[Key, Owner] = {}
        self._named: set[Key] = set()
        self._waiting: deque[Subject] = deque()

    @property
    def without_pods(self) -> tuple[Key, ...]:
        """The owners that none of the pods names."""
        return tuple(key for key in self._owners if key not in self._named)

    def know(self, owner: Owner) -> Iterator[Subject]:
        """Add an owner; the subjects that waited for it, and for nothing else."""
        kind = "Job" if isinstance(owner, objects.Job) else "JobSet"
        key = Key(kind, owner.metadata.namespace or "", owner.metadata.name or "")
        if key in self._named and key not in self._owners:
            self.late.append(key)
        self._owners[key] = owner
        yield from self._given(waits=True)

    def add(self, subject: Subject, *, waits: bool) -> Iterator[Subject]:
        """Add a subject, which ``waits`` for owners that may come; those that need not wait any longer."""
        self._waiting.append(subject)
        yield from self._given(waits=waits)

    def rest(self) -> Iterator[Subject]:
        """The subjects that still wait; nothing more comes."""
        yield from self._given(waits=False)

    def _given(self, *, waits: bool) -> Iterator[Subject]:
        while self._waiting and not (waits and len(self._waiting) <= self._most and self._lacks(self._waiting[0])):
            yield self._complete(self._waiting.popleft())

    def _lacks(self, subject: Subject) -> bool:
        return any(key not in self._owners for key in _keys(subject))

    def _complete(self, subject: Subject) -> Subject:
        keys = _keys(subject)
        self._named.update(keys)
        owners = tuple(self._owners[key] for key in keys if key in self._owners)
        return with_owners(subject, owners) if owners else subject


def _keys(subject: Subject) -> tuple[Key, ...]:
    """Whom a pod names as its Job and the JobSet above it; nobody for one that has its owners with it."""
    if subject.pod is None or subject.owners:
        return ()
    meta = subject.pod.metadata
    namespace, job_set = meta.namespace or "", (meta.labels or {}).get(JOB_SET_NAME)
    jobs = [owner.name or "" for owner in meta.ownerReferences or () if owner.controller and owner.kind == "Job"]
    sets = [job_set] if jobs and job_set else []
    return (*(Key("Job", namespace, name) for name in jobs), *(Key("JobSet", namespace, name) for name in sets))
