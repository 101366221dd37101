"""Jobs as their events tell them, and as the store has them: these must be the same."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import select

from agent.broker.port import Broker, SubscriptionKind
from agent.broker.topics import JOB_EVENTS
from agent.core.job_event import JobEvent, JobRequested, LeaseRejected, RunDecided, RunLeased
from agent.core.lifecycle.job import Ending, SubmittedJob
from agent.core.lifecycle.state import State
from agent.store import outbox
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.requests import of_job
from agent.store.tables.verdicts import table as verdict_table
from agent.wire import job_event as wire
from tests.scheduler.path import PATIENCE_SECONDS, wait_until

FOLLOWER: Final = "follower"
"""A subscription that no process has."""

Run = tuple[str, int, int, str, bool]
"""Its id, index, attempt, cluster and whether the cluster rejected it."""


@dataclass(frozen=True)
class Followed:
    """A job, by what happened to it. ``asked`` are the requests, each with what was refused of it."""

    state: State | None = None
    ending: Ending | None = None
    runs: tuple[Run, ...] = ()
    verdicts: Mapping[str, str] = field(default_factory=dict)
    asked: tuple[tuple[str, str, str, str], ...] = ()


def followed(events: Iterable[JobEvent]) -> dict[str, Followed]:
    """Each job as its events tell it, which may come in any order, and repeatedly."""
    known: dict[str, JobEvent] = {}
    for event in events:
        assert known.setdefault(event.event_id, event) == event, "two events have one id"
    jobs: dict[str, list[JobEvent]] = {}
    for event in sorted(known.values(), key=lambda event: event.sequence):
        jobs.setdefault(event.job_id, []).append(event)
    return {job_id: _followed(of_job) for job_id, of_job in jobs.items()}


def _followed(events: list[JobEvent]) -> Followed:
    assert [event.sequence for event in events] == [*range(1, len(events) + 1)], events
    contents = [event.event for event in events]
    rejected = {content.run_id for content in contents if isinstance(content, LeaseRejected)}
    leased = [content for content in contents if isinstance(content, RunLeased)]
    decided = [content for content in contents if isinstance(content, RunDecided)]
    assert len({content.run_id for content in decided}) == len(decided), "a run has two verdicts"
    return Followed(
        state=events[-1].state,
        ending=events[-1].ending,
        runs=tuple((run.run_id, run.index, run.attempt, run.cluster_id, run.run_id in rejected) for run in leased),
        verdicts={content.run_id: content.action.value for content in decided},
        asked=tuple(_request(content) for content in contents if isinstance(content, JobRequested)),
    )


def of_row(job: SubmittedJob, verdicts: Mapping[str, str], asked: Iterable[tuple[str, str, str, str]] = ()) -> Followed:
    """The job as the store has it; ``verdicts`` are those on its runs."""
    return Followed(
        state=job.state,
        ending=job.ending,
        runs=tuple((run.run_id, run.index, run.attempt, run.cluster, run.was_rejected) for run in job.runs),
        verdicts=verdicts,
        asked=tuple(asked),
    )


def stored(store: Store, job_ids: Iterable[str]) -> dict[str, Followed]:
    """These jobs as the store has them."""
    with store.read() as connection:
        jobs = held.load(connection, list(job_ids))
        rows = list(connection.execute(verdict_table.select()))
        asked = {job_id: of_job(connection, job_id) for job_id in jobs}
    return {
        job_id: of_row(
            loaded.job,
            {row.run_id: row.action for row in rows if row.job_id == job_id},
            [(request.kind.value, request.by, request.reason, request.outcome) for request in asked[job_id]],
        )
        for job_id, loaded in jobs.items()
    }


def written(store: Store) -> list[JobEvent]:
    """The job events in the outbox, in the order in which they were written."""
    query = select(outbox.table.c.payload).where(outbox.table.c.topic == JOB_EVENTS).order_by(outbox.table.c.id)
    with store.read() as connection:
        return [wire.decode(payload) for payload in connection.scalars(query)]


def asked_for(store: Store) -> list[tuple[str, str, str, str]]:
    """The requests among them, as ``Followed`` has them."""
    contents = (event.event for event in written(store))
    return [_request(content) for content in contents if isinstance(content, JobRequested)]


def _request(content: JobRequested) -> tuple[str, str, str, str]:
    return content.kind.value, content.by, content.reason, content.refused


def assert_followed(store: Store, broker: Broker, job_ids: Iterable[str]) -> None:
    """Whoever follows the topic knows of these jobs what the store has; a leader publishes meanwhile."""
    wait_until(lambda: not _waits(store))
    found, there = followed(_published(broker)), stored(store, job_ids)
    different = {job_id: (found.get(job_id), row) for job_id, row in there.items() if found.get(job_id) != row}
    assert different == {}, different


def _waits(store: Store) -> bool:
    with store.read() as connection:
        return JOB_EVENTS in outbox.topics(connection)


def _published(broker: Broker) -> list[JobEvent]:
    subscription = broker.subscribe([JOB_EVENTS], name=FOLLOWER, kind=SubscriptionKind.FAILOVER, consumer="test")
    found: list[JobEvent] = []
    # A broker may take a moment to let a consumer begin.
    while deliveries := subscription.receive(at_most=500, timeout=1.0 if found else PATIENCE_SECONDS):
        found += [wire.decode(delivery.message.payload) for delivery in deliveries]
    subscription.close()
    return found
