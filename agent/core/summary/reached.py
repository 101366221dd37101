"""Which limit was reached, with its value and what was used, where the status, the spec, events or messages say it.

The forms of messages are those of the kubelet (Kubernetes, pkg/kubelet: eviction/helpers.go, lifecycle/predicate.go),
the API server (plugin/resourcequota), the scheduler (noderesources), the kernel (mm/memcontrol.c) and PyTorch
(c10/cuda/CUDACachingAllocator.cpp).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
from fractions import Fraction
from itertools import chain
from typing import Final, NamedTuple

from agent.core.classify.matchers.pod_error import trust_in_pod_error
from agent.core.evidence import Container, ContainerKind, Evidence
from agent.core.failure import Occurrence, ReachedLimit, Trust
from agent.core.summary.bounds import WORD_BYTES, cut
from agent.core.units import about, in_bytes, in_words, parse, whole_number

_MEMORY: Final = "memory"
_QUANTITY: Final = r"[0-9][0-9A-Za-z.]{0,30}"
_NAME: Final = r"[^\s\"',;]{1,100}"


class _Form(NamedTuple):
    """A form of messages: words that each has, by which most texts are passed by quickly, and its pattern.

    Patterns are compiled when the words are first found: starting ``failctl`` should not take that time.
    """

    words: str
    pattern: str

    def found(self, text: str) -> Iterator[re.Match[str]]:
        return re.finditer(self.pattern, text) if self.words in text else iter(())


_NODE_LOW: Final = _Form(
    "low on resource",
    rf"The node was low on resource: (?P<resource>[a-z-]{{1,40}})\."
    rf"(?: Threshold quantity: (?P<threshold>{_QUANTITY}), available: (?P<available>{_QUANTITY})\.)?",
)
_CONSUMER: Final = _Form(
    "was using",
    rf"Container (?P<name>{_NAME}) was using (?P<used>{_QUANTITY}),"
    rf" (?:request is|which exceeds its request of) (?P<request>{_QUANTITY}?)[.,]",
)
_TOTAL: Final = _Form("total limit", rf"usage exceeds the total limit of containers (?P<limit>{_QUANTITY}?)\.")
_OWN_STORAGE: Final = _Form(
    "local ephemeral storage",
    rf"Container (?P<name>{_NAME}) exceeded its local ephemeral storage limit \"(?P<limit>{_QUANTITY})\"",
)
_EMPTY_DIR: Final = _Form(
    "EmptyDir", rf"Usage of EmptyDir volume \"(?P<name>{_NAME})\" exceeds the limit \"(?P<limit>{_QUANTITY})\""
)
_NO_ROOM: Final = _Form(
    "enough resource",
    rf"Node didn't have enough resource: (?P<resource>{_NAME}), requested: (?P<requested>[0-9]{{1,20}}),"
    r" used: (?P<used>[0-9]{1,20}), capacity: (?P<capacity>[0-9]{1,20})",
)
_DEVICES: Final = _Form(
    "devices unavailable",
    rf"requested number of devices unavailable for (?P<resource>{_NAME})\. Requested: (?P<requested>[0-9]{{1,9}}),"
    r" Available: (?P<available>[0-9]{1,9})",
)
_QUOTA: Final = _Form(
    "xceeded quota",
    r"xceeded quota: (?P<name>[^\s,]{1,253}), requested: (?P<requested>[^\s]{1,400}), used: (?P<used>[^\s]{1,400}),"
    r" limited: (?P<limited>[^\s\"';)]{1,400})",
)
_SHORT: Final = _Form("Insufficient", r"\bInsufficient (?P<resource>[A-Za-z0-9./_-]{1,100}[A-Za-z0-9])")
_CGROUP: Final = _Form("memory: usage", r"memory: usage (?P<used>[0-9]{1,15})kB, limit (?P<limit>[0-9]{1,15})kB")
_SIZE: Final = r"[0-9.]{1,12} (?:[KMGT]i?B|bytes)"
_GPU: Final = _Form(
    "Tried to allocate",
    rf"Tried to allocate (?P<more>{_SIZE})\W{{1,3}}GPU (?P<gpu>[0-9]{{1,4}})"
    rf"(?:; (?P<total>{_SIZE}) total capacity; (?P<had>{_SIZE}) already allocated"
    rf"| has a total capac\w{{2,4}} of (?P<capacity>{_SIZE}) of which (?P<free>{_SIZE}) is free)",
)


def reached_limit(evidence: Evidence, culprit: Container | None, *, occurrence: Occurrence) -> ReachedLimit | None:
    """The limit, each text within that of a word; ``None`` if none was reached, or nothing says which."""
    found = next(_found(evidence, culprit, occurrence), None)
    if found is None:
        return None
    return ReachedLimit(
        what=cut(found.what, WORD_BYTES), limit=cut(found.limit, WORD_BYTES), used=cut(found.used, WORD_BYTES)
    )


def _found(evidence: Evidence, culprit: Container | None, occurrence: Occurrence) -> Iterator[ReachedLimit]:
    """What says most about the end first: the status, then what the system says, then what the program wrote."""
    if culprit is not None and culprit.ended is not None and culprit.ended.reason == "OOMKilled":
        yield from _of_memory(evidence, culprit)
    if evidence.deadline_seconds is not None:
        yield from _of_deadline(evidence, evidence.deadline_seconds, occurrence)
    for text in filter(None, _of_system(evidence)):
        yield from _of_eviction(text)
        yield from _of_admission(text)
    if culprit is None or culprit.ended is None:
        yield from _of_creation(evidence)
    if culprit is not None:
        yield from _of_gpu(evidence, culprit)


def _of_system(evidence: Evidence) -> Iterator[str]:
    """What the kubelet says of the pod's end, and no program; a message without a pod may be the kubelet's."""
    yield evidence.pod.message
    if evidence.pod_error and (not evidence.pod.phase or trust_in_pod_error(evidence) is Trust.SYSTEM):
        yield evidence.pod_error
    for event in evidence.events:
        if event.reason == "Evicted":
            yield event.message


def _of_memory(evidence: Evidence, culprit: Container) -> Iterator[ReachedLimit]:
    own, of_pod = _limit_of(evidence, culprit.name), _limit_of(evidence, "")
    if own:
        yield ReachedLimit(
            what=f"memory limit of container {culprit.name}", limit=own, used=_used_by_cgroup(evidence, own)
        )
    elif of_pod:
        yield ReachedLimit(what="memory limit of the pod", limit=of_pod, used=_used_by_cgroup(evidence, of_pod))
    elif culprit.name in evidence.unlimited:
        yield ReachedLimit(what="memory of the node", limit=f"container {culprit.name} has no limit of its own")


def _limit_of(evidence: Evidence, name: str) -> str:
    """The memory limit of a container, or of the pod; empty if it has none, or that is not known."""
    limits = (_quantities(specified.limits) for specified in evidence.specified if specified.name == name)
    return next((found[_MEMORY] for found in limits if found.get(_MEMORY)), "")


def _quantities(written: Mapping[str, str | float | None] | None) -> Mapping[str, str]:
    """What is a quantity: only an API server refuses anything else."""
    return {
        resource: str(quantity) for resource, quantity in (written or {}).items() if whole_number(quantity) is not None
    }


def _used_by_cgroup(evidence: Evidence, limit: str) -> str:
    """What the kernel says was used under this limit; the node's log has lines about other pods, too."""
    lines = () if evidence.node is None else evidence.node.log_lines
    for found in (found for line in lines for found in _CGROUP.found(line)):
        if int(found["limit"]) * 1024 == parse(limit):
            return f"{about(in_bytes(int(found['used']) * 1024))} used"
    return ""


def _of_deadline(evidence: Evidence, deadline: int, occurrence: Occurrence) -> Iterator[ReachedLimit]:
    pod = evidence.pod
    if pod.reason != "DeadlineExceeded" and occurrence is not Occurrence.DEADLINE_EXCEEDED:
        return
    ends = [container.ended.finished_at for container in pod.containers if container.ended is not None]
    last = max((end for end in ends if end is not None), default=None)
    ran = timedelta(0) if last is None or pod.started_at is None else last - pod.started_at
    used = f"ended after {in_words(int(ran.total_seconds()))}" if ran > timedelta(0) else ""
    yield ReachedLimit(what="activeDeadlineSeconds of the pod", limit=f"{deadline} s", used=used)


def _of_eviction(text: str) -> Iterator[ReachedLimit]:
    for found in _NODE_LOW.found(text):
        resource, threshold = found["resource"], found["threshold"]
        left = f"{about(found['available'])} available" if threshold else ""
        consumers = (
            f"container {consumer['name']} used {about(consumer['used'])}, requested {about(consumer['request'])}"
            for consumer in _CONSUMER.found(text)
        )
        used = "; ".join(filter(None, (left, *consumers)))
        if used:
            limit = f"eviction threshold {about(threshold)}" if threshold else "too little was left"
            yield ReachedLimit(what=f"{resource} of the node", limit=limit, used=used)
    for found in _TOTAL.found(text):
        yield ReachedLimit(what="ephemeral storage limit of the pod's containers", limit=found["limit"])
    for found in _OWN_STORAGE.found(text):
        yield ReachedLimit(what=f"ephemeral storage limit of container {found['name']}", limit=found["limit"])
    for found in _EMPTY_DIR.found(text):
        yield ReachedLimit(what=f"size limit of emptyDir volume {found['name']}", limit=found["limit"])


def _of_admission(text: str) -> Iterator[ReachedLimit]:
    for found in _DEVICES.found(text):
        available, requested = f"{found['available']} available", f"{found['requested']} requested"
        yield ReachedLimit(what=f"{found['resource']} of the node", limit=available, used=requested)
    for found in _NO_ROOM.found(text):
        resource = found["resource"]
        capacity, used, requested = (_counted(resource, int(found[part])) for part in ("capacity", "used", "requested"))
        yield ReachedLimit(what=f"{resource} of the node", limit=capacity, used=f"{used} used, {requested} requested")


def _counted(resource: str, count: int) -> str:
    """As Kubernetes writes quantities: the kubelet counts processors in thousandths, and memory in bytes."""
    if resource == "cpu":
        return f"{count}m" if count % 1000 else str(count // 1000)
    return about(in_bytes(count)) if resource in {_MEMORY, "ephemeral-storage"} else str(count)


def _of_creation(evidence: Evidence) -> Iterator[ReachedLimit]:
    """What kept a pod from being created, or from a node."""
    texts = (evidence.pod_error, *(event.message for event in evidence.events))
    for quota in (found for text in texts for found in _QUOTA.found(text)):
        used = f"{quota['used']} used, {quota['requested']} requested"
        yield ReachedLimit(what=f"quota {quota['name']}", limit=quota["limited"].rstrip(".,"), used=used)
    unbound = (
        condition.message
        for condition in evidence.pod.conditions
        if condition.type == "PodScheduled" and condition.status == "False"
    )
    refused = (event.message for event in evidence.events if event.reason == "FailedScheduling")
    for found in (found for message in (*unbound, *refused) for found in _SHORT.found(message)):
        resource = found["resource"]
        asked = _requested(evidence, resource)
        if asked:
            yield ReachedLimit(what=f"free {resource} of the nodes", limit=f"less than the {asked} requested")


def _requested(evidence: Evidence, resource: str) -> str:
    """What the containers request of a resource together; empty if that is not known."""
    kinds = {container.name: container.kind for container in evidence.pod.containers}
    given = (
        {**_quantities(specified.limits), **_quantities(specified.requests)}
        for specified in evidence.specified
        if kinds.get(specified.name) in {ContainerKind.APP, ContainerKind.SIDECAR}
    )
    total = sum((parse(resources[resource]) for resources in given if resource in resources), start=Fraction(0))
    if not total:
        return ""
    return _counted(resource, int(total * 1000) if resource == "cpu" else int(total))


def _of_gpu(evidence: Evidence, culprit: Container) -> Iterator[ReachedLimit]:
    said = "" if culprit.ended is None else culprit.ended.message
    logs = [tail.text for tail in evidence.log_tails if tail.container == culprit.name]
    for found in chain.from_iterable(map(_GPU.found, (said, *logs))):
        had = f"{found['had']} allocated" if found["had"] else f"{found['free']} free"
        yield ReachedLimit(
            what=f"memory of GPU {found['gpu']}, as the program says",
            limit=found["total"] or found["capacity"],
            used=f"{had}, {found['more']} more requested",
        )
