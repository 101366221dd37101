"""Events packed: what is read of an event, in as few bytes as it takes to keep a hundred thousand of them."""

from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from agent.kube import objects


class _Packed(Struct, array_like=True, frozen=True, gc=False):
    type: str | None
    reason: str | None
    message: str | None
    count: int | None
    first: datetime | None
    last: datetime | None
    at: datetime | None
    created: datetime | None
    component: str | None
    reporter: str | None
    series_count: int | None
    series_last: datetime | None


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(_Packed)


def pack(event: objects.Event) -> bytes:
    """What was said, and when; neither the event's name nor what it is about."""
    series = event.series or objects.EventSeries()
    return _ENCODER.encode(
        _Packed(
            event.type,
            event.reason,
            event.message,
            event.count,
            event.firstTimestamp,
            event.lastTimestamp,
            event.eventTime,
            event.metadata.creationTimestamp,
            event.source.component if event.source else None,
            event.reportingComponent,
            series.count,
            series.lastObservedTime,
        )
    )


def unpack(packed: bytes, *, uid: str, about: objects.ObjectReference) -> objects.Event:
    """The event again, as far as it was kept."""
    said = _DECODER.decode(packed)
    return objects.Event(
        metadata=objects.Metadata(uid=uid, creationTimestamp=said.created),
        involvedObject=about,
        type=said.type,
        reason=said.reason,
        message=said.message,
        count=said.count,
        firstTimestamp=said.first,
        lastTimestamp=said.last,
        eventTime=said.at,
        source=objects.EventSource(component=said.component),
        reportingComponent=said.reporter,
        series=objects.EventSeries(count=said.series_count, lastObservedTime=said.series_last),
    )
