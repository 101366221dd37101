"""Why a pod that should start does not, and since when (docs/occurrences.md, Deadlines)."""

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import replace

from agent.core.evidence import ContainerKind
from agent.kube import objects
from agent.observe.containers import statuses
from agent.observe.deadlines import Deadlines, StartProblemKind, earliest, grace, later
from agent.observe.entry import PodEntry, RunProgress, StartProblem
from agent.observe.node_clock import by_server, scheduled_at

_WAITING_REASONS = {
    "InvalidImageName": StartProblemKind.HOPELESS,
    "ErrImagePull": StartProblemKind.IMAGE,
    "ImagePullBackOff": StartProblemKind.IMAGE,
    "ErrImageNeverPull": StartProblemKind.IMAGE,
    "ImageInspectError": StartProblemKind.IMAGE,
    "RegistryUnavailable": StartProblemKind.IMAGE,
    "SignatureValidationFailed": StartProblemKind.IMAGE,
    "CreateContainerConfigError": StartProblemKind.CONFIG,
    "CreateContainerError": StartProblemKind.CREATE,
    "RunContainerError": StartProblemKind.CREATE,
    "PreCreateHookError": StartProblemKind.CREATE,
    "PreStartHookError": StartProblemKind.CREATE,
    "PostStartHookError": StartProblemKind.CREATE,
}
"""The kubelet's reasons (kubernetes pkg/kubelet/images/types.go, pkg/kubelet/container/sync_result.go)."""

_BEFORE_ANYTHING = frozenset({"", "ContainerCreating", "PodInitializing"})
"""Reasons of waiting containers for which the kubelet has not begun anything yet, or does not say so."""

_GATED = "SchedulingGated"
"""Reason of a pod with scheduling gates (KEP-3521): somebody wants it to wait, so this is not a problem."""

_UNSTARTED = frozenset({"", "Pending", "Unknown"})
_INIT_KINDS = frozenset({ContainerKind.INIT, ContainerKind.SIDECAR})


def start_problems(
    entry: PodEntry, pod: objects.Pod, *, now: datetime, run: RunProgress | None = None
) -> tuple[StartProblem, ...]:
    """What prevents the pod from starting. A known problem keeps its time, unless the pod now gives an earlier one.

    ``run``, of the pod of a submitted job: as long as it has our gate, it is to wait.
    """
    if (pod.status.phase or "") not in _UNSTARTED or pod.metadata.deletionTimestamp is not None:
        return ()
    known = {(problem.kind, problem.container): problem for problem in entry.start_problems}
    found = _start_problems(pod, now, started=run is not None and not run.gated)
    return tuple(_earlier(known.get((problem.kind, problem.container), problem), problem) for problem in found)


def _earlier(known: StartProblem, found: StartProblem) -> StartProblem:
    if known.since < found.since:
        return replace(found, since=known.since) if known.paused != found.paused else known
    return found


def overdue(found: tuple[StartProblem, ...], *, now: datetime, deadlines: Deadlines) -> StartProblem | None:
    """The first problem that has lasted too long; a paused one does not count."""
    return next((problem for problem in found if (end := _end(problem, deadlines)) is not None and now >= end), None)


def next_overdue(found: tuple[StartProblem, ...], *, deadlines: Deadlines) -> datetime | None:
    """When the first of the problems will have lasted too long."""
    return earliest(*[_end(problem, deadlines) for problem in found]) if found else None


def _end(problem: StartProblem, deadlines: Deadlines) -> datetime | None:
    return None if problem.paused else later(problem.since, grace(problem.kind, deadlines))


def _start_problems(pod: objects.Pod, now: datetime, *, started: bool) -> Iterator[StartProblem]:
    if _is_unschedulable(pod) or (started and _is_still_called_gated(pod)):
        yield StartProblem(kind=StartProblemKind.UNSCHEDULABLE, container="", since=now)
    elif pod.spec.nodeName and not any(map(has_begun, statuses(pod))):
        yield StartProblem(kind=StartProblemKind.PREPARING, container="", since=min(bound_at(pod) or now, now))
    for kind, status in statuses(pod):
        if kind is not ContainerKind.EPHEMERAL:
            yield from _container_problems(pod, kind, status, now)


def _container_problems(
    pod: objects.Pod, kind: ContainerKind, status: objects.ContainerStatus, now: datetime
) -> Iterator[StartProblem]:
    name, running = status.name or "", status.state.running if status.state else None
    if (found := failed_start(kind, status)) is not None:
        paused = found is StartProblemKind.INIT_CRASH_LOOP and running is not None
        yield StartProblem(kind=found, container=name, since=now, paused=paused)
    if kind is ContainerKind.INIT and running is not None:
        since = min(by_server(pod, running.startedAt) or now, now)
        yield StartProblem(kind=StartProblemKind.INIT_RUNNING, container=name, since=since)


def failed_start(kind: ContainerKind, status: objects.ContainerStatus) -> StartProblemKind | None:
    """Why the kubelet could not start the container, which it tries again; ``None`` if it did, or has not tried."""
    if (waiting := _waiting_kind(status)) is not None:
        return waiting
    return StartProblemKind.INIT_CRASH_LOOP if kind in _INIT_KINDS and _fails_again(status) else None


def _is_unschedulable(pod: objects.Pod) -> bool:
    """Whether the scheduler found no node.

    The condition does not say since when: its time may still be the one from when the pod was gated.
    """
    scheduled = _scheduled(pod)
    return scheduled is not None and scheduled.status == "False" and scheduled.reason != _GATED


def _is_still_called_gated(pod: objects.Pod) -> bool:
    """Whether it has no gate any more, and the condition says that it has: the scheduler has not seen it since."""
    scheduled = _scheduled(pod)
    return scheduled is not None and scheduled.reason == _GATED and not pod.spec.schedulingGates


def bound_at(pod: objects.Pod) -> datetime | None:
    """When the pod got its node; of one that no scheduler bound, when its kubelet took it."""
    return scheduled_at(pod) or by_server(pod, pod.status.startTime)


def _scheduled(pod: objects.Pod) -> objects.PodCondition | None:
    return next((condition for condition in pod.status.conditions or () if condition.type == "PodScheduled"), None)


def has_begun(status_of_kind: tuple[ContainerKind, objects.ContainerStatus]) -> bool:
    """Whether the kubelet reports anything but that the container waits for its turn."""
    _, status = status_of_kind
    state, last = status.state or objects.State(), status.lastState or objects.State()
    if state.running is not None or state.terminated is not None or last.terminated is not None:
        return True
    return state.waiting is not None and (state.waiting.reason or "") not in _BEFORE_ANYTHING


def _waiting_kind(status: objects.ContainerStatus) -> StartProblemKind | None:
    waiting = status.state.waiting if status.state else None
    return _WAITING_REASONS.get(waiting.reason or "") if waiting else None


def _fails_again(status: objects.ContainerStatus) -> bool:
    """A crash loop goes on while the container runs in between, until it succeeds or, as a sidecar, is ready."""
    ended = status.state.terminated if status.state else None
    done = ended is not None and not ended.exitCode
    return bool(status.restartCount) and not status.ready and not done
