"""Which submitted jobs an event, a pass or a queue is about."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from sqlalchemy import ColumnElement, Connection, Index, RowMapping, func, or_, select

from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.state import FINAL, WAITING
from agent.store.submitted import rows
from agent.store.submitted.tables import job_table, run_table

# Not in the module of the tables, because SQLAlchemy imports both dialects for an index with a condition.
_IS_OPEN: Final = run_table.c.closed_at.is_(None)
Index("ix_submitted_run_open", run_table.c.cluster_id, sqlite_where=_IS_OPEN, postgresql_where=_IS_OPEN)

_AT_ONCE: Final = 10_000
"""Uids in one query: a list may have all pods of a cluster, and Postgres takes 65,535 values."""

Pod = tuple[str, str]
"""A pod by the id of its cluster and its uid."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    """A job to be looked at, with what orders it."""

    job_id: str
    priority: float
    submitted_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Leasable:
    """Jobs that may get a run now: of these namespaces, and not of these queues."""

    namespaces: Collection[str]
    without_queues: Collection[str] = ()


def any_job(connection: Connection) -> bool:
    """Whether any job was submitted."""
    return connection.scalars(select(job_table.c.job_id).limit(1)).one_or_none() is not None


def jobs_of_pods(connection: Connection, pods: Collection[Pod]) -> dict[Pod, str]:
    """The job of each pod that a run has recorded."""
    # By uid alone, because Postgres takes four times as long for pairs; uids are unique but for copies of a cluster.
    query = select(run_table.c.cluster_id, run_table.c.uid, run_table.c.job_id)
    uids = sorted({uid for _, uid in pods})
    jobs: dict[Pod, str] = {}
    for start in range(0, len(uids), _AT_ONCE):
        found = connection.execute(query.where(run_table.c.uid.in_(uids[start : start + _AT_ONCE])))
        jobs |= {(row.cluster_id, row.uid): row.job_id for row in found}
    return {pod: jobs[pod] for pod in pods if pod in jobs}


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run, whose it is, and when it changed last."""

    job_id: str
    run: JobRun
    changed_at: datetime


def recorded(connection: Connection, pods: Collection[Pod]) -> dict[Pod, StoredRun]:
    """The run that has recorded each pod."""
    wanted = {uid for _, uid in pods}
    query = select(run_table).where(run_table.c.uid.in_(wanted))
    found = connection.execute(query).mappings() if wanted else ()
    return {(row["cluster_id"], row["uid"]): _stored(row) for row in found}


def open_runs_in(connection: Connection, cluster_id: str) -> list[StoredRun]:
    """The runs in a cluster that are not closed, with or without a recorded pod, ordered by job."""
    query = select(run_table).where(_IS_OPEN, run_table.c.cluster_id == cluster_id).order_by(run_table.c.job_id)
    return [_stored(row) for row in connection.execute(query).mappings()]


def _stored(row: RowMapping) -> StoredRun:
    return StoredRun(job_id=row["job_id"], run=rows.run_of(row), changed_at=row["changed_at"])


def jobs_of_runs(connection: Connection, run_ids: Collection[str]) -> dict[str, str]:
    """The job of each run that exists."""
    query = select(run_table.c.run_id, run_table.c.job_id).where(run_table.c.run_id.in_(run_ids))
    return {row.run_id: row.job_id for row in connection.execute(query)}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOfJob:
    """A run by its id, and whose it is."""

    run_id: str
    job_id: str


def runs_named(connection: Connection, names: Collection[str]) -> Mapping[str, Sequence[RunOfJob]]:
    """For each name the runs that have this id, or whose recorded pod has this uid; several in copies of a cluster."""
    found: dict[str, list[RunOfJob]] = defaultdict(list)
    for column in (run_table.c.run_id, run_table.c.uid):
        query = select(column.label("name"), run_table.c.run_id, run_table.c.job_id).where(column.in_(names))
        for row in connection.execute(query):
            found[row.name].append(RunOfJob(run_id=row.run_id, job_id=row.job_id))
    return found


def existing(connection: Connection, job_ids: Collection[str]) -> set[str]:
    """Those of the ids that are of submitted jobs."""
    return set(connection.scalars(select(job_table.c.job_id).where(job_table.c.job_id.in_(job_ids))))


def due(
    connection: Connection,
    now: datetime,
    *,
    at_most: int,
    after: Due | None = None,
    leasable: Leasable | None = None,
) -> list[Due]:
    """Jobs to be looked at, by priority (Armada's: the smaller number first), then by when they were submitted.

    ``after`` is the last one of the call before, for the next ones: jobs that wait for a cluster stay due. Those that
    wait for nothing else are left out unless they are ``leasable``.
    """
    order = (job_table.c.priority, job_table.c.submitted_at, job_table.c.job_id)
    query = select(*order).where(job_table.c.wakes_at <= now).order_by(*order).limit(at_most)
    if leasable is not None:
        may_lease = job_table.c.namespace.in_(leasable.namespaces) & job_table.c.queue.not_in(leasable.without_queues)
        query = query.where(or_(~_waits_for_cluster(), may_lease))
    if after is not None:
        later, same = job_table.c.submitted_at > after.submitted_at, job_table.c.submitted_at == after.submitted_at
        follows = or_(later, same & (job_table.c.job_id > after.job_id))
        same_priority = job_table.c.priority == after.priority
        query = query.where(or_(job_table.c.priority > after.priority, same_priority & follows))
    return [Due(**row) for row in connection.execute(query).mappings()]


def _waits_for_cluster() -> ColumnElement[bool]:
    """Whether the job waits, and no stop of its pods is without an answer."""
    unanswered = (
        select(run_table.c.run_id)
        .where(
            run_table.c.job_id == job_table.c.job_id,
            run_table.c.uid.is_not(None),
            run_table.c.confirmed.is_(None),
            run_table.c.answered.is_(None),
        )
        .exists()
    )
    return job_table.c.state.in_(sorted(WAITING)) & ~unanswered


def open_runs(connection: Connection) -> dict[str, int]:
    """How many open runs each cluster has, by its id."""
    query = select(run_table.c.cluster_id, func.count().label("runs")).where(_IS_OPEN).group_by(run_table.c.cluster_id)
    return {row.cluster_id: row.runs for row in connection.execute(query)}


def open_runs_of_queues(connection: Connection) -> dict[str, int]:
    """How many open runs each queue has."""
    runs = select(job_table.c.queue, func.count().label("runs")).join(
        run_table, run_table.c.job_id == job_table.c.job_id
    )
    return {row.queue: row.runs for row in connection.execute(runs.where(_IS_OPEN).group_by(job_table.c.queue))}


def open_jobs(connection: Connection, queue: str) -> int:
    """How many jobs of a queue have not ended, or still stop."""
    ended = job_table.c.state.in_(sorted(FINAL))
    query = select(func.count()).select_from(job_table).where(job_table.c.queue == queue, ~ended)
    count: int = connection.scalars(query).one()
    return count
