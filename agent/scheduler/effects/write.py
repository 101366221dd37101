"""The one place that writes the steps of submitted jobs."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from sqlalchemy import Connection

from agent.core.history import History
from agent.core.lifecycle.advance import wakes_at
from agent.core.lifecycle.effects import Command, Create, Discard, Start, Stop, WriteVerdict
from agent.scheduler.effects import job_events
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.commands import Discarded, Named, discard_of, message_of
from agent.store import clusters, outbox, verdicts
from agent.store.submitted import changes, held, requests
from agent.store.submitted.changes import Change, NewJob
from agent.store.verdicts import NewVerdict


def write(connection: Connection, advanced: Sequence[Advanced], *, now: datetime) -> None:
    """Write jobs, runs, endings, verdicts, requests, commands and job events, in one transaction.

    It holds the jobs' decision scopes. The failures that verdicts were made on are stored already.
    """
    changed = [job for job in advanced if job.job != job.held.job or job.effects or job.requests]
    verdicts.insert(
        connection,
        [job.verdicts[effect.run_id] for job in changed for effect in job.effects if isinstance(effect, WriteVerdict)],
    )
    named = _named(connection, changed)
    events = [job_events.of_steps(job, clusters=named.clusters, at=now) for job in changed]
    changes.save(
        connection, [_change(job, more, now) for job, more in zip(changed, map(len, events), strict=True)], at=now
    )
    changes.set_memory(connection, {run_id: memory for job in changed for run_id, memory in job.memory.items()})
    requests.record(connection, [request for job in changed for request in job.requests])
    commands = [message_of(job, command, named, now=now) for job in changed for command in _commands(job)]
    reports = [job_events.message_of(event) for of_job in events for event in of_job]
    outbox.put(connection, [*commands, *reports], written_at=now)


def submitted(connection: Connection, jobs: Sequence[NewJob], *, now: datetime) -> None:
    """Write the events of jobs that were inserted in this transaction."""
    outbox.put(connection, [job_events.message_of(job_events.of_submission(job)) for job in jobs], written_at=now)


def observed(
    connection: Connection, decided: Sequence[NewVerdict], histories: Mapping[str, History], *, now: datetime
) -> None:
    """Write the events of verdicts on pods that nobody submitted; ``histories`` are those of before."""
    events = job_events.of_observed(decided, histories)
    outbox.put(connection, list(map(job_events.message_of, events)), written_at=now)


def discard(connection: Connection, discarded: Sequence[Discarded], *, now: datetime) -> None:
    """Have gated pods deleted that belong to no run of a known job."""
    outbox.put(connection, [discard_of(pod, now=now) for pod in discarded], written_at=now)


def _change(job: Advanced, events: int, now: datetime) -> Change:
    return Change(before=job.held.job, after=job.job, wakes_at=wakes_at(job.job, now), events=job.held.events + events)


def _commands(job: Advanced) -> Iterator[Command]:
    for effect in job.effects:
        if isinstance(effect, Create | Start | Stop | Discard):
            yield effect


def _named(connection: Connection, advanced: Sequence[Advanced]) -> Named:
    commands = [(job.job.job_id, command) for job in advanced for command in _commands(job)]
    if not commands:
        return Named(clusters={}, specs={})
    created = {job_id for job_id, command in commands if isinstance(command, Create)}
    return Named(
        clusters={cluster.cluster_id: cluster.name for cluster in clusters.everything(connection)},
        specs=held.specs(connection, created) if created else {},
    )
