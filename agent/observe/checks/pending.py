"""Armada's ``pendingPodChecks``: pods that do not start (armadaproject/armada internal/executor/podchecks).

In order: the deadline for init containers, for a node being assigned, for any update from the node; then the checks
of events and waiting containers; the most severe result counts.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.classify.pattern import Regex
from agent.core.evidence import Event
from agent.core.failure import CheckAction, CheckCause, CheckFinding
from agent.kube import objects
from agent.observe.checks.finding import CheckResult, Found, Waiting, go_duration
from agent.observe.checks.init_containers import unfinished_init_containers
from agent.observe.deadlines import earliest, later
from agent.observe.node_clock import SCHEDULED, by_server
from agent.observe.text import strip
from agent.observe.values import aware

UNSTARTED = frozenset({"", "Pending", "Unknown"})
"""Phases in which these checks apply."""

_OF_THE_SCHEDULER = frozenset({"Scheduled", "FailedScheduling"})
_TICK = timedelta(microseconds=1)
"""Armada compares deadlines and the grace of events with ``>``, not ``>=``: they have passed one tick later."""

_SEVERITY = {CheckAction.RETRY: 1, CheckAction.FAIL: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCheck:
    """One check of events. ``inverse``: it matches if ``pattern`` is not found. ``grace``: time in state before."""

    pattern: Regex
    inverse: bool
    type: str
    grace: timedelta
    action: CheckAction


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingCheck:
    """One check of the reason why a container waits."""

    name: str
    pattern: Regex
    inverse: bool
    grace: timedelta
    action: CheckAction


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingPodChecks:
    """Falsy if there is nothing to check; a deadline of ``None`` is no deadline."""

    events: tuple[EventCheck, ...] = ()
    containers: tuple[WaitingCheck, ...] = ()
    deadline_for_updates: timedelta | None = None
    deadline_for_node_assignment: timedelta | None = None
    deadline_for_init_containers: timedelta | None = None

    def __bool__(self) -> bool:
        return (
            bool(self.events or self.containers)
            or self.deadline_for_updates is not None
            or self.deadline_for_node_assignment is not None
            or self.deadline_for_init_containers is not None
        )


def check_pending(
    pod: objects.Pod,
    events: Sequence[Event],
    *,
    checks: PendingPodChecks,
    now: datetime,
    started_at: datetime | None = None,
) -> CheckResult:
    """What the checks find in a pod that has not started, or when one of them may match.

    ``started_at`` is when its gate was removed, which changes none of its conditions.
    """
    if not checks or (pod.status.phase or "") not in UNSTARTED or (changed := last_change(pod)) is None:
        return Waiting()
    changed = changed if started_at is None else max(changed, started_at)
    asked = (_init_containers(pod, checks, now), _node(pod, checks, changed), _updates(pod, events, checks, changed))
    alone = [check for check in asked if check is not None]
    for check in alone:
        if check.since <= now:
            return check.found
    until = earliest(*(check.since for check in alone))
    if checks.deadline_for_updates is not None and is_silent(pod, events):
        return Waiting(until=until)
    met = [*_events(events, checks, changed), *_containers(pod, checks, changed)]
    found = [check.found for check in met if check.since <= now]
    return _most_severe(found) if found else Waiting(until=earliest(until, *(check.since for check in met)))


def last_change(pod: objects.Pod) -> datetime | None:
    """When the pod last changed, as Armada computes the time in state; ``None`` if no time is known."""
    states = [status.state for status in pod.status.containerStatuses or () if status.state]
    conditions = pod.status.conditions or ()
    of_kubelet = (
        *(state.running.startedAt for state in states if state.running),
        *(state.terminated.finishedAt for state in states if state.terminated),
        *(condition.lastTransitionTime for condition in conditions if condition.type != SCHEDULED),
    )
    of_server = (
        pod.metadata.creationTimestamp,
        *(condition.lastTransitionTime for condition in conditions if condition.type == SCHEDULED),
    )
    times = (*map(aware, of_server), *(by_server(pod, at) for at in of_kubelet))
    return max((at for at in times if at is not None), default=None)


def is_silent(pod: objects.Pod, events: Iterable[Event]) -> bool:
    """Whether nobody but the scheduler reported anything about the pod, which points to a bad node."""
    reported = any(event.reason not in _OF_THE_SCHEDULER for event in events)
    return not reported and not _statuses(pod)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Met:
    """A check that matches from ``since`` on."""

    since: datetime
    found: Found


def _met(since: datetime | None, check: str, action: CheckAction, *, cause: CheckCause, message: str) -> _Met | None:
    if since is None:
        return None
    finding = CheckFinding(check=f"pendingPodChecks.{check}", action=action, cause=cause)
    return _Met(since=since, found=Found(finding=finding, message=strip(message)))


def _after(since: datetime, grace: timedelta | None) -> datetime | None:
    """The first moment that is more than ``grace`` after ``since``."""
    return later(since, None if grace is None else grace + _TICK)


def _init_containers(pod: objects.Pod, checks: PendingPodChecks, now: datetime) -> _Met | None:
    allowed = checks.deadline_for_init_containers
    if allowed is None or (began := unfinished_init_containers(pod)) is None:
        return None
    message = f"Init containers did not complete within deadline of {go_duration(allowed)}{began.describe(now)}"
    return _met(
        _after(began.at, allowed),
        "deadlineForInitContainers",
        CheckAction.FAIL,
        cause=CheckCause.STARTUP,
        message=message,
    )


def _node(pod: objects.Pod, checks: PendingPodChecks, changed: datetime) -> _Met | None:
    allowed = checks.deadline_for_node_assignment
    if allowed is None or pod.spec.nodeName:
        return None
    return _met(
        _after(changed, allowed),
        "deadlineForNodeAssignment",
        CheckAction.RETRY,
        cause=CheckCause.NO_NODE_ASSIGNED,
        message=f"Pod could not be scheduled within {go_duration(allowed)} deadline.",
    )


def _updates(pod: objects.Pod, events: Sequence[Event], checks: PendingPodChecks, changed: datetime) -> _Met | None:
    allowed = checks.deadline_for_updates
    if allowed is None or not is_silent(pod, events):
        return None
    return _met(
        _after(changed, allowed),
        "deadlineForUpdates",
        CheckAction.RETRY,
        cause=CheckCause.NO_STATUS_UPDATES,
        message=f"Pod has received no updates within {go_duration(allowed)} deadline: likely the node is bad.",
    )


def _events(events: Iterable[Event], checks: PendingPodChecks, changed: datetime) -> Iterator[_Met]:
    """For each event the first check that matches, even if its grace period still runs."""
    for event in events:
        said = event.message.encode("utf-8", "replace")
        for number, check in enumerate(checks.events):
            if event.type == check.type and check.inverse != (check.pattern.search(said) is not None):
                met = _met(
                    _after(changed, check.grace),
                    f"events[{number}]",
                    check.action,
                    cause=CheckCause.STARTUP,
                    message=event.message,
                )
                yield from () if met is None else (met,)
                break


def _containers(pod: objects.Pod, checks: PendingPodChecks, changed: datetime) -> Iterator[_Met]:
    """For each waiting container the first check that matches, even if its grace period still runs."""
    for status in _statuses(pod):
        waiting = status.state.waiting if status.state else None
        if waiting is None:
            continue
        reason = (waiting.reason or "").encode("utf-8", "replace")
        for check in checks.containers:
            if check.inverse != (check.pattern.search(reason) is not None):
                met = _met(
                    later(changed, check.grace),
                    f"containerStatuses[{check.name}]",
                    check.action,
                    cause=CheckCause.STARTUP,
                    message=f"Container {status.name or ''} has been in state Waiting for reason {waiting.reason or ''}"
                    f" ({waiting.message or ''} - check {check.name}) for more than timeout {go_duration(check.grace)}",
                )
                yield from () if met is None else (met,)
                break


def _statuses(pod: objects.Pod) -> list[objects.ContainerStatus]:
    return [*(pod.status.containerStatuses or ()), *(pod.status.initContainerStatuses or ())]


def _most_severe(found: Sequence[Found]) -> Found:
    """The first of the most severe, with the messages of all."""
    gravest = max(found, key=lambda check: _SEVERITY[check.finding.action])
    message = "\n".join(dict.fromkeys(check.message for check in found if check.message))
    return Found(finding=gravest.finding, message=message)
