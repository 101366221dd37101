"""What the events of a pod say about its start."""

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from typing import Final

from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.deadlines import earliest
from agent.observe.node_clock import SCHEDULED
from agent.observe.values import aware

FAILED_SCHEDULING: Final = frozenset({"FailedScheduling"})
FAILED_STARTS: Final = frozenset({"Failed", "BackOff", "ErrImageNeverPull", "InspectFailed"})
"""Of the kubelet about a container that it could not start."""

FAILED_VOLUMES: Final = frozenset({"FailedAttachVolume", "FailedMount", "FailedMapVolume"})
_PULLING: Final = "Pulling"
_PULLED: Final = "Pulled"
_QUOTED: Final = re.compile(r'image "([^"]+)"')
_VOLUME: Final = re.compile(r'volume "([^"]+)"')
_UNMOUNTED: Final = re.compile(r"unmounted volumes=\[([^\]]{1,2000}+)\]")
_GATED: Final = "SchedulingGated"


def with_reason(events: Sequence[Event], reasons: Collection[str]) -> tuple[Event, ...]:
    """The events that have one of the reasons."""
    return tuple(event for event in events if event.reason in reasons)


def began(events: Sequence[Event]) -> datetime | None:
    """When the first of the events was first seen."""
    return earliest(*(event.first_at or event.last_at for event in events))


def pulling(events: Sequence[Event]) -> Iterator[tuple[str, Event]]:
    """The images that are pulled and not there yet, each with the event that says so."""
    pulled = {image for event in events if event.reason == _PULLED for image in _QUOTED.findall(event.message)}
    for event in events:
        if event.reason == _PULLING and (found := _QUOTED.search(event.message)) and found[1] not in pulled:
            yield found[1], event


def volumes_of(message: str) -> str:
    """The volumes that an event names; empty if none."""
    found = _VOLUME.search(message) or _UNMOUNTED.search(message)
    return ", ".join(found[1].split()) if found else ""


def seen(pod: objects.Pod, events: Sequence[Event]) -> Iterator[datetime]:
    """When something was seen of the pod: by its conditions, and by the events about it."""
    changes = (aware(known.lastTransitionTime) for known in pod.status.conditions or ())
    return (at for at in (*changes, *(event.last_at for event in events)) if at is not None)


def condition(pod: objects.Pod, kind: str) -> objects.PodCondition | None:
    """The pod's condition of this type."""
    return next((known for known in pod.status.conditions or () if known.type == kind), None)


def scheduled(pod: objects.Pod) -> bool | None:
    """Whether the scheduler found a node; ``None`` if it has not said since the pod lost its gates."""
    known = condition(pod, SCHEDULED)
    if known is None or (known.status == "False" and known.reason == _GATED):
        return None
    return known.status == "True"
