"""The one place that writes the steps of submitted jobs."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Connection

from agent.core.lifecycle.advance import wakes_at
from agent.core.lifecycle.effects import Command, Create, Discard, Start, Stop, WriteVerdict
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.commands import Discarded, Named, discard_of, message_of
from agent.store import clusters, outbox, verdicts
from agent.store.outbox import NewMessage
from agent.store.submitted import changes, held
from agent.store.submitted.changes import Change


def write(connection: Connection, advanced: Sequence[Advanced], *, now: datetime) -> None:
    """Write jobs, runs, endings, verdicts and commands, in the transaction that holds the jobs' decision scopes.

    The failures that verdicts were made on are stored already.
    """
    changed = [job for job in advanced if job.job != job.held.job or job.effects]
    verdicts.insert(
        connection,
        [job.verdicts[effect.run_id] for job in changed for effect in job.effects if isinstance(effect, WriteVerdict)],
    )
    changes.save(
        connection,
        [Change(before=job.held.job, after=job.job, wakes_at=wakes_at(job.job, now)) for job in changed],
        at=now,
    )
    changes.set_memory(connection, {run_id: memory for job in changed for run_id, memory in job.memory.items()})
    outbox.put(connection, _messages(connection, changed, now=now), written_at=now)


def discard(connection: Connection, discarded: Sequence[Discarded], *, now: datetime) -> None:
    """Have gated pods deleted that belong to no run of a known job."""
    outbox.put(connection, [discard_of(pod, now=now) for pod in discarded], written_at=now)


def _messages(connection: Connection, advanced: Sequence[Advanced], *, now: datetime) -> list[NewMessage]:
    commands = [
        (job, effect)
        for job in advanced
        for effect in job.effects
        if isinstance(effect, Create | Start | Stop | Discard)
    ]
    if not commands:
        return []
    named = _named(connection, commands)
    return [message_of(job, command, named, now=now) for job, command in commands]


def _named(connection: Connection, commands: Sequence[tuple[Advanced, Command]]) -> Named:
    created = {job.job.job_id for job, command in commands if isinstance(command, Create)}
    return Named(
        clusters={cluster.cluster_id: cluster.name for cluster in clusters.everything(connection)},
        specs=held.specs(connection, created) if created else {},
    )
