"""Submitted jobs as tests write them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from agent.core.lifecycle.job import SubmittedJob
from agent.store.submitted.changes import Change, NewJob, insert, save
from agent.store.submitted.held import Submission
from tests.core.lifecycle.made import T0, play

SUBMISSION = Submission(
    queue="ml", job_set="set", namespace="jobs", submitted_at=T0, submitted_by="ann", spec_hash="h", client_id="c"
)
POD = b'{"spec": {}}'


def new_job(job_id: str, *, pod: bytes = POD, **given: Any) -> NewJob:
    """A job whose client id is its own id, unless ``given`` says otherwise."""
    return NewJob(job_id=job_id, submission=replace(SUBMISSION, **{"client_id": job_id, **given}), pod=pod)


def submit(connection: Connection, *jobs: NewJob) -> None:
    insert(connection, jobs)


def change(
    connection: Connection, after: SubmittedJob, before: SubmittedJob | None = None, wakes_at: datetime | None = None
) -> None:
    """Save a step; a job without ``before`` was just submitted."""
    step = Change(before=before or SubmittedJob(job_id=after.job_id), after=after, wakes_at=wakes_at, events=1)
    save(connection, [step], at=T0)


def played(connection: Connection, job_id: str, lines: Sequence[str], **given: Any) -> SubmittedJob:
    """Submit a job and save it as it is after some lines (``tests.core.lifecycle.made.play``)."""
    submit(connection, new_job(job_id, **given))
    job, _ = play(*lines, job_id=job_id)
    change(connection, job)
    return job
