"""Messages of the port <-> messages of the library."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import pulsar

from agent.broker.port import Delivery, Message
from agent.broker.pulsar.address import Names
from agent.broker.pulsar.positions import Position

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


def content_of(message: Message) -> dict[str, Any]:
    """A message as the library's send takes it. Event times are cut to milliseconds, as Pulsar keeps them."""
    return {
        "content": message.payload,
        "partition_key": message.key,
        "properties": dict(message.properties),
        "event_timestamp": None if message.event_time is None else milliseconds(message.event_time),
    }


def delivery_of(received: pulsar.Message, names: Names) -> Delivery:
    """A received message as a delivery, whose token is the library's message."""
    event_time = received.event_timestamp()
    return Delivery(
        topic=names.short(received.topic_name()),
        message=Message(
            key=received.partition_key(),
            payload=received.data(),
            properties=received.properties(),
            event_time=None if event_time == 0 else _moment(event_time),
        ),
        producer=received.producer_name(),
        published_at=published_at(received),
        redeliveries=received.redelivery_count(),
        position=str(Position.of(received.message_id())),
        token=received,
    )


def milliseconds(at: datetime) -> int:
    """A time as Pulsar counts it."""
    return (at - _EPOCH) // _MILLISECOND


def published_at(received: pulsar.Message) -> datetime:
    """When the producer published it, by the producer's clock."""
    return _moment(received.publish_timestamp())


def _moment(milliseconds: int) -> datetime:
    return _EPOCH + milliseconds * _MILLISECOND
