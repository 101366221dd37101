"""A pod that was made for a run of a submitted job: how far the run has come, and whether the pod may still live."""

from datetime import datetime
from typing import Final

from agent.core.evidence import ContainerKind, StateKind
from agent.core.identity.labels import CONTAINERS, DISCARD_REQUESTED, JOB, RUN, START_GATE, STOP_REQUESTED
from agent.core.lifecycle.confirmation import LastSeen, SeenContainer, confirmation_of
from agent.core.run_event import Confirmation, RunPhase, StopAnswer
from agent.kube import objects
from agent.observe.containers import Status, statuses
from agent.observe.entry import RunProgress
from agent.observe.removal import is_being_deleted, only_finalizers_left
from agent.observe.success import FAILED, FINISHED, SUCCEEDED, ended_before_deletion, has_failed
from agent.observe.values import int32

_RUNNING: Final = "Running"
_ORDER: Final = (None, RunPhase.PENDING, RunPhase.RUNNING, RunPhase.SUCCEEDED)
_REFUSALS: Final = frozenset(
    {
        "AppArmor",
        "InitContainerRestartPolicyForbidden",
        "InvalidNodeInfo",
        "NodeAffinity",
        "NodeName",
        "NodePorts",
        "NodeShutdown",
        "NodeUnschedulable",
        "PodFeatureUnsupported",
        "PodLevelResourcesNotSupported",
        "PodOSNotSupported",
        "PodOSSelectorNodeLabelDoesNotMatch",
        "SMTAlignmentError",
        "SupplementalGroupsPolicyNotSupported",
        "SysctlForbidden",
        "TaintToleration",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
        "UnexpectedPredicateFailureType",
        "UnknownReason",
        "VolumeAttachmentLimitExceeded",
    }
)
"""Reasons of pods that a kubelet refuses (kubernetes pkg/kubelet: lifecycle, nodeshutdown, sysctl, cm, kubelet.go)."""

_NO_ROOM: Final = "OutOf"
"""How the reason begins where a resource is missing, such as OutOfcpu."""

_EVICTED: Final = "Evicted"
_PRESSURE: Final = "The node had condition"
"""In the message of a pod that is refused because its node is short of memory, disk or pids (pkg/kubelet/eviction)."""


def is_of_run(pod: objects.Pod) -> bool:
    """Whether its labels say that it is the pod of a run of a submitted job. Anybody can write labels."""
    labels = pod.metadata.labels or {}
    return bool(labels.get(JOB) and labels.get(RUN))


def was_made_for_run(pod: objects.Pod) -> bool:
    """Whether the agent made it for a run, also if somebody took its labels off. Anybody can write annotations, too."""
    return is_of_run(pod) or CONTAINERS in (pod.metadata.annotations or {})


def is_deleted_by_us(pod: objects.Pod) -> bool:
    """Whether the agent notes on it that it deletes it, as the scheduler said: what follows from that is no failure.

    Any process of the agent may have done that, of which this one need know nothing.
    """
    return _is_noted(pod, STOP_REQUESTED) or _is_noted(pod, DISCARD_REQUESTED)


def _is_noted(pod: objects.Pod, annotation: str) -> bool:
    return bool((pod.metadata.annotations or {}).get(annotation))


def is_gated(pod: objects.Pod) -> bool:
    """Whether it has our gate."""
    return any(gate.name == START_GATE for gate in pod.spec.schedulingGates or ())


def progress(before: RunProgress | None, pod: objects.Pod, *, now: datetime) -> RunProgress | None:
    """How far the run of the pod is now; ``None`` for other pods. What was seen once stays, also without its label."""
    if before is None:
        if not is_of_run(pod):
            return None
        before = RunProgress(gated=is_gated(pod))
    gated, found = is_gated(pod), statuses(pod)
    return RunProgress(
        gated=gated,
        started_at=None if gated else before.started_at or now,
        phase=max(before.phase, None if gated else _phase(pod, found), key=_ORDER.index),
        showed_container=before.showed_container or any(_state(status) is not StateKind.ABSENT for _, status in found),
        confirmed=before.confirmed,
        discarded=(before.discarded or _is_noted(pod, DISCARD_REQUESTED)) and not _is_noted(pod, STOP_REQUESTED),
    )


def _phase(pod: objects.Pod, found: tuple[Status, ...]) -> RunPhase | None:
    match pod.status.phase:
        case "Succeeded":
            whole = not has_failed(pod, found) and ended_before_deletion(pod, found)
            return RunPhase.SUCCEEDED if whole else None
        case "Failed":
            return None
        case "Running":
            return RunPhase.RUNNING
        case _:
            return RunPhase.PENDING


def is_untouched(pod: objects.Pod) -> bool:
    """Whether no kubelet has reported anything of it, so that whoever watches it from now on misses nothing."""
    return not pod.spec.nodeName or (pod.status.startTime is None and pod.status.phase not in FINISHED)


def confirmation(run: RunProgress, pod: objects.Pod, *, watched: bool) -> Confirmation | None:
    """What confirms that the pod no longer lives. ``watched``: from its creation, without a gap."""
    found = statuses(pod)
    before = [(kind, status) for kind, status in found if kind in {ContainerKind.INIT, ContainerKind.SIDECAR}]
    others = [(kind, status) for kind, status in found if kind not in {ContainerKind.INIT, ContainerKind.SIDECAR}]
    return confirmation_of(
        LastSeen(
            containers=[_seen(kind, status) for kind, status in (*before, *others)],
            deleting=is_being_deleted(pod),
            node=pod.spec.nodeName or "",
            refused=_is_refused(pod),
            watched=watched,
            showed_container=run.showed_container,
        )
    )


def _is_refused(pod: objects.Pod) -> bool:
    reason = pod.status.reason or ""
    by_pressure = reason == _EVICTED and _PRESSURE in (pod.status.message or "")
    return pod.status.phase == FAILED and (reason in _REFUSALS or reason.startswith(_NO_ROOM) or by_pressure)


def _seen(kind: ContainerKind, status: objects.ContainerStatus) -> SeenContainer:
    ended = status.state.terminated if status.state else None
    return SeenContainer(
        kind=kind,
        state=_state(status),
        exit_code=None if ended is None else int32(ended.exitCode),
        restarted=status.lastState is not None and status.lastState != objects.State(),
    )


def _state(status: objects.ContainerStatus) -> StateKind:
    state = status.state or objects.State()
    if state.terminated is not None:
        return StateKind.TERMINATED
    if state.running is not None:
        return StateKind.RUNNING
    return StateKind.ABSENT if state.waiting is None else StateKind.WAITING


def has_ended(pod: objects.Pod, confirmed: Confirmation | None) -> bool:
    """Whether there is nothing more to wait for. Without a confirmation its kubelet may still report how it ended."""
    return confirmed is not None and (only_finalizers_left(pod) or pod.status.phase in FINISHED)


def stop_answer(run: RunProgress, pod: objects.Pod) -> StopAnswer:
    """What a stop found of a pod that has ended. What it did before its deletion was asked for wins."""
    if run.phase is RunPhase.SUCCEEDED:
        return StopAnswer.SUCCEEDED_BEFORE
    if not run.showed_container and (run.gated or not pod.spec.nodeName):
        return StopAnswer.NEVER_STARTED
    failed = pod.status.phase in FINISHED and ended_before_deletion(pod, statuses(pod))
    return StopAnswer.FAILED_BEFORE if failed else StopAnswer.GONE


def follows_from_stop(run: RunProgress, pod: objects.Pod) -> bool:
    """Whether how it ended only follows from the deletion that was asked for, as exit code 143 does."""
    succeeded = run.phase is RunPhase.SUCCEEDED
    return is_being_deleted(pod) and not succeeded and not ended_before_deletion(pod, statuses(pod))


def was_cut_short(run: RunProgress, pod: objects.Pod) -> bool:
    """Whether its phase says that it ended, and a deletion ended it: before it started, or before its work was done."""
    if pod.status.phase == SUCCEEDED:
        return run.phase is not RunPhase.SUCCEEDED
    return pod.status.phase == FAILED and run.gated  # PodGC writes it
