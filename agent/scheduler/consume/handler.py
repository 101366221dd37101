"""Handles a batch of messages: decode, decide, commit once. The consumer acknowledges (style 9)."""

import re
import time
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import Connection

from agent.broker.consume.consumer import PoisonError, TransientError
from agent.broker.port import Broker, Delivery
from agent.broker.publish.in_flight import SEQUENCE, SPOOL_ID
from agent.broker.topics import EVENTS, dead_letter_topic
from agent.core.failure import Failure
from agent.core.run_event import (
    Amendment,
    Content,
    CreationFailed,
    NameHeld,
    RuleSetLoaded,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunsListed,
    RunStopped,
)
from agent.scheduler.consume import stored
from agent.scheduler.consume.batch import DecisionInputs, arrivals, decide_batch
from agent.scheduler.consume.submitted import SubmittedJobs
from agent.scheduler.effects.write import discard, write
from agent.store import attempts, failures, jobs, rule_sets, runs, verdicts
from agent.store.errors import StoreOutdated, StoreUnreachable
from agent.store.failures import Arrival
from agent.store.runs import ReceivedEvent, Recorded
from agent.store.store import Store
from agent.store.submitted import lookup
from agent.store.verdicts import NewVerdict
from agent.telemetry import scheduler_metrics as metrics
from agent.wire import events as wire
from agent.wire.error import WireError

SUBSCRIPTION = "scheduler"

_SEQUENCE = re.compile(r"[0-9]{1,18}")
"""Properties are text from outside: only what fits a 64-bit column is a sequence."""

Clock = Callable[[Connection], datetime]
"""The time within a transaction."""


def topics_of(broker: Broker) -> Sequence[str]:
    """The topics that clusters publish to, without their dead letters."""
    dead = dead_letter_topic("", SUBSCRIPTION)
    return [topic for topic in broker.topics(EVENTS) if not topic.endswith(dead)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Committed:
    """The result of a batch, committed ``at``: new failures, verdicts made, how many changes of state were repeats.

    ``summarized`` are the events that the rows of runs and jobs have now.
    """

    summarized: Sequence[ReceivedEvent]
    new: Sequence[Arrival]
    decided: Sequence[NewVerdict]
    repeated: int
    at: datetime


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

        Raises PoisonError if a message cannot be read, TransientError if the store is unavailable.
        """
        received = [_read(delivery, alone=len(deliveries) == 1) for delivery in deliveries]
        reports = [one for one in received if isinstance(one, ReceivedEvent)]
        loaded = [one for one in received if isinstance(one, RuleSetLoaded)]
        try:
            with metrics.DECIDE_SECONDS.time():
                done = self._commit(reports, loaded)
        except StoreUnreachable as error:
            metrics.STORE_RETRIES.inc()
            raise TransientError(f"the store does not answer: {error}") from error
        except StoreOutdated as error:
            # A process of a later version has migrated: this one waits, unready, until it is replaced.
            metrics.STORE_RETRIES.inc()
            raise TransientError(f"another version has migrated the store: {error}") from error
        metrics.EVENTS.labels("rule-set").inc(len(loaded))
        self._count(reports, done)

    def _commit(self, reports: Sequence[ReceivedEvent], loaded: Sequence[RuleSetLoaded]) -> Committed:
        scopes = {report.event.identity.scope for report in reports}
        while True:
            with self._store.decide(scopes) as connection:
                jobs = self._submitted(connection, reports)
                if jobs <= scopes:
                    return self._decide(connection, reports, loaded, jobs)
            # Labels named other jobs than those whose pods the events are about.
            scopes |= jobs

    def _submitted(self, connection: Connection, reports: Sequence[ReceivedEvent]) -> set[str]:
        """The submitted jobs that the events are about."""
        self._any_job = self._any_job or lookup.any_job(connection)
        return stored.jobs_about(connection, reports) if self._any_job else set()

    def _decide(
        self,
        connection: Connection,
        reports: Sequence[ReceivedEvent],
        loaded: Sequence[RuleSetLoaded],
        jobs: Collection[str],
    ) -> Committed:
        inputs = self._inputs
        # Read after the lock was taken, because waiting for it may take long.
        now, read_at = self._clock(connection), time.monotonic()
        window = inputs.catalog.longest_window
        since = None if window is None else now - window
        submitted = SubmittedJobs(stored.known(connection, jobs, reports, since=since), inputs=inputs, now=now)
        for report in reports:
            submitted.take(report)
        reported = arrivals([report.event for report in submitted.observed])
        fresh = failures.store_new(connection, [*reported, *submitted.arrivals], stored_at=now)
        new = _first_of_each(reported, fresh)
        decided = decide_batch(
            new,
            decided=verdicts.decided_runs(connection, {one.event.identity.run_id for one in new}),
            histories=verdicts.histories(connection, {one.event.identity.job_id for one in new}, since=since),
            inputs=inputs,
            now=now,
        )
        verdicts.insert(connection, decided)
        write(connection, list(submitted.jobs.values()), now=now)
        discard(connection, submitted.discarded, now=now)
        stored.keep(connection, submitted.kept, now=now)
        if loaded:
            rule_sets.record(connection, loaded)
        done = Committed(
            summarized=[*submitted.observed, *submitted.reports],
            new=[*new, *submitted.arrivals],
            decided=[*decided, *submitted.decided],
            repeated=0,
            at=now,
        )
        recorded = _summarize(connection, done)
        return replace(done, repeated=recorded.repeated, at=now + timedelta(seconds=time.monotonic() - read_at))

    def _count(self, reports: Sequence[ReceivedEvent], done: Committed) -> None:
        answers = [report.event for report in reports if _is_answer(report.event)]
        new = [one.event for one in done.new if not _is_answer(one.event)]
        for kind, count in Counter(map(_kind, (*answers, *new))).items():
            metrics.EVENTS.labels(kind).inc(count)
        summarized = [report for report in done.summarized if not _is_answer(report.event)]
        states = sum(isinstance(report.event.event, RunPhase) for report in summarized) - done.repeated
        metrics.EVENTS.labels("run-state").inc(states)
        metrics.DUPLICATES.inc(len(summarized) - states - len(new))
        metrics.ATTACHED.inc(len(done.new) - len(done.decided))
        origins = {arrival.event.event_id: arrival.failure.classification.origin for arrival in done.new}
        for one in done.decided:
            metrics.DECIDED.labels(one.verdict.action, origins[one.event.event_id]).inc()
            metrics.DETECT_TO_DECISION_SECONDS.observe(max((done.at - one.event.observed_at).total_seconds(), 0.0))


def _summarize(connection: Connection, done: Committed) -> Recorded:
    """Merge what happened into the rows of runs and jobs."""
    recorded = runs.record(connection, done.summarized)
    jobs.record(
        connection,
        recorded.rows,
        began=recorded.began,
        events=[report.event for report in done.summarized],
        arrivals=done.new,
        decided=done.decided,
    )
    return recorded


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


def _read(delivery: Delivery, *, alone: bool) -> ReceivedEvent | RuleSetLoaded | RunsListed:
    message = delivery.message
    try:
        event = wire.decode_any(message.payload)
    except WireError as error:
        # Counted once, when the consumer has narrowed the batch down to this message.
        if alone:
            metrics.UNREADABLE.inc()
        raise PoisonError(f"not a run event: {error}") from error
    if not isinstance(event, RunEvent):
        return event
    spool_id, sequence = message.properties.get(SPOOL_ID), message.properties.get(SEQUENCE, "")
    if not spool_id or not _SEQUENCE.fullmatch(sequence):
        return ReceivedEvent(event=event)
    return ReceivedEvent(event=event, spool_id=spool_id, sequence=int(sequence))


def _first_of_each(reported: Sequence[Arrival], fresh: set[str]) -> list[Arrival]:
    """Those whose event is new, in order, without the copies that came in the same batch."""
    waiting, first = set(fresh), []
    for arrival in reported:
        if arrival.event.event_id in waiting:
            waiting.remove(arrival.event.event_id)
            first.append(arrival)
    return first


_KINDS: Final[Mapping[type[Content], str]] = {
    Failure: "failure",
    Amendment: "amendment",
    RunRejected: "run-rejected",
    CreationFailed: "creation-failed",
    RunCreated: "run-created",
    NameHeld: "name-held",
    RunStopped: "run-stopped",
    RunPhase: "run-state",
}


def _is_answer(event: RunEvent) -> bool:
    """Whether it answers a command; such an event is counted whenever it comes, because repeats are nothing special."""
    return isinstance(event.event, RunCreated | RunStopped | NameHeld | RunRejected)


def _kind(event: RunEvent) -> str:
    return _KINDS[type(event.event)]
