"""Events: what the cluster said of a pod."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.values import aware, count

_WARNING = "Warning"
_START_OF_TIME = datetime.min.replace(tzinfo=UTC)
_END_OF_TIME = datetime.max.replace(tzinfo=UTC)


def read_events(events: Iterable[objects.Event]) -> tuple[Event, ...]:
    """The events as evidence: Warning first, newest first, those without a time last."""
    return tuple(sorted(map(_read, events), key=_rank))


def _read(event: objects.Event) -> Event:
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


def _rank(event: Event) -> tuple[bool, timedelta]:
    return event.type != _WARNING, _END_OF_TIME - (event.last_at or _START_OF_TIME)
