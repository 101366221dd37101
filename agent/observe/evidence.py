"""Evidence: slim objects become what classification reads, with control characters stripped."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from agent.core.classify.disruption import came_late
from agent.core.classify.matchers.pod_error import joined_errors
from agent.core.evidence import Container, Event, Evidence, LogTail, MissingEvidence, Pod, Specified, StateKind
from agent.core.failure import Occurrence
from agent.core.summary.submission import Submission
from agent.kube import objects
from agent.observe.containers import read_containers
from agent.observe.controller import controller_of
from agent.observe.events import rank
from agent.observe.folded_lines import unfolded
from agent.observe.injection import submission
from agent.observe.node import read_node
from agent.observe.node_clock import NodeClock, wrong_clock
from agent.observe.signs import PLATFORM_CONDITIONS
from agent.observe.text import strip, strip_evidence
from agent.observe.values import aware, read_conditions

_MEMORY = "memory"
_SHORTEST_NAME = 12
"""Characters of a name by which the node's log may mention a pod; device plugins may call their devices 0 and 1."""


def read_evidence(  # noqa: PLR0913 - each is a source of evidence of its own
    pod: objects.Pod,
    *,
    occurrence: Occurrence,
    container: str | None = None,
    events: Sequence[Event] = (),
    node: objects.Node | None = None,
    node_log: Sequence[str] = (),
    log_tails: Sequence[LogTail] = (),
    missing: Sequence[MissingEvidence] = (),
    submitted: Submission | None = None,
) -> Evidence:
    """What is known about the pod, with every text stripped.

    ``container`` is the one whose restart in place is reported. ``events`` are those about this pod, in any order.
    ``submitted`` is read from the pod's annotation unless given.
    """
    wrong = wrong_clock(pod)
    containers = read_containers(
        pod,
        occurrence=occurrence,
        restarted=container,
        submission=submitted or submission(pod),
        time=aware if wrong is None else wrong.by_server,
    )
    seen = _read_pod(pod, containers, wrong)
    return strip_evidence(
        Evidence(
            pod=seen,
            pod_error=seen.message or joined_errors(containers) or _joined_waits(seen),
            events=rank(events if wrong is None else wrong.events(events)),
            node=read_node(node, name=pod.spec.nodeName or "", log_lines=node_log),
            log_tails=tuple(map(unfolded, log_tails)),
            missing=tuple(missing),
            deletion_requested_at=_deletion_requested_at(pod.metadata),
            unlimited=_unlimited(pod.spec),
            specified=_specified(pod.spec),
            deadline_seconds=pod.spec.activeDeadlineSeconds,
            namespace=strip(pod.metadata.namespace or ""),
            known_as=_known_as(pod) if node_log else (),
        )
    )


def _deletion_requested_at(metadata: objects.Metadata) -> datetime | None:
    """When somebody asked to delete the pod: ``deletionTimestamp`` is when its grace period ends."""
    ends = aware(metadata.deletionTimestamp)
    if ends is None:
        return None
    try:
        return ends - timedelta(seconds=metadata.deletionGracePeriodSeconds or 0)
    except OverflowError:  # no time that UTC can express
        return ends


def _unlimited(spec: objects.PodSpec) -> tuple[str, ...]:
    """The containers that no memory limit applies to; one whose resources are not given is unknown."""
    if (of_pod := spec.resources) is not None and (of_pod.limits or {}).get(_MEMORY) is not None:
        return ()
    return tuple(
        [
            container.name or ""
            for container in (*(spec.containers or ()), *(spec.initContainers or ()))
            if (given := container.resources) is not None
            and ((limits := given.limits) is None or limits.get(_MEMORY) is None)
        ]
    )


def _specified(spec: objects.PodSpec) -> tuple[Specified, ...]:
    """The resources of each container, and those of the pod; of most failures nobody reads them."""
    found = [
        Specified(name=container.name or "", limits=given.limits, requests=given.requests)
        for container in (*(spec.containers or ()), *(spec.initContainers or ()))
        if (given := container.resources) is not None
    ]
    if (of_pod := spec.resources) is not None:
        found.append(Specified(limits=of_pod.limits, requests=of_pod.requests))
    return tuple(found)


def _known_as(pod: objects.Pod) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for name in _names_on_node(pod) if len(name) >= _SHORTEST_NAME))


def _names_on_node(pod: objects.Pod) -> Iterator[str]:
    """The names under which the node's log may mention this pod.

    They are its uid, which systemd writes with underscores in the names of cgroups, the ids of its containers, and the
    devices that the kubelet gave them.
    """
    if uid := pod.metadata.uid:
        yield uid
        yield uid.replace("-", "_")
    status = pod.status
    for container in (*(status.containerStatuses or ()), *(status.initContainerStatuses or ())):
        ended = [
            state.terminated.containerID
            for state in (container.state, container.lastState)
            if state and state.terminated
        ]
        for identifier in (container.containerID, *ended):
            if identifier:
                yield identifier.rpartition("//")[2]
        for allocated in container.allocatedResourcesStatus or ():
            yield from (device.resourceID for device in allocated.resources or () if device.resourceID)


def _read_pod(pod: objects.Pod, containers: tuple[Container, ...], wrong: NodeClock | None) -> Pod:
    status = pod.status
    started, conditions = aware(status.startTime), read_conditions(status.conditions)
    if wrong is not None:
        started, conditions = wrong.by_server(started), wrong.conditions(conditions)
    return Pod(
        phase=status.phase or "",
        reason=status.reason or "",
        message=status.message or "",
        qos_class=status.qosClass or "",
        started_at=started,
        deleted_at=aware(pod.metadata.deletionTimestamp),
        conditions=conditions,
        containers=containers,
        restart_policy=pod.spec.restartPolicy or "",
        controller=controller_of(pod),
    )


def _joined_waits(pod: Pod) -> str:
    """If no container failed: why the pod will be ended or cannot be scheduled, and why containers wait."""
    conditions = [
        f"{condition.type}: {condition.message}\n"
        for condition in pod.conditions
        if condition.message
        and PLATFORM_CONDITIONS.get(condition.type) == condition.status
        and not came_late(condition, pod)
    ]
    waits = (
        f"Container {container.name} waits because {container.state.reason}: {container.state.message}\n"
        for container in pod.containers
        if container.state.kind is StateKind.WAITING and (container.state.message or " " in container.state.reason)
    )
    return "".join((*conditions, *waits))
