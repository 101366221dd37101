"""What a transaction does with reports about runs: reads what is known, decides, and writes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy import Connection

from agent.scheduler.consume import stored
from agent.scheduler.consume.batch import DecisionInputs, arrivals, decide_batch
from agent.scheduler.consume.submitted import SubmittedJobs
from agent.scheduler.effects.write import discard, observed, write
from agent.store import failures, jobs, runs, verdicts
from agent.store.failures import Arrival
from agent.store.runs import ReceivedEvent, Recorded
from agent.store.verdicts import NewVerdict


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


def take(
    connection: Connection,
    reports: Sequence[ReceivedEvent],
    *,
    submitted: Collection[str],
    inputs: DecisionInputs,
    now: datetime,
) -> Committed:
    """Store what is new and decide what has to be decided.

    ``submitted`` are the submitted jobs that the reports are about; the transaction holds their scopes.
    """
    window = inputs.catalog.longest_window
    since = None if window is None else now - window
    taken = SubmittedJobs(stored.known(connection, submitted, reports, since=since), inputs=inputs, now=now)
    for report in reports:
        taken.take(report)
    reported = arrivals([report.event for report in taken.observed])
    fresh = failures.store_new(connection, [*reported, *taken.arrivals], stored_at=now)
    new = _first_of_each(reported, fresh)
    histories = verdicts.histories(connection, {arrival.event.identity.job_id for arrival in new}, since=since)
    decided = decide_batch(
        new,
        decided=verdicts.decided_runs(connection, {arrival.event.identity.run_id for arrival in new}),
        histories=histories,
        inputs=inputs,
        now=now,
    )
    verdicts.insert(connection, decided)
    observed(connection, decided, histories, now=now)
    write(connection, list(taken.jobs.values()), now=now)
    discard(connection, taken.discarded, now=now)
    stored.keep(connection, taken.kept, now=now)
    done = Committed(
        summarized=[*taken.observed, *taken.reports],
        new=[*new, *taken.arrivals],
        decided=[*decided, *taken.decided],
        repeated=0,
        at=now,
    )
    return replace(done, repeated=_summarize(connection, done).repeated)


def _first_of_each(reported: Sequence[Arrival], fresh: set[str]) -> list[Arrival]:
    """Those whose event is new, in order, without the copies that came in the same batch."""
    waiting, first = set(fresh), []
    for arrival in reported:
        if arrival.event.event_id in waiting:
            waiting.remove(arrival.event.event_id)
            first.append(arrival)
    return first


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
