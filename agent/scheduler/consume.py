"""What is done with a batch of messages: decode, decide, commit once; acknowledging is the consumer's (style 9)."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import assert_never

from agent.broker.consume import PoisonError, TransientError
from agent.broker.port import Broker, Delivery, dead_letter_topic
from agent.broker.topic_names import EVENTS
from agent.core.failure import Amendment, Failure, RunEvent, RunPhase, RunRejected
from agent.scheduler.batch import Deciding, arrivals, decide_batch
from agent.store import attempts, failures, runs, verdicts
from agent.store.errors import StoreUnreachable
from agent.store.failures import Arrival
from agent.store.store import Store
from agent.store.verdicts import Decided
from agent.telemetry import scheduler_metrics as metrics
from agent.wire import events as wire
from agent.wire.error import WireError

SUBSCRIPTION = "scheduler"

Clock = Callable[[], datetime]


def topics_of(broker: Broker) -> Sequence[str]:
    """The topics that clusters publish to; dead letters of theirs are not consumed."""
    dead = dead_letter_topic("", SUBSCRIPTION)
    return [topic for topic in broker.topics(EVENTS) if not topic.endswith(dead)]


class Decisions:
    """Handles messages: all of a batch or none; twice is the same as once."""

    def __init__(self, store: Store, *, deciding: Deciding, clock: Clock) -> None:
        self._store = store
        self._deciding = deciding
        self._clock = clock

    def handle(self, deliveries: Sequence[Delivery]) -> None:
        """Store what is new and decide what needs deciding.

        Raises PoisonError where a message cannot be read, TransientError where the store is away.
        """
        events = [_read(delivery, alone=len(deliveries) == 1) for delivery in deliveries]
        try:
            with metrics.DECIDE_SECONDS.time():
                new, decided = self._commit(events)
        except StoreUnreachable as error:
            metrics.STORE_RETRIES.inc()
            raise TransientError(f"the store does not answer: {error}") from error
        self._count(events, new, decided)

    def _commit(self, events: Sequence[RunEvent]) -> tuple[Sequence[Arrival], Sequence[Decided]]:
        told = arrivals(events)
        scopes = {event.identity.scope for event in events}
        with self._store.decide(scopes) as connection:
            now = self._clock()
            fresh = failures.store_new(connection, told, stored_at=now)
            new = _first_of_each(told, fresh)
            decided = decide_batch(
                new,
                decided=verdicts.decided_runs(connection, {one.event.identity.run_id for one in new}),
                histories=verdicts.histories(connection, {one.event.identity.job_id for one in new}),
                deciding=self._deciding,
                now=now,
            )
            verdicts.insert(connection, decided)
            runs.record(connection, events)
        return new, decided

    def _count(self, events: Sequence[RunEvent], new: Sequence[Arrival], decided: Sequence[Decided]) -> None:
        for kind, count in Counter(_kind(one.event) for one in new).items():
            metrics.EVENTS.labels(kind).inc(count)
        states = sum(isinstance(event.event, RunPhase) for event in events)
        metrics.EVENTS.labels("run-state").inc(states)
        metrics.DUPLICATES.inc(len(events) - states - len(new))
        metrics.ATTACHED.inc(len(new) - len(decided))
        now = self._clock()
        for one in decided:
            metrics.DECIDED.labels(one.verdict.action).inc()
            metrics.DETECT_TO_DECISION_SECONDS.observe(max((now - one.event.observed_at).total_seconds(), 0.0))


class StoredAttempts:
    """Counts failed attempts in the store; fits ``agent.broker.attempts.Attempts``."""

    def __init__(self, store: Store, *, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def failed(self, fingerprint: str, *, error: str) -> int:
        """Record one more failed attempt of this message. Raises StoreError."""
        with self._store.write() as connection:
            return attempts.failed(connection, fingerprint, error=error, now=self._clock())

    def forget(self, fingerprint: str) -> None:
        """Drop the count. Raises StoreError."""
        with self._store.write() as connection:
            attempts.forget(connection, fingerprint)


def _read(delivery: Delivery, *, alone: bool) -> RunEvent:
    try:
        return wire.decode(delivery.message.payload)
    except WireError as error:
        if alone:
            metrics.UNREADABLE.inc()
        raise PoisonError(f"not a run event: {error}") from error


def _first_of_each(told: Sequence[Arrival], fresh: set[str]) -> list[Arrival]:
    """Those whose event is new, in order, without the copies that came in the same batch."""
    waiting, first = set(fresh), []
    for arrival in told:
        if arrival.event.event_id in waiting:
            waiting.remove(arrival.event.event_id)
            first.append(arrival)
    return first


def _kind(event: RunEvent) -> str:
    match event.event:
        case Failure():
            return "failure"
        case Amendment():
            return "amendment"
        case RunRejected():
            return "run-rejected"
        case RunPhase():
            return "run-state"
        case _:
            assert_never(event.event)
