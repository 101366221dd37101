"""What is written of submitted jobs: new ones, and what a step changed."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

import msgspec
from sqlalchemy import Connection, bindparam, select, tuple_, update

from agent.core.lifecycle.job import SubmittedJob
from agent.store.columns import Row
from agent.store.errors import RowRefused
from agent.store.insert import insert as insert_rows
from agent.store.insert import insert_new, insert_or_replace
from agent.store.submitted import rows
from agent.store.submitted.held import Memory, Submission
from agent.store.submitted.tables import ending_table, job_table, run_table, spec_table


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """A job to be submitted. ``pod`` is JSON."""

    job_id: str
    submission: Submission
    pod: bytes


@dataclass(frozen=True, slots=True)
class Inserted:
    """The job is new."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Existing:
    """The same was submitted before under this client id, as the job ``job_id``."""

    job_id: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """The job ``job_id`` of the queue has this client id, and another spec."""

    job_id: str


Outcome = Inserted | Existing | Conflict
"""What came of a submission."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A job before and after steps, and when it is to be looked at again (``lifecycle.advance.wakes_at``).

    ``events`` is how many job events it has then. Save a step that ends the job before one that opens it again: a
    change holds one ending.
    """

    before: SubmittedJob
    after: SubmittedJob
    wakes_at: datetime | None
    events: int


def insert(connection: Connection, jobs: Sequence[NewJob]) -> list[Outcome]:
    """Insert jobs whose client id is new in its queue; return what came of each, in their order."""
    # In one order for everybody: two that insert the same client ids would else wait for each other.
    ordered = sorted(jobs, key=lambda job: (job.submission.queue, job.submission.client_id))
    new = insert_new(connection, job_table, [_row(job) for job in ordered], key="job_id")
    insert_rows(connection, spec_table, [{"job_id": job.job_id, "pod": job.pod} for job in jobs if job.job_id in new])
    known = _known(connection, [job for job in jobs if job.job_id not in new])
    return [Inserted(job.job_id) if job.job_id in new else _outcome(job, known) for job in jobs]


def _row(job: NewJob) -> Row:
    given = job.submission
    return {
        "job_id": job.job_id,
        "reversed_id": job.job_id[::-1],
        "queue": given.queue,
        "job_set": given.job_set,
        "namespace": given.namespace,
        "client_id": given.client_id or None,
        "spec_hash": given.spec_hash,
        "name": given.name,
        "priority": given.priority,
        "gang_id": given.gang_id,
        "retry_policies": given.retry_policies,
        "submitted_at": given.submitted_at,
        "submitted_by": given.submitted_by,
        "wakes_at": given.submitted_at,
        **rows.job_row(SubmittedJob(job_id=job.job_id)),
    }


_ClientId = tuple[str, str]


def _known(connection: Connection, jobs: Sequence[NewJob]) -> dict[_ClientId, tuple[str, str]]:
    """The job id and the hash of the spec that each queue has under the client ids of these jobs."""
    wanted = [(job.submission.queue, job.submission.client_id) for job in jobs]
    if not wanted:
        return {}
    own = (job_table.c.queue, job_table.c.client_id)
    query = select(*own, job_table.c.job_id, job_table.c.spec_hash).where(tuple_(*own).in_(wanted))
    return {(row.queue, row.client_id): (row.job_id, row.spec_hash) for row in connection.execute(query)}


def _outcome(job: NewJob, known: Mapping[_ClientId, tuple[str, str]]) -> Outcome:
    found = known.get((job.submission.queue, job.submission.client_id))
    if found is None:
        raise RowRefused(f"a job has the id {job.job_id} already")
    job_id, spec_hash = found
    return Existing(job_id) if spec_hash == job.submission.spec_hash else Conflict(job_id)


def save(connection: Connection, changes: Collection[Change], *, at: datetime) -> None:
    """Write what the steps changed ``at`` a time, in a transaction that holds the jobs' decision scopes.

    Raises RowRefused if a job has an ending of this opening already, or another run has a uid that one records.
    Raises ValueError if a change holds more than one ending.
    """
    _update_jobs(connection, changes)
    changed = [row | {"changed_at": at} for change in changes for row in _changed_runs(change)]
    insert_or_replace(connection, run_table, changed, key="run_id")
    insert_rows(connection, ending_table, [row for change in changes for row in _new_endings(change)])


def _new_endings(change: Change) -> Iterator[Row]:
    before, after = change.before, change.after
    if after.opening > before.opening + (before.ending is not None):
        raise ValueError(f"job {after.job_id} ended and was opened again in one change: its ending would be lost")
    if after.ending is not None and after.ending != before.ending:
        yield rows.ending_row(after.job_id, after.ending)


def _update_jobs(connection: Connection, changes: Collection[Change]) -> None:
    values = [
        {
            "of_job": change.after.job_id,
            **rows.job_row(change.after),
            "wakes_at": change.wakes_at,
            "events": change.events,
        }
        for change in changes
    ]
    if values:
        connection.execute(update(job_table).where(job_table.c.job_id == bindparam("of_job")), values)


def _changed_runs(change: Change) -> Iterator[Row]:
    for place, (old, new) in enumerate(zip_longest(change.before.runs, change.after.runs)):
        if new != old:
            yield rows.run_row(change.after.job_id, place, new)


def set_memory(connection: Connection, memory: Mapping[str, Memory]) -> None:
    """Record what memory runs, by id, get instead of that of the spec. The runs are saved already."""
    if memory:
        change = update(run_table).where(run_table.c.run_id == bindparam("of_run"))
        values = [{"of_run": run_id, "memory": msgspec.to_builtins(found)} for run_id, found in memory.items()]
        connection.execute(change, values)
