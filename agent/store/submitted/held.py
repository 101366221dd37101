"""Submitted jobs as the store holds them, to read."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, RowMapping, Select, and_, select

from agent.core.evidence import ContainerMemory
from agent.core.lifecycle.job import Ending, Orphan, SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.store.orphans import table as orphan_table
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

    ``changed`` is when each run changed last, by its id. ``events`` is how many job events it has.
    """

    job: SubmittedJob
    submission: Submission
    memory: Mapping[str, Memory] = field(default_factory=dict)
    changed: Mapping[str, datetime] = field(default_factory=dict)
    events: int = 1

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
    endings, found = _endings(connection, job_ids), orphans_of(connection, job_ids)
    jobs = connection.execute(select(job_table).where(job_table.c.job_id.in_(job_ids))).mappings()
    return {row["job_id"]: _held(row, runs[row["job_id"]], endings.get(row["job_id"]), found) for row in jobs}


def specs(connection: Connection, job_ids: Collection[str]) -> dict[str, bytes]:
    """The pods of jobs, as JSON, by job id."""
    query = select(spec_table.c.job_id, spec_table.c.pod).where(spec_table.c.job_id.in_(job_ids))
    return {row.job_id: row.pod for row in connection.execute(query)}


def orphans_of(connection: Connection, job_ids: Collection[str]) -> dict[str, list[Orphan]]:
    """The orphans under the names of runs of these jobs, by job id."""
    query = _namesakes().where(run_table.c.job_id.in_(job_ids)).order_by(orphan_table.c.since, orphan_table.c.uid)
    found: dict[str, list[Orphan]] = defaultdict(list)
    for row in connection.execute(query).mappings():
        found[row["job_id"]].append(_orphan(row))
    return found


def jobs_with_orphans(connection: Connection, uids: Collection[str]) -> dict[str, set[str]]:
    """The jobs that have runs under the names of these orphans, by the uid."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in connection.execute(_namesakes().where(orphan_table.c.uid.in_(uids))).mappings():
        found[row["uid"]].add(row["job_id"])
    return found


def _namesakes() -> Select[Any]:
    """Each orphan with each job of which a run has its name, in its namespace and cluster."""
    of_run = and_(run_table.c.cluster_id == orphan_table.c.cluster_id, run_table.c.pod_name == orphan_table.c.pod_name)
    of_job = and_(job_table.c.job_id == run_table.c.job_id, job_table.c.namespace == orphan_table.c.namespace)
    columns = ("cluster_id", "uid", "pod_name", "node", "ended", "since", "confirmed_at")
    query = select(run_table.c.job_id, *(orphan_table.c[name] for name in columns)).distinct()
    return query.select_from(orphan_table.join(run_table, of_run).join(job_table, of_job))


def _orphan(row: RowMapping) -> Orphan:
    return Orphan(
        cluster=row["cluster_id"],
        uid=row["uid"],
        pod_name=row["pod_name"],
        node=row["node"],
        since=row["since"],
        may_run=row["confirmed_at"] is None and not row["ended"],
    )


def _endings(connection: Connection, job_ids: Collection[str]) -> dict[str, Ending]:
    """How the jobs ended that were not opened again since."""
    of_now = and_(job_table.c.job_id == ending_table.c.job_id, job_table.c.opening == ending_table.c.opening)
    query = select(ending_table).join(job_table, of_now).where(ending_table.c.job_id.in_(job_ids))
    return {row["job_id"]: rows.ending_of(row) for row in connection.execute(query).mappings()}


def _held(
    row: RowMapping, of_runs: list[RowMapping], ending: Ending | None, orphans: Mapping[str, Sequence[Orphan]]
) -> Held:
    runs: list[JobRun] = [rows.run_of(of_run) for of_run in of_runs]
    return Held(
        job=replace(rows.job_of(row, runs, ending), orphans=tuple(orphans.get(row["job_id"], ()))),
        submission=_submission(row),
        memory={of_run["run_id"]: _memory(of_run) for of_run in of_runs if of_run["memory"] is not None},
        changed={of_run["run_id"]: of_run["changed_at"] for of_run in of_runs},
        events=row["events"],
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
