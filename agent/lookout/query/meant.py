"""What people mean by an id that is not of the kind that they ask for: they paste what they have at hand."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from pydantic import Field
from sqlalchemy import ColumnElement, FromClause, literal, select

from agent.lookout.query.reader import Reading
from agent.lookout.query.shapes import Shape
from agent.lookout.store.tables import failure_table, job_table, run_table

MOST: Final = 20
"""Jobs or runs of one way to write an id that are named, the latest first."""


class KnownAs(StrEnum):
    """What an id is of a job or a run."""

    JOB_ID = "job id"
    CLIENT_ID = "client id"
    RUN_ID = "run id"
    FAILURE_ID = "failure id"
    POD_NAME = "pod name"


class Meant(Shape):
    """A job, or a run of one, that is known by an id."""

    known_as: KnownAs = Field(description="What the id is of it.")
    job_id: str
    run_id: str | None = Field(description="Null if it is the id of the job.")
    queue: str
    first_at: datetime


def meant_by(reading: Reading, text: str) -> list[dict[str, Any]]:
    """What is known by a text, at most one more than ``MOST`` of each way to be: every column here has an index."""
    if text == "":  # the client id and the pod's name of many
        return []
    run_of_failure = run_table.join(failure_table, failure_table.c.run_id == run_table.c.run_id)
    return [
        *_jobs(reading, KnownAs.JOB_ID, job_table.c.job_id == text),
        *_jobs(reading, KnownAs.CLIENT_ID, job_table.c.client_id == text),
        *_runs(reading, KnownAs.RUN_ID, run_table, run_table.c.run_id == text),
        *_runs(reading, KnownAs.FAILURE_ID, run_of_failure, failure_table.c.event_id == text),
        *_runs(reading, KnownAs.POD_NAME, run_table, run_table.c.pod_name == text),
    ]


def _jobs(reading: Reading, known_as: KnownAs, fits: ColumnElement[bool]) -> list[dict[str, Any]]:
    job = job_table.c
    columns = (job.job_id, literal(None).label("run_id"), job.queue, job.first_at)
    order = (job.first_at.desc(), job.job_id)
    return _named(known_as, reading.rows(select(*columns).where(fits).order_by(*order).limit(MOST + 1)))


def _runs(reading: Reading, known_as: KnownAs, source: FromClause, fits: ColumnElement[bool]) -> list[dict[str, Any]]:
    run = run_table.c
    columns = (run.job_id, run.run_id, run.queue, run.first_at)
    order = (run.first_at.desc(), run.run_id)
    query = select(*columns).select_from(source).where(fits).order_by(*order).limit(MOST + 1)
    return _named(known_as, reading.rows(query))


def _named(known_as: KnownAs, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [Meant.of({**row, "known_as": known_as}) for row in rows]
