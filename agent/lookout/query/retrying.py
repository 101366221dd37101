"""What keeps retrying: jobs of which several runs failed, those that go on before those that have ended."""

from typing import Any, Final

from pydantic import Field
from sqlalchemy import ColumnElement, Select, Subquery, case, func, select

from agent.lookout.query.job_rows import jobs_by_id
from agent.lookout.query.reader import Reading
from agent.lookout.query.run_scan import run_conditions
from agent.lookout.query.shapes import Counted, Job, Shape
from agent.lookout.query.tops import TopQuestion
from agent.lookout.query.window import Base
from agent.lookout.store.tables import job_table as job
from agent.lookout.store.tables import run_table as run

_OWN: Final = run.alias("own")


class RetryingJob(Shape):
    """A job, and how many of its runs failed in the window."""

    failures: int
    goes_on: bool = Field(
        description="Whether more is to come: the record of a submitted job, or the latest run of another, has not "
        "ended."
    )
    job: Job


class Retrying(Counted):
    """Jobs that fail repeatedly: those that go on, then those that have ended. Of each, who failed most is first."""

    items: list[RetryingJob]


def retrying(reading: Reading, question: TopQuestion) -> dict[str, Any]:
    """The jobs of which at least two runs failed."""
    rows = {row["job_id"]: row for row in reading.rows(_ranked(question))}
    items = [
        RetryingJob.of({**rows[found["jobId"]], "goes_on": bool(rows[found["jobId"]]["goes_on"]), "job": found})
        for found in jobs_by_id(reading, list(rows))
    ]
    window = question.window
    row = {"since": window.since, "until": window.until, "base": Base.ROWS.value, "items": items}
    return Retrying.of(row)


def _ranked(question: TopQuestion) -> Select[Any]:
    """The jobs in their order, each with the number of failures and whether it goes on."""
    failed = _failed(question)
    columns = (failed.c.job_id, failed.c.failures, _goes_on(failed).label("goes_on"))
    query = select(*columns).join(job, job.c.job_id == failed.c.job_id)
    order = (_goes_on(failed).desc(), failed.c.failures.desc(), failed.c.latest.desc(), failed.c.job_id)
    return query.order_by(*order).limit(question.limit)


def _failed(question: TopQuestion) -> Subquery:
    """The jobs of which several runs failed in the window."""
    where = [*question.window.bounds(run.c.failed_at), *run_conditions(question.conditions, failed=True)]
    counts = (func.count().label("failures"), func.max(run.c.failed_at).label("latest"))
    query = select(run.c.job_id, *counts).where(*where).group_by(run.c.job_id)
    return query.having(func.count() > 1).subquery("failed")


def _goes_on(failed: Subquery) -> ColumnElement[int]:
    """1 if it does. An hour is the one in which a run ended."""
    latest = (_OWN.c.first_at.desc(), _OWN.c.run_id.desc())
    ended = select(_OWN.c.hour).where(_OWN.c.job_id == failed.c.job_id).order_by(*latest).limit(1)
    is_submitted = job.c.state.is_not(None)
    still_open = case((is_submitted, job.c.ended_at), else_=ended.scalar_subquery()).is_(None)
    return case((still_open, 1), else_=0)
