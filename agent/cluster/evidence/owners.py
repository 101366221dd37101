"""What owners of pods submitted: the container names in the pod templates of Jobs and JobSets. No I/O."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from sys import intern
from typing import Final

from agent.kube import objects

JOB_SET_UID: Final = "jobset.sigs.k8s.io/jobset-uid"
REPLICATED_JOB: Final = "jobset.sigs.k8s.io/replicatedjob-name"

Names = tuple[str, ...]
"""Names of containers, init containers too."""


class Owners:
    """The names of each pod template's containers. Those of an owner that is gone stay for ``age``: pods outlive it."""

    def __init__(self, *, age: timedelta) -> None:
        self._age = age
        self._templates: dict[str, tuple[tuple[str, Names], ...]] = {}
        self._gone: dict[str, datetime] = {}

    def __len__(self) -> int:
        return len(self._templates)

    def put(self, owner: objects.Job | objects.JobSet) -> None:
        uid = owner.metadata.uid or ""
        self._templates[uid] = tuple(_templates(owner))
        self._gone.pop(uid, None)

    def remove(self, uid: str, *, now: datetime) -> None:
        if uid in self._templates:
            self._gone.setdefault(uid, now)
        for old in [gone for gone, since in self._gone.items() if now - since > self._age]:
            del self._templates[old], self._gone[old]

    def template(self, pod: objects.Pod) -> Names | None:
        """The containers that the pod's owner submitted; ``None`` if not known. A JobSet counts before its Job."""
        for uid, wanted in _wanted(pod):
            for name, names in self._templates.get(uid, ()):
                if name == wanted:
                    return names
        return None


def _templates(owner: objects.Job | objects.JobSet) -> Iterator[tuple[str, Names]]:
    """Each template with the name of its replicated job; a Job has one, without a name."""
    if isinstance(owner, objects.Job):
        yield "", _names(owner.spec.template.spec)
        return
    for replicated in owner.spec.replicatedJobs or ():
        yield intern(replicated.name or ""), _names(replicated.template.spec.template.spec)


def _names(spec: objects.PodSpec) -> Names:
    containers = (*(spec.containers or ()), *(spec.initContainers or ()))
    return tuple(intern(each.name) for each in containers if each.name)


def _wanted(pod: objects.Pod) -> Iterator[tuple[str, str]]:
    labels = pod.metadata.labels or {}
    job_set, replicated = labels.get(JOB_SET_UID), labels.get(REPLICATED_JOB)
    if job_set and replicated:
        yield job_set, replicated
    for owner in pod.metadata.ownerReferences or ():
        if owner.controller and owner.uid:
            yield owner.uid, ""
