"""What a message of the broker says, as the store takes it. Pure."""

from collections.abc import Callable, Mapping
from typing import Final

from msgspec.structs import replace

from agent.broker.port import Delivery
from agent.core.heartbeat import Heartbeat
from agent.core.run_event import RunsListed
from agent.lookout.ingest.topics import MessageKind, kind_in
from agent.lookout.store.entries import Entry
from agent.wire import events, heartbeat, job_event


def read(delivery: Delivery) -> Entry | None:
    """What it says; ``None`` for a page of a list, which has only what is known otherwise.

    Raises WireError if it cannot be read, TooNew if only a later version can.
    """
    return _READERS[kind_in(delivery.topic)](delivery)


def _run_event(delivery: Delivery) -> Entry | None:
    report = events.decode_any(delivery.message.payload)
    return None if isinstance(report, RunsListed) else report


def _job_event(delivery: Delivery) -> Entry:
    return job_event.decode(delivery.message.payload)


def _heartbeat(delivery: Delivery) -> Heartbeat:
    """A heartbeat with the time when it was sent: earlier agents say none, and the broker's is close to it."""
    beat = heartbeat.decode(delivery.message.payload)
    return beat if beat.sent_at is not None else replace(beat, sent_at=delivery.published_at)


_READERS: Final[Mapping[MessageKind, Callable[[Delivery], Entry | None]]] = {
    MessageKind.RUN_EVENT: _run_event,
    MessageKind.JOB_EVENT: _job_event,
    MessageKind.HEARTBEAT: _heartbeat,
}
