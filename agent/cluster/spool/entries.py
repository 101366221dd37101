"""What the spool is asked to remember."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from agent.core.failure import RunEvent
from agent.wire import events


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An event of a pod, to be published once. Spooling it again while the pod exists changes nothing."""

    event_id: str
    pod_uid: str
    key: str
    payload: bytes
    properties: Mapping[str, str]
    event_time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A pod as far as it is known; replaces what was known of it."""

    uid: str
    entry: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """A pod that is gone for good: neither it nor what was reported of it needs to be known any longer."""

    uid: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A report that is kept until the pod is removed, and not published before. Twice is the same as once."""

    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """What is held under this event id is to be published."""

    event_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """Instead of what is held under this event id, this is to be published."""

    event_id: str
    report: Report


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """What is held under this event id is no longer true, and may happen again."""

    event_id: str


SpoolEntry = Report | Known | Forgotten | Held | Released | Replaced | Dropped


def event_report(event: RunEvent) -> Report:
    """What the spool remembers of an event."""
    return Report(
        event_id=event.event_id,
        pod_uid=event.pod.uid,
        key=event.identity.scope,
        payload=events.encode(event),
        properties={"event_id": event.event_id, "schema_version": str(events.SCHEMA_VERSION)},
        event_time=event.occurred_at,
    )
