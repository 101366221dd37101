"""Container statuses of a pod: as evidence, and which of its containers were restarted."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime

from agent.core.evidence import Container, ContainerKind, ContainerState, StateKind
from agent.core.failure import Occurrence
from agent.core.memo import keep_last
from agent.core.summary.submission import Submission
from agent.kube import objects
from agent.observe.entry import PodEntry, Restart
from agent.observe.values import aware, count, int32

_ABSENT = ContainerState(kind=StateKind.ABSENT)
_EMPTY = objects.State()
# of every container is asked for some of these, and an enumeration takes 50 ns to give a member
_WAITING, _RUNNING, _TERMINATED = StateKind.WAITING, StateKind.RUNNING, StateKind.TERMINATED
_APP, _INIT = ContainerKind.APP, ContainerKind.INIT
_SIDECAR, _EPHEMERAL = ContainerKind.SIDECAR, ContainerKind.EPHEMERAL
_EPHEMERAL_ONLY = frozenset({_EPHEMERAL})
_EPHEMERAL_AND_SIDECAR = _EPHEMERAL_ONLY | {_SIDECAR}
"""Kinds whose end does not explain that of a pod: of a debug container; in a pod that succeeded, also of a sidecar,
which the kubelet stops when the others are done."""
_SUCCEEDED = "Succeeded"
_ALWAYS = "Always"
"""restartPolicy of an init container that makes it a sidecar (KEP 753)."""

Time = Callable[[datetime | None], datetime | None]
"""Reads a time."""

Status = tuple[ContainerKind, objects.ContainerStatus]


def _find_statuses(pod: objects.Pod) -> tuple[Status, ...]:
    status, spec = pod.status, pod.spec
    found = [(_APP, app) for app in _with_missing(status.containerStatuses, spec.containers)]
    if inits := _with_missing(status.initContainerStatuses, spec.initContainers):
        sidecars = {container.name for container in spec.initContainers or () if container.restartPolicy == _ALWAYS}
        found += [(_SIDECAR if init.name in sidecars else _INIT, init) for init in inits]
    if status.ephemeralContainerStatuses:
        found += [(_EPHEMERAL, ephemeral) for ephemeral in status.ephemeralContainerStatuses]
    return tuple(found)


statuses = keep_last(_find_statuses)
"""Every container's status with its kind: app first, then init and sidecars, then ephemeral.

A container of the spec that has no status yet has an empty one. Memoised, because one observation asks several times.
"""


def _with_missing(
    given: list[objects.ContainerStatus] | None, specified: list[objects.ContainerSpec] | None
) -> Sequence[objects.ContainerStatus]:
    if not specified or (given and len(given) >= len(specified)):
        return given or ()
    known = {status.name for status in given or ()}
    unreported = (container for container in specified if container.name not in known)
    return [
        *(given or ()),
        *(objects.ContainerStatus(name=container.name, image=container.image) for container in unreported),
    ]


def read_containers(
    pod: objects.Pod, *, occurrence: Occurrence, restarted: str | None, submission: Submission, time: Time
) -> tuple[Container, ...]:
    """The containers as evidence. ``restarted`` names the one whose restart in place is reported.

    ``time`` reads the times of containers, apart from those of ephemeral ones, which explain nothing.
    """
    in_run = occurrence is Occurrence.CONTAINER_RESTARTED
    ignored = _EPHEMERAL_AND_SIDECAR if pod.status.phase == _SUCCEEDED else _EPHEMERAL_ONLY
    is_injected = submission.is_injected
    read = []
    for kind, status in statuses(pod):
        name, before = status.name or "", status.lastState
        read_time = aware if kind is _EPHEMERAL else time
        state = _read_state(status.state, read_time)
        # the API server sends an empty last state instead of leaving it out
        last = None if before is None or before == _EMPTY else _read_state(before, read_time)
        ended = _ended_last(last, name == restarted) if in_run else None if kind in ignored else _ended(state, last)
        read.append(
            Container(
                name=name,
                kind=kind,
                image=status.image or "",
                state=state,
                last_state=last,
                ended=ended,
                restarts=count(status.restartCount) if status.restartCount else 0,
                ready=bool(status.ready),
                injected=is_injected(name, kind),
            )
        )
    return tuple(read)


def _ended(state: ContainerState, last: ContainerState | None) -> ContainerState | None:
    """The container's terminated state, if that can explain the end of the pod."""
    if state.kind is _TERMINATED:
        return state
    return None if last is None else _ended_last(last, state.kind is _WAITING)


def _ended_last(last: ContainerState | None, is_relevant: bool) -> ContainerState | None:  # noqa: FBT001 - not a fork
    return last if is_relevant and last is not None and last.kind is _TERMINATED else None


def _read_state(state: objects.State | None, time: Time) -> ContainerState:
    if state is None:
        return _ABSENT
    if (ended := state.terminated) is not None:
        return ContainerState(
            kind=_TERMINATED,
            reason=ended.reason or "",
            message=ended.message or "",
            exit_code=int32(ended.exitCode),
            signal=int32(ended.signal) if ended.signal else None,
            started_at=time(ended.startedAt),
            finished_at=time(ended.finishedAt),
        )
    if (waiting := state.waiting) is not None:
        return ContainerState(kind=_WAITING, reason=waiting.reason or "", message=waiting.message or "")
    if state.running is not None:
        return ContainerState(kind=_RUNNING, started_at=time(state.running.startedAt))
    return _ABSENT


def last_terminated(found: Iterable[Status]) -> list[tuple[Restart, objects.Terminated | None]]:
    """The last terminated instance of every container that was, or is about to be, restarted.

    An instance is identified by its container id, or by the restart count if there is no id.
    """
    dead = []
    for _, status in found:
        ended = status.lastState.terminated if status.lastState else None
        if ended is None and not status.restartCount:
            continue
        instance = (ended.containerID if ended else None) or str(status.restartCount or 0)
        dead.append((Restart(container=status.name or "", dead=instance), ended))
    return dead


def is_new(restart: Restart, entry: PodEntry | None) -> bool:
    """Whether this terminated instance was not seen before."""
    return entry is None or restart not in entry.restarts
