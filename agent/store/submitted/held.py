"""Submitted jobs as the store holds them, to read."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime

import msgspec
from sqlalchemy import Connection, RowMapping, and_, select

from agent.core.container_memory import ContainerMemory
from agent.core.lifecycle.job import Ending, SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.store.submitted import rows
from agent.store.submitted.tables import ending_table, job_table, run_table, spec_table

Memory = tuple[ContainerMemory, ...]
"""The memory of some containers of a run, instead of what the job's spec says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """What was submitted, but for the pod. It never changes.

    ``client_id`` is empty if the submitter gave none. ``spec_hash`` is equal if the same was submitted again.
    ``priority`` is Armada's: the smaller number comes first. ``retry_policies`` is the text of the annotation.
    """

    queue: str
    job_set: str
    namespace: str
    submitted_at: datetime
    submitted_by: str
    spec_hash: str
    client_id: str = ""
    name: str = ""
    priority: float = 0.0
    gang_id: str = ""
    retry_policies: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A job as it is now. ``memory`` has the runs, by id, that do not get the memory of the spec.

    ``changed`` is when each run changed last, by its id.
    """

    job: SubmittedJob
    submission: Submission
    memory: Mapping[str, Memory] = field(default_factory=dict)
    changed: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def memory_of_latest(self) -> Memory:
        """That of the latest run which no cluster rejected."""
        latest = self.job.latest
        return () if latest is None else self.memory.get(latest.run_id, ())


def load(connection: Connection, job_ids: Collection[str]) -> dict[str, Held]:
    """The jobs that exist, by id. To change one, hold its decision scope first: its job id."""
    runs: dict[str, list[RowMapping]] = defaultdict(list)
    query = select(run_table).where(run_table.c.job_id.in_(job_ids)).order_by(run_table.c.job_id, run_table.c.place)
    for row in connection.execute(query).mappings():
        runs[row["job_id"]].append(row)
    endings = _endings(connection, job_ids)
    jobs = connection.execute(select(job_table).where(job_table.c.job_id.in_(job_ids))).mappings()
    return {row["job_id"]: _held(row, runs[row["job_id"]], endings.get(row["job_id"])) for row in jobs}


def specs(connection: Connection, job_ids: Collection[str]) -> dict[str, bytes]:
    """The pods of jobs, as JSON, by job id."""
    query = select(spec_table.c.job_id, spec_table.c.pod).where(spec_table.c.job_id.in_(job_ids))
    return {row.job_id: row.pod for row in connection.execute(query)}


def _endings(connection: Connection, job_ids: Collection[str]) -> dict[str, Ending]:
    """How the jobs ended that were not opened again since."""
    of_now = and_(job_table.c.job_id == ending_table.c.job_id, job_table.c.opening == ending_table.c.opening)
    query = select(ending_table).join(job_table, of_now).where(ending_table.c.job_id.in_(job_ids))
    return {row["job_id"]: rows.ending_of(row) for row in connection.execute(query).mappings()}


def _held(row: RowMapping, of_runs: list[RowMapping], ending: Ending | None) -> Held:
    runs: list[JobRun] = [rows.run_of(of_run) for of_run in of_runs]
    return Held(
        job=rows.job_of(row, runs, ending),
        submission=_submission(row),
        memory={of_run["run_id"]: _memory(of_run) for of_run in of_runs if of_run["memory"] is not None},
        changed={of_run["run_id"]: of_run["changed_at"] for of_run in of_runs},
    )


def _memory(row: RowMapping) -> Memory:
    return msgspec.convert(row["memory"], Memory)


def _submission(row: RowMapping) -> Submission:
    return Submission(
        queue=row["queue"],
        job_set=row["job_set"],
        namespace=row["namespace"],
        submitted_at=row["submitted_at"],
        submitted_by=row["submitted_by"],
        spec_hash=row["spec_hash"],
        client_id=row["client_id"] or "",
        name=row["name"],
        priority=row["priority"],
        gang_id=row["gang_id"],
        retry_policies=row["retry_policies"],
    )
