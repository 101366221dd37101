"""Heartbeats of clusters, from the broker to the store."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.broker.consume.consumer import TransientError
from agent.broker.port import Broker, Delivery
from agent.broker.topics import HEARTBEATS, is_heartbeat_topic
from agent.core.heartbeat import Heartbeat
from agent.scheduler.consume.handler import Clock
from agent.store import clusters
from agent.store.errors import StoreOutdated, StoreUnreachable
from agent.store.store import Store
from agent.telemetry import scheduler_metrics as metrics
from agent.wire import heartbeat as wire
from agent.wire.error import WireError

_log = structlog.get_logger(__name__)

HEARTBEAT_SUBSCRIPTION: Final = "scheduler-heartbeats"


def heartbeat_topics_of(broker: Broker) -> Sequence[str]:
    """The topics that clusters send heartbeats to, that of earlier agents included."""
    return [topic for topic in broker.topics(HEARTBEATS) if is_heartbeat_topic(topic)]


_Received = tuple[Heartbeat, datetime]


class Heartbeats:
    """Keeps the latest heartbeat of each cluster.

    One that waited in the broker counts from when it was published: a scheduler that starts reads old ones, too. One
    that cannot be read is logged and left out, because the next one comes within seconds.
    """

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def handle(self, deliveries: Sequence[Delivery]) -> None:
        """Raises TransientError if the store is unavailable."""
        received = [read for delivery in deliveries if (read := _read(delivery)) is not None]
        latest = {(beat.cluster_id, beat.epoch): (beat, at) for beat, at in received}
        try:
            with self._store.write() as connection:
                self._record(connection, list(latest.values()))
        except (StoreUnreachable, StoreOutdated) as error:
            raise TransientError(f"the store does not answer: {error}") from error
        for beat, _ in received:
            metrics.HEARTBEATS.labels(beat.cluster).inc()

    def _record(self, connection: Connection, received: Sequence[_Received]) -> None:
        now = self._clock(connection)
        for beat, published_at in received:
            clusters.record(connection, beat, received_at=min(published_at, now))


def _read(delivery: Delivery) -> _Received | None:
    try:
        return wire.decode(delivery.message.payload), delivery.published_at
    except WireError as error:
        _log.warning(
            "a heartbeat cannot be read; the next one is waited for", producer=delivery.producer, error=str(error)
        )
        return None
