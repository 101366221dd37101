"""Rows of jobs, with their latest runs."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import Select, func, select

from agent.core.job_state import job_state
from agent.core.limit import VerdictAction
from agent.core.run_event import RunPhase
from agent.lookout.query.ids import is_among
from agent.lookout.query.reader import Reading
from agent.lookout.query.run_rows import failure_infos, select_runs
from agent.lookout.query.shapes import Job, Run
from agent.lookout.store.tables import job_table, run_table

SHOWN: Final = 10
"""Runs of each job."""

PHASES: Final = {"succeeded": RunPhase.SUCCEEDED, "failed": RunPhase.FAILED}


def jobs_by_id(reading: Reading, job_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Those of these jobs that are there, in the order of the ids: one may be pruned since its id was found."""
    if not job_ids:
        return []
    runs = _latest_runs(reading, job_ids)
    infos = failure_infos(reading, [row for of_job in runs.values() for row in of_job])
    found = reading.rows(_jobs(reading.dialect), job_ids=job_ids)
    jobs = {row["job_id"]: _job(row, runs[row["job_id"]], infos) for row in found}
    return [jobs[job_id] for job_id in job_ids if job_id in jobs]


# A statement of many columns takes milliseconds to make, longer than its rows take.
@cache
def _jobs(dialect: str) -> Select[Any]:
    return select(job_table).where(is_among(job_table.c.job_id, "job_ids", dialect))


def _latest_runs(reading: Reading, job_ids: Sequence[str]) -> Mapping[str, list[Mapping[str, Any]]]:
    """The latest runs of each job, the latest first, with the numbers of all its runs and of those that failed."""
    found: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in reading.rows(_numbered_runs(reading.dialect), job_ids=job_ids):
        found[row["job_id"]].append(row)
    return found


@cache
def _numbered_runs(dialect: str) -> Select[Any]:
    job_id, latest = run_table.c.job_id, (run_table.c.first_at.desc(), run_table.c.run_id.desc())
    runs = select_runs(
        func.row_number().over(partition_by=job_id, order_by=latest).label("place"),
        func.count().over(partition_by=job_id).label("run_count"),
        func.count(run_table.c.failure_id).over(partition_by=job_id).label("failed_run_count"),
    )
    numbered = runs.where(is_among(job_id, "job_ids", dialect)).subquery()
    return select(numbered).where(numbered.c.place <= SHOWN).order_by(numbered.c.place)


def _job(
    row: Mapping[str, Any], runs: Sequence[Mapping[str, Any]], infos: Mapping[str, dict[str, Any]]
) -> dict[str, Any]:
    counts = {name: runs[0][name] if runs else 0 for name in ("run_count", "failed_run_count")}
    shown = [{**Run.of(run), "failureInfo": infos.get(run["run_id"])} for run in runs]
    return Job.of({**row, **counts, "observed": _observed(row, runs), "runs": shown})


def _observed(row: Mapping[str, Any], runs: Sequence[Mapping[str, Any]]) -> str:
    if not runs:
        return ""
    latest = runs[0]
    action = VerdictAction(latest["action"]) if latest["action"] and latest["failure_id"] else None
    phase = PHASES.get(latest["state"])
    failed_before, is_submitted = latest["failed_run_count"] > 0, row["state"] is not None
    return job_state(phase, action=action, failed_before=failed_before, is_submitted=is_submitted).value
