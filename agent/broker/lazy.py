"""A broker that may be unreachable when the process starts; failures are spooled meanwhile."""

from collections.abc import Callable, Sequence
from datetime import datetime
from threading import Lock
from typing import Self

import structlog

from agent.broker.connect import open_broker
from agent.broker.port import (
    Acknowledged,
    Broker,
    DeadLetters,
    Producer,
    Retained,
    Subscription,
    SubscriptionKind,
    TopicReader,
    Unreachable,
)
from agent.settings.broker import BrokerSettings

_log = structlog.get_logger(__name__)


class LazyBroker:
    """Fits ``agent.broker.port.Broker``. Connects when it first can; until then every call raises Unreachable."""

    def __init__(self, connect: Callable[[], Broker]) -> None:
        self._connect = connect
        self._lock = Lock()
        self._broker: Broker | None = None

    @classmethod
    def open(cls, settings: BrokerSettings) -> Self:
        """Connect now if the broker answers. Raises those errors of ``open_broker`` that trying again cannot fix."""
        broker = cls(lambda: open_broker(settings))
        try:
            broker.ping()
        except Unreachable as error:
            _log.warning("the broker does not answer yet; failures are spooled meanwhile", error=str(error))
        return broker

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> Producer:
        return self._connected().producer(topic, name=name, exclusive=exclusive)

    def subscribe(self, topics: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str) -> Subscription:
        return self._connected().subscribe(topics, name=name, kind=kind, consumer=consumer)

    def ensure_subscription(self, topic: str, name: str) -> None:
        self._connected().ensure_subscription(topic, name)

    def claim(self, topic: str, *, owner: str) -> None:
        self._connected().claim(topic, owner=owner)

    def release(self, topic: str) -> bool:
        return self._connected().release(topic)

    def dead_letters(self, place: str) -> DeadLetters:
        return self._connected().dead_letters(place)

    def dead_letter_keys(self, topic: str) -> frozenset[str] | None:
        return self._connected().dead_letter_keys(topic)

    def acknowledged(self, topic: str, subscription: str) -> Acknowledged | None:
        return self._connected().acknowledged(topic, subscription)

    def retained(self, topic: str, subscription: str) -> Retained:
        return self._connected().retained(topic, subscription)

    def reader(self, topic: str, *, since: datetime | None = None) -> TopicReader:
        return self._connected().reader(topic, since=since)

    def topics(self, prefix: str) -> Sequence[str]:
        return self._connected().topics(prefix)

    def ping(self) -> None:
        self._connected().ping()

    def close(self) -> None:
        with self._lock:
            if self._broker is not None:
                self._broker.close()

    def _connected(self) -> Broker:
        with self._lock:
            if self._broker is None:
                self._broker = self._connect()
            return self._broker
