"""Starting: why a pod that should start does not (reference/armada-today.md 1.5, failure-taxonomy.md)."""

from collections.abc import Iterator
from datetime import datetime

from agent.core.evidence import ContainerKind
from agent.kube import objects
from agent.observe.containers import statuses
from agent.observe.deadlines import Deadlines, TroubleKind, earliest, grace, later
from agent.observe.entry import Entry, Trouble
from agent.observe.values import aware

_WAITING_REASONS = {
    "InvalidImageName": TroubleKind.HOPELESS,
    "ErrImagePull": TroubleKind.IMAGE,
    "ImagePullBackOff": TroubleKind.IMAGE,
    "ErrImageNeverPull": TroubleKind.IMAGE,
    "ImageInspectError": TroubleKind.IMAGE,
    "RegistryUnavailable": TroubleKind.IMAGE,
    "SignatureValidationFailed": TroubleKind.IMAGE,
    "CreateContainerConfigError": TroubleKind.CONFIG,
    "CreateContainerError": TroubleKind.CREATE,
    "RunContainerError": TroubleKind.CREATE,
    "PreCreateHookError": TroubleKind.CREATE,
    "PreStartHookError": TroubleKind.CREATE,
    "PostStartHookError": TroubleKind.CREATE,
}
"""Reasons of the kubelet (kubernetes pkg/kubelet/images/types.go, pkg/kubelet/container/sync_result.go)."""

_UNSTARTED = frozenset({"", "Pending", "Unknown"})
_INIT_KINDS = frozenset({ContainerKind.INIT, ContainerKind.SIDECAR})


def troubles(entry: Entry | None, pod: objects.Pod, *, now: datetime) -> tuple[Trouble, ...]:
    """What keeps the pod from starting; what was seen before keeps the time it was first seen at."""
    if (pod.status.phase or "") not in _UNSTARTED or pod.metadata.deletionTimestamp is not None:
        return ()
    known = {(each.kind, each.container): each for each in entry.troubles} if entry else {}
    return tuple(known.get((each.kind, each.container), each) for each in _troubles(pod, now))


def overdue(found: tuple[Trouble, ...], *, now: datetime, deadlines: Deadlines) -> Trouble | None:
    """The first trouble that has lasted too long."""
    return next((each for each in found if (end := _end(each, deadlines)) is not None and now >= end), None)


def next_overdue(found: tuple[Trouble, ...], *, deadlines: Deadlines) -> datetime | None:
    """When the first of the troubles will have lasted too long."""
    return earliest(*(_end(each, deadlines) for each in found))


def _end(trouble: Trouble, deadlines: Deadlines) -> datetime | None:
    return later(trouble.since, grace(trouble.kind, deadlines))


def _troubles(pod: objects.Pod, now: datetime) -> Iterator[Trouble]:
    for kind, status in statuses(pod):
        if kind is ContainerKind.EPHEMERAL:
            continue
        trouble = _waits(status) or (_init_trouble(kind, status) if kind in _INIT_KINDS else None)
        if trouble is not None:
            yield Trouble(kind=trouble, container=status.name or "", since=_since(trouble, status) or now)


def _waits(status: objects.ContainerStatus) -> TroubleKind | None:
    waiting = status.state.waiting if status.state else None
    return _WAITING_REASONS.get(waiting.reason or "") if waiting else None


def _init_trouble(kind: ContainerKind, status: objects.ContainerStatus) -> TroubleKind | None:
    """A crash loop lasts while the container runs in between, until it is done or, a sidecar, ready."""
    state = status.state or objects.State()
    if state.terminated is not None and not state.terminated.exitCode:
        return None
    if status.restartCount and not status.ready:
        return TroubleKind.INIT_CRASH_LOOP
    return TroubleKind.INIT_RUNNING if state.running is not None and kind is ContainerKind.INIT else None


def _since(trouble: TroubleKind, status: objects.ContainerStatus) -> datetime | None:
    running = status.state.running if status.state else None
    return aware(running.startedAt) if trouble is TroubleKind.INIT_RUNNING and running else None
