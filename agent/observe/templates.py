"""The containers that owners of pods submitted: those in the pod templates of Jobs and JobSets."""

from collections.abc import Iterable, Iterator
from sys import intern
from typing import Final

from agent.kube import objects

JOB_SET_UID: Final = "jobset.sigs.k8s.io/jobset-uid"
REPLICATED_JOB: Final = "jobset.sigs.k8s.io/replicatedjob-name"
JOB_SET_NAME: Final = "jobset.sigs.k8s.io/jobset-name"

Names = tuple[str, ...]
"""Names of containers, init containers too."""

Owner = objects.Job | objects.JobSet


def template_of(pod: objects.Pod, owners: Iterable[Owner]) -> Names | None:
    """The containers that the pod's owners submitted; ``None`` if not known."""
    by_uid = {owner.metadata.uid: dict(templates(owner)) for owner in owners}
    known = (by_uid.get(uid, {}).get(name) for uid, name in made_of(pod))
    return next((names for names in known if names is not None), None)


def templates(owner: Owner) -> Iterator[tuple[str, Names]]:
    """Each template with the name of its replicated job; a Job has one, without a name."""
    if isinstance(owner, objects.Job):
        yield "", _names(owner.spec.template.spec)
        return
    for replicated in owner.spec.replicatedJobs or ():
        yield intern(replicated.name or ""), _names(replicated.template.spec.template.spec)


def made_of(pod: objects.Pod) -> Iterator[tuple[str, str]]:
    """The uid of each owner that may have the pod's template, and the template's name there. A JobSet comes first."""
    labels = pod.metadata.labels or {}
    job_set, replicated = labels.get(JOB_SET_UID), labels.get(REPLICATED_JOB)
    if job_set and replicated:
        yield job_set, replicated
    for owner in pod.metadata.ownerReferences or ():
        if owner.controller and owner.uid:
            yield owner.uid, ""


def _names(spec: objects.PodSpec) -> Names:
    containers = (*(spec.containers or ()), *(spec.initContainers or ()))
    return tuple(intern(container.name) for container in containers if container.name)
