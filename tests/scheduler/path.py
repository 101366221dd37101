"""The scheduler's path as a test drives it: a log, a store, and what is published and found."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Self

from agent.backoff import Backoff
from agent.broker.connect import connect
from agent.broker.consume.consumer import ConsumeLimits, Consumer, Handle, Source
from agent.broker.eventlog import EventLog
from agent.broker.eventlog.log import LogSettings
from agent.broker.port import Broker, BrokerError, Delivery, Message, SendOutcome, SubscriptionKind
from agent.core.retry.catalog import Catalog
from agent.core.retry.policy import RetrySettings
from agent.core.run_event import RunEvent
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.handler import SUBSCRIPTION, Decisions, StoredAttempts, topics_of
from agent.store.store import Store
from agent.store.tables.verdicts import table as verdict_table
from agent.wire.events import encode
from tests.core.retry.builders import Row, compiled
from tests.servers.patience import pause

TOPIC = "run-events-east"
PATIENCE_SECONDS = 60.0
POLICY: Row = {"name": "ml", "rules": [{"name": "oom", "retryLimit": 3, "onConditions": ["OOMKilled"]}]}

QUICK = LogSettings(
    lease=timedelta(milliseconds=500), nack=timedelta(milliseconds=10), upkeep=timedelta(milliseconds=100)
)


def decision_inputs(policy: Row = POLICY) -> DecisionInputs:
    return DecisionInputs(
        catalog=catalog(policy),
        settings=RetrySettings(enabled=True),
        grace_period=timedelta(seconds=30),
        draw=lambda: 0.0,
    )


def catalog(*rows: Row) -> Catalog:
    """The policies of these rows; the first decides for every job."""
    known = {one.policy.name: one for one in compiled(*rows)}
    return Catalog(known, default=next(iter(known)))


def now() -> datetime:
    return datetime.now(UTC)


def message(event: RunEvent) -> Message:
    return Message(key=event.identity.scope, payload=encode(event))


def delivery(sent: Message, *, published_at: datetime | None = None) -> Delivery:
    """The message as a broker delivers it; published now, if nothing else is said."""
    return Delivery(
        topic=TOPIC,
        message=sent,
        producer="agent",
        published_at=published_at or now(),
        redeliveries=0,
        position="1",
        token=None,
    )


def publish(broker: Broker, messages: Sequence[Message], *, topic: str = TOPIC) -> None:
    """Send after what was sent before, and wait for the broker to have it."""
    outcomes: list[SendOutcome | BrokerError] = []
    broker.ensure_subscription(topic, SUBSCRIPTION)
    producer = broker.producer(topic, name=f"agent-{topic}")
    first = max(producer.last_sequence_id(), 0) + 1
    for number, one in enumerate(messages, start=first):
        producer.send(one, sequence_id=number, done=outcomes.append)
    producer.flush(PATIENCE_SECONDS)
    producer.close()
    assert outcomes == [SendOutcome.STORED] * len(messages)


def verdicts_of(store: Store) -> dict[str, str]:
    """The action decided for each run."""
    with store.read() as connection:
        return {row.run_id: row.action for row in connection.execute(verdict_table.select())}


def wait_until(holds: Callable[[], bool]) -> None:
    """Return when it holds; fail after a long time."""
    began = time.monotonic()
    while not holds():
        waited = time.monotonic() - began
        assert waited < PATIENCE_SECONDS, "it did not come to hold"
        time.sleep(pause(waited))


@dataclass(frozen=True)
class Place:
    """Where one test keeps its messages and its store."""

    broker_url: str
    store_url: str
    log_settings: LogSettings = QUICK
    """Of an event log."""

    @classmethod
    def in_files(cls, folder: Path) -> Self:
        """An event log and a SQLite file, as out of the box."""
        return cls(broker_url=f"sqlite:///{folder}/log.db", store_url=f"sqlite:///{folder}/store.db")

    def open_log(self) -> Broker:
        """Another client of the broker."""
        if self.broker_url.startswith("sqlite"):
            return EventLog.open(self.broker_url.removeprefix("sqlite:///"), settings=self.log_settings)
        return connect(self.broker_url)

    @contextmanager
    def scheduler(self, name: str = "one", *, handle: Handle | None = None, batch: int = 500) -> Iterator[Consumer]:
        """A scheduler's consumer running in a thread, with a log and a store of its own opening.

        ``handle`` stands in for inputs.
        """
        broker, stop = self.open_log(), Event()
        with Store.open(self.store_url) as store:
            consumer = Consumer(
                broker,
                Source(
                    topics=lambda: topics_of(broker),
                    subscription=SUBSCRIPTION,
                    kind=SubscriptionKind.KEY_SHARED,
                    consumer=name,
                ),
                handle or Decisions(store, inputs=decision_inputs(), clock=lambda _: now()).handle,
                attempts=StoredAttempts(store, clock=lambda _: now()),
                limits=ConsumeLimits(
                    batch=batch, discover=0.1, idle=0.05, linger=0.01, backoff=Backoff(first=0.01, most=0.05)
                ),
            )
            thread = Thread(target=consumer.run, args=(stop,))
            thread.start()
            try:
                yield consumer
            finally:
                stop.set()
                thread.join()
                broker.close()
