"""The clock of a pod's node: times that the kubelet writes are by it, and it may differ from the API server's.

The API server writes when a pod got its node; the kubelet writes ``startTime`` after that. If it is before, the node's
clock is behind by at least the difference. A clock that is ahead looks like a slow kubelet; by its times
deadlines end late, never early.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple, TypeVar

from msgspec.structs import replace

from agent.core.evidence import Event
from agent.core.memo import keep_last
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

_EQUAL: Final = timedelta(0)
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


class _Clock(NamedTuple):
    """``earliest`` is that of ``earliest_start``, ``behind`` by how much the clock is behind, at least."""

    earliest: datetime | None
    behind: timedelta

    def by_server(self, at: datetime | None) -> datetime | None:
        given = aware(at)
        if given is None or given <= _NEVER:
            return given
        try:
            shifted = given + self.behind
        except OverflowError:
            return given
        return shifted if self.earliest is None or shifted >= self.earliest else self.earliest


def _read(pod: objects.Pod) -> _Clock:
    earliest, started = earliest_start(pod), aware(pod.status.startTime)
    if earliest is None or started is None:
        return _Clock(earliest, _EQUAL)
    return _Clock(earliest, max(_EQUAL, earliest - started))


_clock = keep_last(_read)
"""Kept, because it is asked for several times in a pod."""


def behind(pod: objects.Pod) -> timedelta:
    """By how much the node's clock is behind the API server's, at least."""
    return _clock(pod).behind


def by_server(pod: objects.Pod, at: datetime | None) -> datetime | None:
    """A time that the kubelet wrote, as it would be by the API server's clock if the node's is behind."""
    return _clock(pod).by_server(at)


def corrected(pod: objects.Pod, events: Sequence[Event]) -> tuple[objects.Pod, Sequence[Event]]:
    """Pod and events with the kubelet's times as by the API server's clock, if the node's is behind."""
    clock = _clock(pod)
    if clock.behind < _CORRECTED:
        return pod, events
    status = replace(
        pod.status,
        startTime=clock.by_server(pod.status.startTime),
        conditions=_all(clock, pod.status.conditions, _condition),
        containerStatuses=_all(clock, pod.status.containerStatuses, _container),
        initContainerStatuses=_all(clock, pod.status.initContainerStatuses, _container),
    )
    return replace(pod, status=status), [_event(clock, event) for event in events]


def _all(clock: _Clock, items: list[T] | None, correct: Callable[[_Clock, T], T]) -> list[T] | None:
    return None if items is None else [correct(clock, each) for each in items]


def _condition(clock: _Clock, condition: objects.PodCondition) -> objects.PodCondition:
    """The control plane writes when a pod was scheduled or targeted, the kubelet the rest."""
    targeted = condition.type == _TARGETED and condition.reason != _BY_KUBELET
    if targeted or condition.type == SCHEDULED:
        return condition
    return replace(condition, lastTransitionTime=clock.by_server(condition.lastTransitionTime))


def _container(clock: _Clock, status: objects.ContainerStatus) -> objects.ContainerStatus:
    return replace(status, state=_state(clock, status.state), lastState=_state(clock, status.lastState))


def _state(clock: _Clock, state: objects.State | None) -> objects.State | None:
    """The state; the same one if it has no times."""
    if state is None:
        return None
    if (ended := state.terminated) is not None:
        started, finished = clock.by_server(ended.startedAt), clock.by_server(ended.finishedAt)
        state = replace(state, terminated=replace(ended, startedAt=started, finishedAt=finished))
    if (running := state.running) is not None:
        state = replace(state, running=replace(running, startedAt=clock.by_server(running.startedAt)))
    return state


def _event(clock: _Clock, event: Event) -> Event:
    if event.component != _KUBELET:
        return event
    return replace(event, first_at=clock.by_server(event.first_at), last_at=clock.by_server(event.last_at))
