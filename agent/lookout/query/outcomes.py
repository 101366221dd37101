"""Outcomes: how the jobs went on of which a run failed."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Final

from pydantic import Field
from sqlalchemy import Select, and_, case, func, select

from agent.core.job_state import JobState, job_state
from agent.core.limit import VerdictAction
from agent.lookout.query.columns import FAILURES
from agent.lookout.query.conditions import Condition
from agent.lookout.query.job_rows import PHASES
from agent.lookout.query.parameters import Items, Parameters
from agent.lookout.query.predicates import predicate
from agent.lookout.query.reader import Reading
from agent.lookout.query.run_scan import run_conditions
from agent.lookout.query.shapes import Counted
from agent.lookout.query.window import DAY, Base, Window, read_window
from agent.lookout.store.tables import job_table as job
from agent.lookout.store.tables import run_table as run

MOST: Final = 5_000
"""Failed runs whose jobs are looked up, the latest of the window; it takes a tenth of a second."""

_MOMENT: Final = timedelta(microseconds=1)
_FOLLOWING: Final = run.alias("following")
_LATEST: Final = run.alias("latest")


class Outcomes(Counted):
    """How many jobs went on in which way, of those of which a run failed in the window."""

    jobs: int
    recovered: int = Field(description="A later run succeeded: `state=recovered`.")
    still_failed: int = Field(description="The latest run is one of these failed ones: `state=still-failed`.")
    waiting: int = Field(description="So it is, and the scheduler is to start another: `state=waiting`.")
    others: int = Field(description="A later run goes on, or failed outside the window or in another way.")
    more: bool = Field(description=f"Whether more than {MOST:,} runs failed, so that `since` is later than asked for.")


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeQuestion:
    """Jobs of which runs failed how, from when to when."""

    conditions: tuple[Condition, ...]
    window: Window


def read_outcome_question(items: Items, *, now: datetime) -> OutcomeQuestion:
    """The question that the parameters of a request ask. Raises Refused."""
    parameters = Parameters(items, now=now)
    window = read_window(parameters, usual=DAY)
    question = OutcomeQuestion(conditions=parameters.conditions(FAILURES), window=window)
    parameters.done()
    return question


def outcomes(reading: Reading, asked: OutcomeQuestion, *, most: int = MOST) -> dict[str, Any]:
    """The outcomes that are asked for, of the latest failed runs if there are more than ``most``."""
    question = _counted(reading, asked, most)
    numbers: Counter[str] = Counter()
    for row in reading.rows(_latest_runs(question)):
        numbers[_outcome(row)] += row["jobs"]
    window = question.window
    row = {
        **{name: numbers[name] for name in ("recovered", "still_failed", "waiting", "others")},
        "jobs": numbers.total(),
        "more": window != asked.window,
        "since": window.since,
        "until": window.until,
        "base": Base.ROWS.value,
    }
    return Outcomes.of(row)


def _counted(reading: Reading, question: OutcomeQuestion, most: int) -> OutcomeQuestion:
    """The question, about the end of its window in which at most this number of runs failed."""
    latest = select(run.c.failed_at).where(*_failed(question)).order_by(run.c.failed_at.desc())
    for row in reading.rows(latest.offset(most).limit(1)):
        return replace(question, window=Window(row["failed_at"] + _MOMENT, question.window.until))
    return question


def _failed(question: OutcomeQuestion) -> list[Any]:
    return [*question.window.bounds(run.c.failed_at), *run_conditions(question.conditions, failed=True)]


def _latest_runs(question: OutcomeQuestion) -> Select[Any]:
    """How many jobs have which latest run, and whether that is one of the runs that are asked about."""
    failed = select(run.c.job_id).where(*_failed(question)).distinct().subquery("failed")
    order = (_FOLLOWING.c.first_at.desc(), _FOLLOWING.c.run_id.desc())
    last = select(_FOLLOWING.c.run_id).where(_FOLLOWING.c.job_id == failed.c.job_id).order_by(*order).limit(1)
    found = select(failed.c.job_id, last.scalar_subquery().label("run_id")).subquery("found")
    latest = _LATEST.c
    bounds = question.window.bounds(latest.failed_at)
    fits = and_(*bounds, *(predicate(condition, _LATEST) for condition in question.conditions))
    by = {
        "state": latest.state,
        "verdict": latest.verdict,
        "is_submitted": job.c.state.is_not(None),
        "fits": case((fits, True), else_=False),
    }
    columns = [column.label(name) for name, column in by.items()]
    joined = found.join(_LATEST, latest.run_id == found.c.run_id).join(job, job.c.job_id == found.c.job_id)
    return select(*columns, func.count().label("jobs")).select_from(joined).group_by(*columns)


def _outcome(row: Mapping[str, Any]) -> str:
    action = VerdictAction(row["verdict"]) if row["verdict"] and row["state"] == "failed" else None
    state = job_state(
        PHASES.get(row["state"]), action=action, failed_before=True, is_submitted=bool(row["is_submitted"])
    )
    if state is JobState.RECOVERED or (row["fits"] and state in (JobState.STILL_FAILED, JobState.WAITING)):
        return state.value.replace("-", "_")
    return "others"
