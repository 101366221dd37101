"""The event log: a durable broker in one SQLite file, shared by several processes of one machine."""

import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import Event, Lock, Thread
from typing import Final, Self

import structlog

from agent.broker.eventlog import topics
from agent.broker.eventlog.database import Clock, Database, microseconds, translated
from agent.broker.eventlog.dead_letters import LogDeadLetters
from agent.broker.eventlog.producer import LogProducer, open_producer
from agent.broker.eventlog.reader import LogReader
from agent.broker.eventlog.retention import Retention, trim
from agent.broker.eventlog.subscription import ConsumerSpec, LogSubscription, open_subscription
from agent.broker.port import BrokerError, Retained, SubscriptionKind, TopicTaken
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)
_TRIM_SECONDS: Final = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """``lease``: how long a silent consumer keeps what it was given. ``nack``: delay before a redelivery.

    ``upkeep``: how often leases are renewed; ``None`` if the caller calls ``upkeep`` and ``trim`` itself.
    """

    lease: timedelta = timedelta(seconds=3)
    nack: timedelta = timedelta(seconds=1)
    upkeep: timedelta | None = timedelta(milliseconds=700)
    retention: Retention = field(default_factory=Retention)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogAcknowledged:
    """Fits ``agent.broker.port.Acknowledged``. ``first_pending``: the first message that is not acknowledged."""

    first_pending: int | None

    def before(self, position: str) -> bool:
        if not position.isdecimal():
            return False
        return self.first_pending is None or int(position) <= self.first_pending

    def everything(self) -> bool:
        return self.first_pending is None


class EventLog:
    """A broker in a file. Opened by ``open``; fits ``agent.broker.port.Broker``."""

    def __init__(
        self, database: Database, connection: sqlite3.Connection, *, settings: LogSettings, clock: Clock
    ) -> None:
        self._database = database
        self._connection = connection
        self._settings = settings
        self._clock = clock
        self._lock = Lock()
        self._stop = Event()
        self._producers: list[LogProducer] = []
        self._subscriptions: list[LogSubscription] = []
        self._upkeep_thread: Thread | None = None

    @classmethod
    def open(cls, path: str, *, settings: LogSettings | None = None, clock: Clock = lambda: datetime.now(UTC)) -> Self:
        """Open the log at ``path``; create it, and its folder, if it does not exist.

        Raises Unreachable if the file cannot be opened, UnusableLog if it holds something else, is damaged, or has
        another schema version.
        """
        database = Database(path=path)
        connection = database.connect(durable=False)
        try:
            return cls(database.opened(), connection, settings=settings or LogSettings(), clock=clock)
        except BaseException:
            connection.close()
            raise

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> LogProducer:
        """Open a producer. It fences every earlier one of its name, and if ``exclusive`` every other of the topic."""
        opened = open_producer(self._database, topic, name=name, exclusive=exclusive, clock=self._clock)
        with self._lock:
            self._producers = [*(producer for producer in self._producers if not producer.closed), opened]
        return opened

    def subscribe(self, names: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str) -> LogSubscription:
        spec = ConsumerSpec(
            name=name,
            kind=kind,
            consumer=consumer,
            lease_us=self._settings.lease // timedelta(microseconds=1),
            nack_us=self._settings.nack // timedelta(microseconds=1),
        )
        opened = open_subscription(self._database, names, spec=spec, clock=self._clock)
        with self._lock:
            self._subscriptions.append(opened)
            self._ensure_upkeep()
        return opened

    def ensure_subscription(self, topic: str, name: str) -> None:
        with self._writing():
            topics.ensure_subscription(self._connection, topics.ensure_topic(self._connection, topic), name)

    def claim(self, topic: str, *, owner: str) -> None:
        with self._writing():
            number = topics.ensure_topic(self._connection, topic)
            if (first := topics.claim(self._connection, number, owner)) != owner:
                raise TopicTaken(topic, first)

    def release(self, topic: str) -> bool:
        with self._writing():
            return topics.release(self._connection, topic)

    def dead_letters(self, topic: str) -> LogDeadLetters:
        """Open the dead letters in a topic; a topic that does not exist has none."""
        return LogDeadLetters(self._database, topic)

    def dead_letter_keys(self, topic: str) -> frozenset[str]:
        """The keys of the dead letters in a topic; a topic that does not exist has none."""
        with self._reading():
            return topics.keys(self._connection, topic)

    def acknowledged(self, topic: str, subscription: str) -> LogAcknowledged:
        with self._reading():
            return LogAcknowledged(first_pending=topics.first_pending(self._connection, topic, subscription))

    def retained(self, topic: str, subscription: str) -> Retained:
        with self._reading(), self._snapshot():
            return topics.retained(self._connection, topic, subscription)

    def reader(self, topic: str, *, since: datetime | None = None) -> LogReader:
        return LogReader(self._database, topic, since=since)

    def topics(self, prefix: str) -> Sequence[str]:
        with self._reading():
            rows = self._connection.execute(
                "SELECT name FROM topic WHERE substr(name, 1, ?) = ? ORDER BY name", (len(prefix), prefix)
            )
            return [name for (name,) in rows]

    def ping(self) -> None:
        """Raise Unreachable unless the file can be read and is still the file that was opened."""
        with self._reading():
            self._connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()

    def upkeep(self) -> None:
        """Renew the leases of what this broker opened."""
        with self._lock:
            self._subscriptions = [subscription for subscription in self._subscriptions if not subscription.closed]
            # One transaction for all leases: each one taken alone would wait for the write lock.
            with self._database.transaction(self._connection):
                for subscription in self._subscriptions:
                    subscription.renew_lease(self._connection)

    def trim(self) -> int:
        """Delete some of the messages that need not be kept; return how many, 0 when none is left."""
        with self._writing():
            return trim(self._connection, self._settings.retention, now_us=microseconds(self._clock()))

    def close(self) -> None:
        self._stop.set()
        if self._upkeep_thread is not None:
            self._upkeep_thread.join()
        for producer in self._producers:
            producer.close()
        for subscription in self._subscriptions:
            subscription.close()
        with self._lock:
            self._connection.close()

    def _ensure_upkeep(self) -> None:
        if self._upkeep_thread is None and self._settings.upkeep is not None:
            self._upkeep_thread = Thread(
                target=self._keep_up, args=(self._settings.upkeep.total_seconds(),), name="event log", daemon=True
            )
            self._upkeep_thread.start()

    def _keep_up(self, seconds: float) -> None:
        trimmed, failures = time.monotonic(), Repetition()
        while not self._stop.wait(seconds):
            try:
                self.upkeep()
                if time.monotonic() - trimmed > _TRIM_SECONDS and self.trim() == 0:
                    trimmed = time.monotonic()
                failures.over()
            except BrokerError as error:
                if failures.is_due(str(error)):
                    _log.warning("event log upkeep failed; leases are renewed at the next attempt", error=str(error))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        self._database.check()
        with self._lock, translated(self._database.path):
            yield

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        """One state of the log for several questions."""
        self._connection.execute("BEGIN")
        try:
            yield
        finally:
            self._connection.execute("ROLLBACK")

    @contextmanager
    def _writing(self) -> Iterator[None]:
        with self._lock, self._database.transaction(self._connection):
            yield
