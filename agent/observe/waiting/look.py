"""For what a pod waits, found by the steps of its start: the first that is not done."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agent.core.evidence import ContainerKind, Event
from agent.kube import objects
from agent.observe.containers import statuses
from agent.observe.deadlines import Deadlines, StartProblemKind
from agent.observe.node_clock import SCHEDULED, by_server
from agent.observe.starting import bound_at, failed_start, has_begun
from agent.observe.success import FINISHED
from agent.observe.text import strip
from agent.observe.values import aware
from agent.observe.waiting.news import (
    FAILED_SCHEDULING,
    FAILED_STARTS,
    FAILED_VOLUMES,
    began,
    condition,
    pulling,
    scheduled,
    volumes_of,
    with_reason,
)
from agent.observe.waiting.wait import NotKnown, Wait, Waiting, WaitKind, limited

_UNKNOWN: Final = "Unknown"
_PENDING: Final = "Pending"
_READY: Final = "Ready"
_GATES_NOT_READY: Final = "ReadinessGatesNotReady"
_QUOTED: Final = re.compile(r'"([^"]+)"')
_PROBE_FAILED: Final = re.compile(r"^(?:Readiness|Startup) probe (?:failed|errored)")
_APP: Final = ContainerKind.APP
_DISRUPTED: Final = "DisruptionTarget"
_INITS: Final = frozenset({ContainerKind.INIT, ContainerKind.SIDECAR})


def look(pod: objects.Pod, events: Sequence[Event], *, deadlines: Deadlines) -> Wait | None:
    """For what the pod waits, or why that is not known; ``None`` for one that has started or ended.

    The caller has found no failure in it.
    """
    phase = pod.status.phase or ""
    if phase == _UNKNOWN:
        return NotKnown(why="the phase is Unknown: its node does not report")
    if not phase:
        return NotKnown(why="it has no status yet" if pod.status == objects.PodStatus() else "its status has no phase")
    if phase in FINISHED:
        return None
    if pod.metadata.deletionTimestamp is not None:
        return _deleted(pod, phase)
    return _pending(pod, events, deadlines) if phase == _PENDING else _not_ready(pod, events)


def gated(pod: objects.Pod) -> Waiting | None:
    """The scheduling gates that the pod waits for, if it has any."""
    names = [strip(gate.name or "") for gate in pod.spec.schedulingGates or ()]
    if not names:
        return None
    known = condition(pod, SCHEDULED)
    return Waiting(
        kind=WaitKind.GATE,
        name=", ".join(names),
        since=aware((known.lastTransitionTime if known else None) or pod.metadata.creationTimestamp),
        because=(known.message if known else None) or "the pod has scheduling gates",
    )


def is_bound(pod: objects.Pod) -> bool:
    """Whether it has a node, as far as its spec or its status shows."""
    status = pod.status
    return bool(pod.spec.nodeName or status.startTime or status.containerStatuses or scheduled(pod))


def _deleted(pod: objects.Pod, phase: str) -> NotKnown | None:
    """A pod that is deleted is neither healthy nor somebody's failure, unless it was done."""
    apps = [status.state.terminated if status.state else None for kind, status in statuses(pod) if kind is _APP]
    if apps and all(ended is not None and ended.exitCode == 0 for ended in apps):
        return None
    before = "started" if phase == _PENDING else "ended"
    known = condition(pod, _DISRUPTED)
    if known is None or known.status != "True":
        return NotKnown(why=f"it was deleted before it {before}; by whom is not known", what="who deleted it")
    said = ": ".join(strip(text) for text in (known.reason, known.message) if text)
    return NotKnown(why=f"it was deleted before it {before}: {said}", what="why it was deleted")


def _pending(pod: objects.Pod, events: Sequence[Event], deadlines: Deadlines) -> Waiting:
    if (gate := gated(pod)) is not None:
        return gate
    if not is_bound(pod):
        return unbound(pod, events, deadlines)
    return _initialising(pod, deadlines) or _preparing(pod, events, deadlines)


def unbound(pod: objects.Pod, events: Sequence[Event], deadlines: Deadlines) -> Waiting:
    """The wait of a pod without a node: for one that fits, or for the scheduler to look."""
    refused, known = with_reason(events, FAILED_SCHEDULING), condition(pod, SCHEDULED)
    if scheduled(pod) is None and not refused:
        return Waiting(
            kind=WaitKind.SCHEDULER,
            since=aware(pod.metadata.creationTimestamp),
            because="no scheduler has found a node or said why not",
        )
    messages = (known.message if known else None, *(event.message for event in refused))
    first, changed = began(refused), aware(known.lastTransitionTime if known else None)
    waits = limited(
        WaitKind.NODE,
        StartProblemKind.UNSCHEDULABLE,
        deadlines,
        since=first or changed,
        because=next(filter(None, messages), "the scheduler found no node"),
    )
    # the condition keeps its time when the pod loses its gates, because its status stays False
    return replace(waits, at_earliest=first is None and changed is not None)


def _initialising(pod: objects.Pod, deadlines: Deadlines) -> Waiting | None:
    """The init container that runs, or the sidecar that is not ready, before the others can start."""
    for kind, status in statuses(pod):
        running = status.state.running if status.state else None
        if running is None or kind not in _INITS:
            continue
        name, since = strip(status.name or ""), by_server(pod, running.startedAt)
        if kind is ContainerKind.INIT:
            because = f"init container {name} still runs"
            limit = StartProblemKind.INIT_RUNNING
            return limited(WaitKind.INIT_CONTAINER, limit, deadlines, name=name, since=since, because=because)
        if not status.ready:
            because = f"sidecar {name} is not ready"
            return Waiting(kind=WaitKind.PROBE, name=name, since=since, because=because)
    return None


def _preparing(pod: objects.Pod, events: Sequence[Event], deadlines: Deadlines) -> Waiting:
    """The wait for volumes, an image or the kubelet. Once a container has begun, no deadline ends it."""
    if (tried := _tried(pod, events, deadlines)) is not None:
        return tried
    waits = _prepared(pod, events)
    if any(map(has_begun, statuses(pod))):
        return waits
    limit, since = StartProblemKind.PREPARING, bound_at(pod) or waits.since
    return limited(waits.kind, limit, deadlines, name=waits.name, since=since, because=waits.because)


def _tried(pod: objects.Pod, events: Sequence[Event], deadlines: Deadlines) -> Waiting | None:
    """The wait for a container that the kubelet could not start, and tries to start again."""
    for kind, status in statuses(pod):
        limit = None if kind is ContainerKind.EPHEMERAL else failed_start(kind, status)
        if limit is None:
            continue
        because, since = _says(status), began(with_reason(events, FAILED_STARTS))
        if limit is StartProblemKind.INIT_CRASH_LOOP:
            name = strip(status.name or "")
            return limited(WaitKind.INIT_CONTAINER, limit, deadlines, name=name, since=since, because=because)
        if limit is StartProblemKind.IMAGE:
            return limited(
                WaitKind.IMAGE, limit, deadlines, name=strip(status.image or ""), since=since, because=because
            )
        node = strip(pod.spec.nodeName or "")
        return limited(WaitKind.KUBELET, limit, deadlines, name=node, since=since, because=because)
    return None


def _prepared(pod: objects.Pod, events: Sequence[Event]) -> Waiting:
    for image, event in pulling(events):
        return Waiting(kind=WaitKind.IMAGE, name=image, since=began([event]), because=event.message)
    if refused := with_reason(events, FAILED_VOLUMES):
        names = filter(None, (volumes_of(event.message) for event in refused))
        because = refused[0].message
        return Waiting(kind=WaitKind.VOLUME, name=next(names, ""), since=began(refused), because=because)
    node = strip(pod.spec.nodeName or "")
    return Waiting(kind=WaitKind.KUBELET, name=node, since=_turn(pod), because=_unstarted(pod))


def _turn(pod: objects.Pod) -> datetime | None:
    """When it was the turn of the containers that wait: when the last one before them ended."""
    ended = (status.state.terminated for _, status in statuses(pod) if status.state and status.state.terminated)
    times = (by_server(pod, state.finishedAt) for state in ended)
    return max((at for at in times if at is not None), default=None) or bound_at(pod)


def _unstarted(pod: objects.Pod) -> str:
    for _, status in statuses(pod):
        if status.state and status.state.waiting and status.state.waiting.reason:
            return _says(status)
    return "the kubelet reports no container yet"


def _says(status: objects.ContainerStatus) -> str:
    """What the kubelet says of a container that waits."""
    waiting = status.state.waiting if status.state else None
    said = ": ".join(filter(None, (waiting.reason, waiting.message) if waiting else ()))
    return f"container {status.name or ''} waits: {said}" if said else f"container {status.name or ''} waits"


def _not_ready(pod: objects.Pod, events: Sequence[Event]) -> Wait | None:
    """For what a running pod waits: containers that are not ready, then its readiness gates."""
    for status in _unready(pod):
        return _probed(pod, status, events)
    for kind, status in statuses(pod):
        if kind is not ContainerKind.EPHEMERAL and status.state and status.state.waiting:
            return _prepared(pod, events)
    known = condition(pod, _READY)
    if known is None or known.status == "True":
        return None
    if known.reason == _GATES_NOT_READY:
        return _readiness_gate(known)
    return _unexplained(pod, known)


def _unready(pod: objects.Pod) -> Iterator[objects.ContainerStatus]:
    """The containers that run and are said not to be ready."""
    for kind, status in statuses(pod):
        if kind is not ContainerKind.EPHEMERAL and status.state and status.state.running and status.ready is False:
            yield status


def _probed(pod: objects.Pod, status: objects.ContainerStatus, events: Sequence[Event]) -> Waiting:
    name, running = strip(status.name or ""), status.state.running if status.state else None
    failed = [event.message for event in events if _PROBE_FAILED.match(event.message)]
    return Waiting(
        kind=WaitKind.PROBE,
        name=name,
        since=by_server(pod, running.startedAt if running else None),
        because=failed[0] if failed else f"container {name} runs and is not ready",
    )


def _readiness_gate(known: objects.PodCondition) -> Waiting:
    message = known.message or ""
    name = found[1] if (found := _QUOTED.search(message)) else ""
    because = message or "a readiness gate is not met"
    return Waiting(kind=WaitKind.GATE, name=name, since=aware(known.lastTransitionTime), because=because)


def _unexplained(pod: objects.Pod, known: objects.PodCondition) -> Wait | None:
    """The answer where no container says why the pod is not ready; one that is done needs no other reason."""
    if known.status == _UNKNOWN:
        return NotKnown(why="whether it is ready is Unknown: its node does not report")
    apps = [status for kind, status in statuses(pod) if kind is ContainerKind.APP]
    if any(status.state and status.state.terminated for status in apps):
        return None
    unready = [strip(status.name or "") for status in apps if not status.ready]
    if not unready:
        return NotKnown(why="it is not ready, though its containers are: its node does not report")
    because = known.message or "the pod is not ready"
    since = by_server(pod, known.lastTransitionTime)
    return Waiting(kind=WaitKind.PROBE, name=", ".join(unready), since=since, because=because)
