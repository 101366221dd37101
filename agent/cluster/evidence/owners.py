"""What owners of pods submitted, and what stands for them: pod templates, and the Workloads of Kueue. No I/O."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from agent.kube import objects
from agent.observe.templates import JOB_SET_UID, Names, made_of, templates


class Owners:
    """The names of each pod template's containers, and the Workloads of each owner.

    Those of an owner that is gone stay for ``age``: pods outlive it.
    """

    def __init__(self, *, age: timedelta) -> None:
        self._age = age
        self._templates: dict[str, tuple[tuple[str, Names], ...]] = {}
        self._owned_by: dict[str, tuple[str, ...]] = {}
        self._workloads: dict[str, frozenset[str]] = {}
        self._gone: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._templates)

    def put(self, owner: objects.Job | objects.JobSet | objects.MetadataOnly) -> None:
        uid = owner.metadata.uid or ""
        if isinstance(owner, objects.MetadataOnly):
            self._put_workload(uid, owner)
        else:
            self._templates[uid] = tuple(templates(owner))
        self._gone.pop(uid, None)

    def remove(self, uid: str, *, now: datetime) -> None:
        if uid in self._templates or uid in self._owned_by:
            self._gone.setdefault(uid, now)
        for old in [gone for gone, since in self._gone.items() if now - since > self._age]:
            self._templates.pop(old, None)
            self._remove_workload(old)
            del self._gone[old]

    def above(self, pod: objects.Pod) -> Iterator[str]:
        """The uids of what the pod belongs to: its JobSet, its controllers, and the Workloads of these and of the pod.

        Their events are about this pod too.
        """
        job_set = (pod.metadata.labels or {}).get(JOB_SET_UID)
        owners = [
            reference.uid for reference in pod.metadata.ownerReferences or () if reference.controller and reference.uid
        ]
        if job_set:
            owners.append(job_set)
        yield from owners
        for uid in (*owners, pod.metadata.uid or ""):
            yield from self._workloads.get(uid, ())

    def _put_workload(self, uid: str, workload: objects.MetadataOnly) -> None:
        self._remove_workload(uid)
        self._owned_by[uid] = tuple(
            reference.uid for reference in workload.metadata.ownerReferences or () if reference.uid
        )
        for owner in self._owned_by[uid]:
            self._workloads[owner] = self._workloads.get(owner, frozenset()) | {uid}

    def _remove_workload(self, uid: str) -> None:
        for owner in self._owned_by.pop(uid, ()):
            if rest := self._workloads.pop(owner, frozenset()) - {uid}:
                self._workloads[owner] = rest

    def template(self, pod: objects.Pod) -> Names | None:
        """The containers that the pod's owner submitted; ``None`` if not known. A JobSet counts before its Job."""
        for uid, wanted in made_of(pod):
            for name, names in self._templates.get(uid, ()):
                if name == wanted:
                    return names
        return None
