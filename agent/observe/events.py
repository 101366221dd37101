"""Kubernetes events as evidence."""

from collections.abc import Iterable
from datetime import UTC, datetime

from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.values import aware, count

_WARNING = "Warning"
_START_OF_TIME = datetime.min.replace(tzinfo=UTC)


def read_events(events: Iterable[objects.Event]) -> tuple[Event, ...]:
    """The events as evidence, most relevant first."""
    return rank(map(read_event, events))


def rank(events: Iterable[Event]) -> tuple[Event, ...]:
    """Warning first, newest first, those without a time last."""
    return tuple(sorted(events, key=_relevance, reverse=True))


def read_event(event: objects.Event) -> Event:
    series, source = event.series, event.source
    last = (series.lastObservedTime if series else None) or event.lastTimestamp or event.eventTime
    return Event(
        reason=event.reason or "",
        message=event.message or "",
        type=event.type or "",
        count=max(1, count(event.count), count(series.count)) if series else count(event.count) or 1,
        first_at=aware(event.firstTimestamp or event.eventTime),
        last_at=aware(last or event.metadata.creationTimestamp),
        component=(source.component if source else None) or event.reportingComponent or "",
    )


def _relevance(event: Event) -> tuple[bool, datetime]:
    return event.type == _WARNING, event.last_at or _START_OF_TIME
