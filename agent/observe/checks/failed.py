"""Armada's ``failedPodChecks``: pods that failed and whose run may be retried.

Source: armadaproject/armada internal/executor/podchecks/failedpodchecks.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agent.core.classify.pattern import Regex
from agent.core.evidence import Event
from agent.core.failure import CheckAction, CheckCause, CheckFinding
from agent.kube import objects
from agent.observe.checks.finding import Found
from agent.observe.text import strip


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedEventCheck:
    """Matches an event of this type whose message has the pattern; a ``reason`` must equal the event's."""

    pattern: Regex
    type: str
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedStatusCheck:
    """Matches a pod whose status message has the pattern; a ``reason`` must equal the pod's."""

    pattern: Regex
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedContainerCheck:
    """Matches a failed container by its name and, unless ``message`` is ``None``, its termination message."""

    name: Regex
    message: Regex | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedPodChecks:
    events: tuple[FailedEventCheck, ...] = ()
    pods: tuple[FailedStatusCheck, ...] = ()
    containers: tuple[FailedContainerCheck, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.events or self.pods or self.containers)


def check_failed(pod: objects.Pod, events: Sequence[Event] | None, *, checks: FailedPodChecks) -> Found | None:
    """What the checks find; ``None`` if nothing.

    If any container ever started, only the container checks apply; else those of events and then those of the pod's
    status. ``events`` is ``None`` if they cannot be read: then nothing is found in a pod that never started, because
    the event checks come first and could not be made (Armada does the same).
    """
    if has_started(pod):
        return check_containers(pod, checks.containers)
    if events is None:
        return None
    return check_events(events, checks.events) or check_status(pod, checks.pods)


def has_started(pod: objects.Pod) -> bool:
    """Whether any app or init container runs or ended, now or before its last restart."""
    states = (state for status in _statuses(pod) for state in (status.state, status.lastState) if state)
    return any(state.running is not None or state.terminated is not None for state in states)


def check_events(events: Iterable[Event], checks: Sequence[FailedEventCheck]) -> Found | None:
    """The first event that a check matches."""
    for event in events:
        for number, check in enumerate(checks):
            if event.type == check.type and _is(check.reason, event.reason) and _has(check.pattern, event.message):
                return _found(f"events[{number}]", event.message)
    return None


def check_status(pod: objects.Pod, checks: Sequence[FailedStatusCheck]) -> Found | None:
    """The first check that matches the pod's own reason and message."""
    for number, check in enumerate(checks):
        if _is(check.reason, pod.status.reason) and _has(check.pattern, pod.status.message):
            return _found(f"podStatuses[{number}]", pod.status.message)
    return None


def check_containers(pod: objects.Pod, checks: Sequence[FailedContainerCheck]) -> Found | None:
    """The first failed container that a check matches."""
    for status in _statuses(pod):
        ended = status.state.terminated if status.state else None
        if ended is None or not ended.exitCode:
            continue
        for number, check in enumerate(checks):
            if _has(check.name, status.name) and (check.message is None or _has(check.message, ended.message)):
                return _found(f"containerStatuses[{number}]", ended.message)
    return None


def _found(check: str, message: str | None) -> Found:
    finding = CheckFinding(check=f"failedPodChecks.{check}", action=CheckAction.RETRY, cause=CheckCause.FAILED)
    return Found(finding=finding, message=strip(message or ""))


def _is(wanted: str, given: str | None) -> bool:
    return wanted in ("", given)


def _has(pattern: Regex, text: str | None) -> bool:
    return pattern.search((text or "").encode("utf-8", "replace")) is not None


def _statuses(pod: objects.Pod) -> list[objects.ContainerStatus]:
    return [*(pod.status.containerStatuses or ()), *(pod.status.initContainerStatuses or ())]
