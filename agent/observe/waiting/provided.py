"""Waits for what somebody provides, and says so: they are no failure, whatever rules find in the same events."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from agent.core.classify.quota import request_exceeds_quota
from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.deadlines import Deadlines, StartProblemKind
from agent.observe.starting import bound_at
from agent.observe.waiting.look import gated, is_bound, unbound
from agent.observe.waiting.news import began, seen, volumes_of, with_reason
from agent.observe.waiting.wait import Waiting, WaitKind, is_given_up, limited

_WARNING: Final = "Warning"
_PENDING: Final = "Pending"

_COMING: Final = frozenset({"TriggeredScaleUp", "Nominated"})
"""Reasons of events of the cluster autoscaler and of Karpenter: a node is being added for the pod."""

_NOT_COMING: Final = frozenset({"NotTriggerScaleUp", "FailedScaleUp"})
_AUTOSCALERS: Final = frozenset({"cluster-autoscaler", "karpenter"})

_ATTACHER: Final = "attachdetach-controller"
_ATTACHED_ELSEWHERE: Final = "Multi-Attach error"
"""The attach/detach controller attaches the volume once the other node has released it."""

_UNATTACHED: Final = re.compile(
    r"^(?:Multi-Attach error|Unable to (?:attach or )?mount volumes\b.*\btim(?:ed out|eout))"
)
"""That, and what the kubelet says meanwhile."""

_CREATORS: Final = frozenset(
    {
        "daemonset-controller",
        "job-controller",
        "replicaset-controller",
        "replication-controller",
        "statefulset-controller",
    }
)
"""Controllers of Kubernetes: they create the pod again until the quota allows it."""

_QUOTA: Final = re.compile(r"\bexceeded quota: ([^\s,]+), requested: ")


def provided(pod: objects.Pod | None, events: Sequence[Event], *, deadlines: Deadlines) -> Waiting | None:
    """The wait for what somebody provides; ``None`` if there is none, or the agent has given it up.

    ``pod`` is ``None`` if only events are known.
    """
    if pod is None or pod.status == objects.PodStatus():
        return _quota(events)
    if pod.status.phase != _PENDING or pod.metadata.deletionTimestamp is not None or _has_word(pod):
        return None
    waits = gated(pod) or (_attached(pod, events, deadlines) if is_bound(pod) else _node(pod, events, deadlines))
    return None if waits is None or is_given_up(waits, seen(pod, events)) else waits


def _has_word(pod: objects.Pod) -> bool:
    return bool(pod.status.reason or pod.status.message)


def _node(pod: objects.Pod, events: Sequence[Event], deadlines: Deadlines) -> Waiting | None:
    by_scalers = [event for event in events if event.component in _AUTOSCALERS]
    coming, refused = with_reason(by_scalers, _COMING), with_reason(by_scalers, _NOT_COMING)
    if not coming or not _is_newer(coming, refused):
        return None
    waits = unbound(pod, events, deadlines)
    return replace(waits, kind=WaitKind.NODE, because=f"{coming[0].component} adds a node; {waits.because}")


def _is_newer(events: Sequence[Event], than: Sequence[Event]) -> bool:
    """Whether the last of the events is known to have come after the last of the others, or there are none."""
    if not than:
        return True
    last, others = _last(events), _last(than)
    return last is not None and others is not None and last >= others


def _last(events: Sequence[Event]) -> datetime | None:
    return max((event.last_at for event in events if event.last_at is not None), default=None)


def _attached(pod: objects.Pod, events: Sequence[Event], deadlines: Deadlines) -> Waiting | None:
    warnings = [event for event in events if event.type == _WARNING]
    by_attacher = (event for event in warnings if event.component == _ATTACHER)
    elsewhere = [event for event in by_attacher if event.message.startswith(_ATTACHED_ELSEWHERE)]
    if not elsewhere or not all(_UNATTACHED.match(event.message) for event in warnings):
        return None
    message = elsewhere[0].message
    return limited(
        WaitKind.VOLUME,
        StartProblemKind.PREPARING,
        deadlines,
        name=volumes_of(message),
        since=bound_at(pod) or began(elsewhere),
        because=message,
    )


def _quota(events: Sequence[Event]) -> Waiting | None:
    """The wait for a quota that others use up. A request that is larger than the quota never fits."""
    warnings = [event for event in events if event.type == _WARNING]
    if not warnings or warnings[0].component not in _CREATORS:
        return None
    message = warnings[0].message
    found = _QUOTA.search(message)
    if found is None or request_exceeds_quota(message):
        return None
    return Waiting(kind=WaitKind.QUOTA, name=found[1], since=began(warnings[:1]), because=message)
