"""A consumer of an event log: it takes messages under a lease that is renewed while its process lives."""

import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Event, RLock
from typing import Final

import structlog

from agent.broker.dead_letters import as_dead_letter
from agent.broker.eventlog import consumers, deliveries, topics
from agent.broker.eventlog.database import Clock, Database, microseconds, translated
from agent.broker.eventlog.deliveries import DeliveryQuery, DeliveryToken
from agent.broker.port import BrokerError, Delivery, SubscriptionKind, Unreachable
from agent.broker.topics import dead_letter_topic

_log = structlog.get_logger(__name__)
_POLL_SECONDS: Final = 0.01
_POLL_SECONDS_IDLE: Final = 0.025
_IDLE_AFTER_SECONDS: Final = 1.0
_CHECK_ANYWAY_SECONDS: Final = 0.2
"""Look at least this often: a lease or a delay that runs out commits nothing to the log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumerSpec:
    """A consumer and its limits. ``lease_us``: kept after the last renewal; ``nack_us``: delay before a redelivery."""

    name: str
    kind: SubscriptionKind
    consumer: str
    lease_us: int
    nack_us: int


class LogSubscription:
    """Receives from topics under a subscription's name; opened by ``open_subscription``."""

    def __init__(
        self,
        database: Database,
        connection: sqlite3.Connection,
        *,
        spec: ConsumerSpec,
        subscriptions: Mapping[int, str],
        clock: Clock,
    ) -> None:
        self._database = database
        self._connection = connection
        self._spec = spec
        self._topics = dict(subscriptions)
        self._order = list(subscriptions)
        self._clock = clock
        self._lock = RLock()
        self._closed = Event()
        self._consumer = self._join()

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def receive(self, *, at_most: int, timeout: float) -> Sequence[Delivery]:
        """Up to ``at_most`` deliveries; looks at least once, then whenever something was committed to the log."""
        started = time.monotonic()
        checked, version = started, self._data_version()
        got = self._take(at_most)
        while not got and (left := started + timeout - time.monotonic()) > 0:
            idle = time.monotonic() - started > _IDLE_AFTER_SECONDS
            if self._closed.wait(min(left, _POLL_SECONDS_IDLE if idle else _POLL_SECONDS)):
                raise Unreachable("the subscription is closed")
            now, current = time.monotonic(), self._data_version()
            if current != version or now - checked > _CHECK_ANYWAY_SECONDS:
                checked, version = now, current
                got = self._take(at_most)
        return got

    def ack(self, given: Sequence[Delivery]) -> None:
        """Mark these as handled, even if the lease was lost meanwhile: their effect is stored."""
        with self._writing():
            for delivery in given:
                deliveries.acknowledge(self._connection, _token(delivery))

    def nack(self, given: Sequence[Delivery]) -> None:
        """Have these delivered again after the delay; later messages of their keys wait for them."""
        with self._writing():
            visible_us = self._now_us() + self._spec.nack_us
            for delivery in given:
                deliveries.give_back(self._connection, _token(delivery), consumer=self._consumer, visible_us=visible_us)

    def dead_letter(self, delivery: Delivery, *, error: str) -> None:
        """Move one to its dead-letter topic and acknowledge it, in one transaction; nothing if it was acknowledged."""
        target = dead_letter_topic(delivery.topic, self._spec.name)
        with self._writing():
            if deliveries.acknowledge(self._connection, _token(delivery)):
                topic = topics.ensure_topic(self._connection, target)
                topics.append(self._connection, topic, self._as_stored(delivery, error))

    def close(self) -> None:
        """Stop consuming; what was not acknowledged is delivered again at once, or when the lease ends."""
        if self.closed:
            return
        self._closed.set()
        with self._lock:
            try:
                with self._database.transaction(self._connection):
                    consumers.leave(self._connection, self._consumer, self._order)
            except BrokerError as error:
                _log.warning(
                    "the consumer could not return its messages; they are delivered again when its lease ends",
                    consumer=self._spec.consumer,
                    error=str(error),
                )
            finally:
                self._connection.close()

    def renew_lease(self, connection: sqlite3.Connection) -> None:
        """Renew the lease over a connection in a transaction. If it was lost, ``receive`` joins again."""
        if not self.closed:
            consumers.renew(connection, self._consumer, lease_us=self._lease_us())

    def _take(self, at_most: int) -> Sequence[Delivery]:
        with self._lock, translated(self._database.path):
            # Look without the write lock first: idle consumers must not hold up producers.
            if not self._may_have_work():
                return ()
            with self._database.transaction(self._connection):
                return self._take_inside(at_most)

    def _may_have_work(self) -> bool:
        if not consumers.exists(self._connection, self._consumer):
            return True
        if consumers.any_expired(self._connection, now_us=self._now_us()):
            return True
        return any(
            deliveries.ready(self._connection, self._query(subscription), at_most=1) for subscription in self._order
        )

    def _take_inside(self, at_most: int) -> Sequence[Delivery]:
        self._keep_lease()
        consumers.remove_expired(self._connection, now_us=self._now_us())
        # Start with another topic each time, so that a busy one cannot starve the others.
        self._order.append(self._order.pop(0))
        got: list[Delivery] = []
        for subscription in self._order:
            if len(got) < at_most:
                got += self._take_from(subscription, at_most - len(got))
        return got

    def _take_from(self, subscription: int, at_most: int) -> Sequence[Delivery]:
        query = self._query(subscription)
        messages = deliveries.ready(self._connection, query, at_most=at_most)
        deliveries.hand_out(self._connection, query, messages)
        topic = self._topics[subscription]
        return [
            deliveries.read(self._connection, topic, DeliveryToken(subscription=subscription, message=message))
            for message in messages
        ]

    def _query(self, subscription: int) -> DeliveryQuery:
        slots = consumers.slots_for(self._connection, subscription, self._consumer, self._spec.kind)
        return DeliveryQuery(subscription=subscription, consumer=self._consumer, slots=slots, now_us=self._now_us())

    def _join(self) -> int:
        with self._database.transaction(self._connection):
            consumers.remove_expired(self._connection, now_us=self._now_us())
            return self._join_inside()

    def _join_inside(self) -> int:
        return consumers.join(
            self._connection,
            self._order,
            name=self._spec.consumer,
            kind=self._spec.kind,
            lease_us=self._lease_us(),
        )

    def _keep_lease(self) -> None:
        if not consumers.renew(self._connection, self._consumer, lease_us=self._lease_us()):
            self._consumer = self._join_inside()

    def _as_stored(self, delivery: Delivery, error: str) -> topics.StoredMessage:
        return topics.StoredMessage(
            message=as_dead_letter(delivery, subscription=self._spec.name, error=error),
            producer=f"{self._spec.name}/{self._spec.consumer}",
            sequence=None,
            published_us=self._now_us(),
        )

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, self._database.transaction(self._connection):
            yield

    def _data_version(self) -> int:
        with self._lock, translated(self._database.path):
            return int(self._connection.execute("PRAGMA data_version").fetchone()[0])

    def _now_us(self) -> int:
        return microseconds(self._clock())

    def _lease_us(self) -> int:
        return self._now_us() + self._spec.lease_us


def _token(delivery: Delivery) -> DeliveryToken:
    if not isinstance(delivery.token, DeliveryToken):
        raise TypeError(f"this delivery came from another broker: {delivery.token!r}")
    return delivery.token


def open_subscription(database: Database, names: Sequence[str], *, spec: ConsumerSpec, clock: Clock) -> LogSubscription:
    """Open a consumer of each topic, creating topics and subscriptions that do not exist."""
    connection = database.connect(durable=False)
    try:
        with database.transaction(connection):
            numbers = {name: topics.ensure_topic(connection, name) for name in names}
            subscriptions = {
                topics.ensure_subscription(connection, number, spec.name): name for name, number in numbers.items()
            }
        return LogSubscription(database, connection, spec=spec, subscriptions=subscriptions, clock=clock)
    except BaseException:
        connection.close()
        raise
