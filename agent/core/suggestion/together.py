"""Whether the pods of a Job need one another: then one that is replaced alone is of no use to the others."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agent.core.job.plain import Plain
from agent.core.job.words import INDEXED
from agent.core.suggestion.change import list_at, mapping_at


class Relation(StrEnum):
    """How pods of a Job depend on one another."""

    INDEPENDENT = "independent"
    TOGETHER = "together"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """The relation of a Job's pods, and the sign by which it is known."""

    relation: Relation
    because: str


_GANGS: Final = (
    "armadaproject.io/gangId",
    "kueue.x-k8s.io/pod-group-name",
    "kueue.x-k8s.io/podset-preferred-topology",
    "kueue.x-k8s.io/podset-required-topology",
    "leaderworkerset.sigs.k8s.io/name",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.k8s.io/group-name",
    "scheduling.x-k8s.io/pod-group",
    "training.kubeflow.org/job-name",
    "yunikorn.apache.org/task-groups",
)
"""Labels and annotations by which schedulers start pods together, or near one another."""

_JOB_SET: Final = "jobset.sigs.k8s.io/jobset-name"
_JOB_NAMES: Final = ("batch.kubernetes.io/job-name", "job-name")

_MEETING: Final = re.compile(
    r"(?:PET_)?MASTER_ADDR|(?:PET_)?NNODES|(?:PET_)?RDZV_ENDPOINT|WORLD_SIZE|(?:JAX_)?COORDINATOR_ADDRESS|TF_CONFIG"
    r"|TPU_WORKER_HOSTNAMES|DMLC_PS_ROOT_URI|NCCL_IB_\w+|NCCL_SOCKET_IFNAME|UCX_NET_DEVICES|OMPI_MCA_\w+"
)
"""Variables by which programs in several pods find one another."""

_ITSELF: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_LAUNCHER: Final = re.compile(
    r"(?<![\w.-])(torchrun|torch\.distributed\.(?:run|launch)|accelerate\s+launch|deepspeed|horovodrun|mpirun|mpiexec|"
    r"srun|ray\s+start)(?![\w-]|\.\w)"
)
"""Programs that start one program in several pods."""


def judge(job: Plain, *, services: Sequence[Plain] = ()) -> Judged:
    """Judge the pods of a Job, whose ``spec`` and ``metadata`` this has, by the first sign that they need one another.

    ``services`` are those in the same file. Scripts in images and volumes are not read.
    """
    because = next(_signs(job, services), None)
    if because is not None:
        return Judged(relation=Relation.TOGETHER, because=because)
    return Judged(relation=Relation.INDEPENDENT, because=_alone(mapping_at(job, ("spec",))))


def _signs(job: Plain, services: Sequence[Plain]) -> Iterator[str]:
    yield from _gangs(job)
    pod = mapping_at(job, ("spec", "template", "spec"))
    if pod.get("subdomain"):
        yield f"`subdomain: {pod['subdomain']}` gives the pods names by which they find one another"
    yield from _services(job, services)
    containers = [*list_at(pod, ("containers",)), *list_at(pod, ("initContainers",))]
    for container in containers:
        yield from _meeting(container)
    spec = mapping_at(job, ("spec",))
    if _at_once(spec):
        for container in containers:
            yield from _launched(container)
        yield from _on_devices(spec, containers)


def _gangs(job: Plain) -> Iterator[str]:
    written = [
        key
        for at in (("metadata",), ("spec", "template", "metadata"))
        for kind in ("labels", "annotations")
        for key in mapping_at(job, (*at, kind))
    ]
    if _JOB_SET in written:
        yield "the Job belongs to a JobSet"
    yield from (f"`{key}` starts the pods as a group" for key in _GANGS if key in written)


def _services(job: Plain, services: Sequence[Plain]) -> Iterator[str]:
    labels = dict(mapping_at(job, ("spec", "template", "metadata", "labels")))
    labels |= dict.fromkeys(_JOB_NAMES, mapping_at(job, ("metadata",)).get("name"))
    for service in services:
        spec, name = mapping_at(service, ("spec",)), mapping_at(service, ("metadata",)).get("name")
        selected = mapping_at(spec, ("selector",))
        if spec.get("clusterIP") == "None" and selected and selected.items() <= labels.items():
            yield f"the headless Service {name} gives the pods names by which they find one another"


def _meeting(container: Plain) -> Iterator[str]:
    for variable in list_at(container, ("env",)):
        name = str(variable.get("name"))
        if _MEETING.fullmatch(name) and variable.get("value") not in _ITSELF:
            yield f"the variable {name} of container {container.get('name')} is for programs that run in several pods"


def _launched(container: Plain) -> Iterator[str]:
    words = [*list_at(container, ("command",)), *list_at(container, ("args",))]
    found = _LAUNCHER.search(" ".join(str(word) for word in words))
    if found:
        yield f"container {container.get('name')} runs `{' '.join(found[0].split())}`, and all pods run at once"


def _on_devices(spec: Plain, containers: Sequence[Plain]) -> Iterator[str]:
    """Indexed pods on devices that all run at once are usually one program, unless each index is counted by itself."""
    devices = [
        resource
        for container in containers
        for resource in mapping_at(container, ("resources", "limits"))
        if "/" in str(resource)
    ]
    if devices and spec.get("completionMode") == INDEXED and spec.get("backoffLimitPerIndex") is None:
        yield f"all {spec.get('completions')} indexes run at once, each with {devices[0]}, and have one limit"


def _at_once(spec: Plain) -> bool:
    parallelism, completions = spec.get("parallelism"), spec.get("completions")
    if not isinstance(parallelism, int) or parallelism <= 1:
        return False
    return not isinstance(completions, int) or parallelism >= completions > 1


def _alone(spec: Plain) -> str:
    parallelism, completions = spec.get("parallelism", 1), spec.get("completions")
    if parallelism in (0, 1) or completions == 1:
        return "one pod runs at a time"
    if isinstance(parallelism, int) and isinstance(completions, int) and parallelism < completions:
        return f"at most {parallelism} of {completions} pods run at once"
    if spec.get("backoffLimitPerIndex") is not None:
        return "each index has a limit of its own"
    return "there is no sign that they need one another"
