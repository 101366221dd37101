"""The clock of a pod's node: times that the kubelet writes are by it, and it may differ from the API server's.

The API server writes when a pod got its node; the kubelet writes ``startTime`` after that. If it is before, the node's
clock is behind by at least the difference. A clock that is ahead looks like a slow kubelet; by its times
deadlines end late, never early.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, TypeVar

from msgspec.structs import replace

from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.values import aware

T = TypeVar("T")

SCHEDULED = "PodScheduled"
"""The condition that the API server writes when it binds a pod, and the scheduler before."""

_TARGETED: Final = "DisruptionTarget"
_BY_KUBELET: Final = "TerminationByKubelet"
_KUBELET: Final = "kubelet"
_NEVER: Final = datetime(1970, 1, 1, tzinfo=UTC)
"""When a container that never began began and ended, as the kubelet writes it."""

_CORRECTED: Final = timedelta(seconds=2)
"""Less is no wrong clock: times have whole seconds, and clocks under NTP differ a little."""


def scheduled_at(pod: objects.Pod) -> datetime | None:
    """When the pod got its node, by the API server's clock, which sets this time when it binds the pod.

    Kubernetes pkg/registry/core/pod/storage; the kubelet keeps the time (pkg/kubelet/status, updateLastTransitionTime).
    """
    for condition in pod.status.conditions or ():
        if condition.type == SCHEDULED and condition.status == "True":
            return aware(condition.lastTransitionTime)
    return None


def earliest_start(pod: objects.Pod) -> datetime | None:
    """Before this, by the API server's clock, nothing of the pod can have begun."""
    return scheduled_at(pod) or aware(pod.metadata.creationTimestamp)


def behind(pod: objects.Pod) -> timedelta:
    """By how much the node's clock is behind the API server's, at least."""
    earliest, started = earliest_start(pod), aware(pod.status.startTime)
    if earliest is None or started is None:
        return timedelta(0)
    return max(timedelta(0), earliest - started)


def by_server(pod: objects.Pod, at: datetime | None) -> datetime | None:
    """A time that the kubelet wrote, as it would be by the API server's clock if the node's is behind."""
    given = aware(at)
    if given is None or given <= _NEVER:
        return given
    try:
        shifted = given + behind(pod)
    except OverflowError:
        return given
    earliest = earliest_start(pod)
    return shifted if earliest is None else max(shifted, earliest)


def corrected(pod: objects.Pod, events: Sequence[Event]) -> tuple[objects.Pod, Sequence[Event]]:
    """Pod and events with the kubelet's times as by the API server's clock, if the node's is behind."""
    if behind(pod) < _CORRECTED:
        return pod, events
    status = replace(
        pod.status,
        startTime=by_server(pod, pod.status.startTime),
        conditions=_all(pod, pod.status.conditions, _condition),
        containerStatuses=_all(pod, pod.status.containerStatuses, _container),
        initContainerStatuses=_all(pod, pod.status.initContainerStatuses, _container),
    )
    return replace(pod, status=status), [_event(pod, event) for event in events]


def _all(pod: objects.Pod, items: list[T] | None, correct: Callable[[objects.Pod, T], T]) -> list[T] | None:
    return None if items is None else [correct(pod, each) for each in items]


def _condition(pod: objects.Pod, condition: objects.PodCondition) -> objects.PodCondition:
    """The control plane writes when a pod was scheduled or targeted, the kubelet the rest."""
    targeted = condition.type == _TARGETED and condition.reason != _BY_KUBELET
    if targeted or condition.type == SCHEDULED:
        return condition
    return replace(condition, lastTransitionTime=by_server(pod, condition.lastTransitionTime))


def _container(pod: objects.Pod, status: objects.ContainerStatus) -> objects.ContainerStatus:
    return replace(status, state=_state(pod, status.state), lastState=_state(pod, status.lastState))


def _state(pod: objects.Pod, state: objects.State | None) -> objects.State | None:
    if state is None:
        return None
    running, ended = state.running, state.terminated
    if running is not None:
        running = replace(running, startedAt=by_server(pod, running.startedAt))
    if ended is not None:
        started, finished = by_server(pod, ended.startedAt), by_server(pod, ended.finishedAt)
        ended = replace(ended, startedAt=started, finishedAt=finished)
    return replace(state, running=running, terminated=ended)


def _event(pod: objects.Pod, event: Event) -> Event:
    if event.component != _KUBELET:
        return event
    return replace(event, first_at=by_server(pod, event.first_at), last_at=by_server(pod, event.last_at))
