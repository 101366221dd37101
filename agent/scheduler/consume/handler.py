"""Handles a batch of messages: decode, decide, commit once. The consumer acknowledges."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from sqlalchemy import Connection

from agent.broker.consume.consumer import NewerVersionNeeded, PoisonError, TransientError
from agent.broker.port import Broker, Delivery
from agent.broker.publish.in_flight import SEQUENCE, SPOOL_ID
from agent.broker.topics import EVENTS, dead_letter_topic
from agent.core.run_event import RuleSetLoaded, RunsListed
from agent.scheduler.consume import listed, stored, transaction
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.counts import count
from agent.scheduler.consume.listed import ReceivedPage
from agent.scheduler.consume.numbers import NUMBER, numbers_of
from agent.scheduler.consume.transaction import Committed
from agent.store import attempts, rule_sets, sequences
from agent.store.errors import StoreOutdated, StoreUnreachable
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.submitted import lookup
from agent.telemetry import scheduler_metrics as metrics
from agent.wire import events as wire
from agent.wire.error import TooNew, WireError

SUBSCRIPTION = "scheduler"

Clock = Callable[[Connection], datetime]
"""The time within a transaction."""


def topics_of(broker: Broker) -> Sequence[str]:
    """The topics that clusters publish to, without their dead letters."""
    dead = dead_letter_topic("", SUBSCRIPTION)
    return [topic for topic in broker.topics(EVENTS) if not topic.endswith(dead)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Batch:
    """What was received, by kind."""

    deliveries: Sequence[Delivery]
    reports: Sequence[ReceivedEvent]
    loaded: Sequence[RuleSetLoaded]
    pages: Sequence[ReceivedPage]

    @classmethod
    def of(cls, deliveries: Sequence[Delivery]) -> "_Batch":
        """Raises PoisonError if a message cannot be read, NewerVersionNeeded if only a later version can."""
        received = _read_all(deliveries)
        return cls(
            deliveries=deliveries,
            reports=[message for message in received if isinstance(message, ReceivedEvent)],
            loaded=[message for message in received if isinstance(message, RuleSetLoaded)],
            pages=[message for message in received if isinstance(message, ReceivedPage)],
        )


class Decisions:
    """Handles all messages of a batch or none. Handling one twice has the effect of once."""

    def __init__(self, store: Store, *, inputs: DecisionInputs, clock: Clock) -> None:
        self._store = store
        self._inputs = inputs
        self._clock = clock
        self._any_job = False

    def use(self, inputs: DecisionInputs) -> None:
        """Decide by these inputs from the next batch on. May be called on any thread."""
        self._inputs = inputs

    def handle(self, deliveries: Sequence[Delivery]) -> None:
        """Store what is new and decide what has to be decided.

        Raises PoisonError if a message cannot be read, NewerVersionNeeded if only a later version can, TransientError
        if the store is unavailable.
        """
        batch = _Batch.of(deliveries)
        try:
            with metrics.DECIDE_SECONDS.time():
                done = self._commit(batch)
        except StoreUnreachable as error:
            metrics.STORE_RETRIES.inc()
            raise TransientError(f"the store does not answer: {error}") from error
        except StoreOutdated as error:
            # A process of a later version has migrated: this one waits, unready, until it is replaced.
            metrics.STORE_RETRIES.inc()
            raise TransientError(f"another version has migrated the store: {error}") from error
        metrics.EVENTS.labels("rule-set").inc(len(batch.loaded))
        metrics.EVENTS.labels("runs-listed").inc(len(batch.pages))
        count(batch.reports, done)

    def _commit(self, batch: _Batch) -> Committed:
        reports = [*batch.reports, *self._listed(batch.pages)]
        scopes = {report.event.identity.scope for report in reports} | listed.scopes(batch.pages)
        while True:
            with self._store.decide(scopes) as connection:
                jobs = self._submitted(connection, reports)
                if jobs <= scopes:
                    return self._decide(connection, replace(batch, reports=reports), jobs)
            # Labels named other jobs than those whose pods the events are about.
            scopes |= jobs

    def _listed(self, pages: Sequence[ReceivedPage]) -> Sequence[ReceivedEvent]:
        """The pods in lists that count as created, as far as it can be seen without a lock."""
        if not pages:
            return ()
        with self._store.read() as connection:
            return listed.created(connection, pages)

    def _submitted(self, connection: Connection, reports: Sequence[ReceivedEvent]) -> set[str]:
        """The submitted jobs that the events are about."""
        self._any_job = self._any_job or lookup.any_job(connection)
        return stored.jobs_about(connection, reports) if self._any_job else set()

    def _decide(self, connection: Connection, batch: _Batch, jobs: Collection[str]) -> Committed:
        # Read after the lock was taken, because waiting for it may take long.
        now, read_at = self._clock(connection), time.monotonic()
        done = transaction.take(connection, batch.reports, submitted=jobs, inputs=self._inputs, now=now)
        if batch.loaded:
            rule_sets.record(connection, batch.loaded)
        listed.keep(connection, batch.pages, now=now)
        sequences.record(connection, numbers_of(batch.deliveries, subscription=SUBSCRIPTION, at=now))
        return replace(done, at=now + timedelta(seconds=time.monotonic() - read_at))


class StoredAttempts:
    """Counts failed attempts in the store; fits ``agent.broker.consume.batch.Attempts``."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def failed(self, fingerprint: str, *, error: str) -> int:
        """Raises StoreError."""
        with self._store.write() as connection:
            return attempts.failed(connection, fingerprint, error=error, now=self._clock(connection))

    def forget(self, fingerprint: str) -> None:
        """Raises StoreError."""
        with self._store.write() as connection:
            attempts.forget(connection, fingerprint)

    def dies(self, delivery: Delivery, *, subscription: str) -> None:
        """Its number is not missing: the message is among the dead letters from now on. Raises StoreError."""
        with self._store.write() as connection:
            now = self._clock(connection)
            sequences.record(connection, numbers_of([delivery], subscription=subscription, at=now))


def _read_all(deliveries: Sequence[Delivery]) -> list[ReceivedEvent | RuleSetLoaded | ReceivedPage]:
    received, newer = [], {}
    for place, delivery in enumerate(deliveries):
        try:
            received.append(_read(delivery, alone=len(deliveries) == 1))
        except TooNew as error:
            newer[place] = str(error)
    if newer:
        raise NewerVersionNeeded([deliveries[place] for place in newer], "; ".join(dict.fromkeys(newer.values())))
    return received


def _read(delivery: Delivery, *, alone: bool) -> ReceivedEvent | RuleSetLoaded | ReceivedPage:
    message = delivery.message
    try:
        event = wire.decode_any(message.payload)
    except TooNew:
        raise
    except WireError as error:
        # Counted once, when the consumer has narrowed the batch down to this message.
        if alone:
            metrics.UNREADABLE.inc()
        raise PoisonError(f"not a run event: {error}") from error
    if isinstance(event, RuleSetLoaded):
        return event
    if isinstance(event, RunsListed):
        return ReceivedPage(page=event, payload=message.payload, topic=delivery.topic, position=delivery.position)
    spool_id, sequence = message.properties.get(SPOOL_ID), message.properties.get(SEQUENCE, "")
    if not spool_id or not NUMBER.fullmatch(sequence):
        return ReceivedEvent(event=event)
    return ReceivedEvent(event=event, spool_id=spool_id, sequence=int(sequence))
