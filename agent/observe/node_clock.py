"""The clock of a pod's node: times that the kubelet writes are by it, and it may differ from the API server's.

The API server writes when a pod got its node; the kubelet writes ``startTime`` after that. If it is before, the node's
clock is behind by at least the difference. A clock that is ahead looks like a slow kubelet; by its times
deadlines end late, never early.
"""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from msgspec.structs import replace

from agent.core.evidence import Condition, Event
from agent.core.memo import keep_last
from agent.kube import objects
from agent.observe.values import aware

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


class NodeClock(NamedTuple):
    """How far a node's clock is behind. ``earliest`` is the pod's ``earliest_start``; ``behind`` is at least this much.

    ``since`` is what the clock said at ``earliest``, at the latest.
    """

    earliest: datetime | None
    since: datetime | None
    behind: timedelta

    def by_server(self, at: datetime | None) -> datetime | None:
        """A time that the kubelet wrote, as it would be by the API server's clock if the node's is behind."""
        given = at if at is None or at.tzinfo is UTC else aware(at)
        if given is None or given <= _NEVER:
            return given
        earliest, since, behind = self
        if since is not None and given <= since:
            return earliest
        try:
            return given + behind if behind else given
        except OverflowError:
            return given

    def conditions(self, conditions: Iterable[Condition]) -> tuple[Condition, ...]:
        """A pod's conditions by the API server's clock."""
        by_server = self.by_server
        return tuple(
            [
                condition
                if _is_of_control_plane(condition)
                else replace(condition, transitioned_at=by_server(condition.transitioned_at))
                for condition in conditions
            ]
        )

    def events(self, events: Iterable[Event]) -> list[Event]:
        """Events by the API server's clock."""
        by_server = self.by_server
        return [
            replace(event, first_at=by_server(event.first_at), last_at=by_server(event.last_at))
            if event.component == _KUBELET
            else event
            for event in events
        ]


def _read(pod: objects.Pod) -> NodeClock:
    earliest, started = earliest_start(pod), aware(pod.status.startTime)
    if earliest is None or started is None or started >= earliest:
        return NodeClock(earliest, earliest, _EQUAL)
    return NodeClock(earliest, started, earliest - started)


_clock = keep_last(_read)
"""Kept, because it is asked for several times in a pod."""


def behind(pod: objects.Pod) -> timedelta:
    """By how much the node's clock is behind the API server's, at least."""
    return _clock(pod).behind


def by_server(pod: objects.Pod, at: datetime | None) -> datetime | None:
    """A time that the kubelet wrote, as it would be by the API server's clock if the node's is behind."""
    return _clock(pod).by_server(at)


def wrong_clock(pod: objects.Pod) -> NodeClock | None:
    """The clock of the pod's node, if it is behind."""
    clock = _clock(pod)
    return None if clock.behind < _CORRECTED else clock


def _is_of_control_plane(condition: Condition) -> bool:
    """Whether the control plane wrote its time: when a pod was scheduled or targeted. The kubelet writes the rest."""
    return condition.type == SCHEDULED or (condition.type == _TARGETED and condition.reason != _BY_KUBELET)
