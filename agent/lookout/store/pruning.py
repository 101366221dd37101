"""Deletes what is past its time, a little in each transaction, so that nobody who stores waits for long.

A job goes as a whole: while anything is heard of it, all its runs are kept, whatever their age. Only of a job with more
than ``kept_runs`` runs, such as a DaemonSet, whose pods come and go for years, the runs go that were not heard of for
longest. Of a run that goes on for years, such as a pod whose container restarts, failures go by their own age. The
horizon moves first; the counts of what ended before it are final.

What a batch deletes is looked up in a transaction that only reads. The one that deletes holds the locks of the jobs,
as who stores does, and looks again whether anything was heard of them.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, and_, delete, exists, func, literal, or_, select

from agent.lookout.store import horizon
from agent.lookout.store.recording import plan_each_time
from agent.lookout.store.tables import (
    cluster_table,
    decision_table,
    failure_table,
    job_request_table,
    job_table,
    log_table,
    rule_table,
    run_category_table,
    run_table,
)
from agent.store.lock import lock_scopes, try_lock_scope
from agent.store.store import Store

TABLES: Final = (
    *(job_table, job_request_table, run_table, run_category_table, failure_table, log_table, decision_table),
    *(cluster_table, rule_table),
)
"""The tables from which rows are pruned."""

Deleted = Mapping[str, int]
"""Rows by table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """``batch``: jobs, runs, log tails or clusters that one transaction deletes. ``kept_runs``: of a job that lives."""

    batch: int = 200
    kept_runs: int = 1_000


DEFAULT: Final = Bounds()


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What is past: log tails of failures before ``logs``, and what nothing was heard of since ``rest``."""

    logs: datetime
    rest: datetime

    @property
    def day(self) -> datetime:
        """Jobs and runs are known to the day."""
        return horizon.day_of(self.rest)


class OtherPruner(Exception):
    """Another process deletes at this moment; there is no need for two."""


def time_of(store: Store, system: Callable[[], datetime]) -> datetime:
    """The time by which rows are past: on Postgres the database's, which all processes share, else the system's."""
    if store.dialect != "postgresql":
        return system()
    now: datetime = _found(store, select(func.clock_timestamp()))[0].astimezone(UTC)
    return now


def prune(store: Store, past: Past, bounds: Bounds = DEFAULT) -> Iterator[Deleted]:
    """Delete what is past; yield after each transaction what it deleted. No transaction is open then.

    Raises OtherPruner, and what ``store`` raises. What was deleted until then stays so.
    """
    yield from _logs(store, past.logs, bounds)
    _move_horizon(store, past.day)
    yield from _jobs(store, past.day, bounds)
    yield from _runs(store, past.day, bounds)
    yield from _failures(store, past.day, bounds)
    yield from _clusters(store, past.rest, bounds)
    yield from _rules(store)


@contextmanager
def _deleting(store: Store, scopes: Collection[str] = ()) -> Iterator[Connection]:
    """A transaction of one batch."""
    with store.write() as connection:
        if not try_lock_scope(connection, horizon.SCOPE):
            raise OtherPruner
        plan_each_time(connection)
        lock_scopes(connection, scopes)
        yield connection


def _found(store: Store, query: Select[Any]) -> Sequence[Any]:
    """The values of the first column."""
    return [row[0] for row in _rows(store, query)]


def _rows(store: Store, query: Select[Any]) -> Sequence[Row[Any]]:
    with store.read() as connection:
        return connection.execute(query).all()


def _delete(connection: Connection, table: Table, *where: ColumnElement[bool]) -> dict[str, int]:
    return {table.name: connection.execute(delete(table).where(*where)).rowcount}


def _logs(store: Store, before: datetime, bounds: Bounds) -> Iterator[Deleted]:
    own = log_table.c
    past = select(own.event_id).where(own.occurred_at < before).order_by(own.occurred_at).limit(bounds.batch)
    while names := _found(store, past):
        with _deleting(store) as connection:
            deleted = _delete(connection, log_table, own.event_id.in_(names))
        yield deleted


def _move_horizon(store: Store, day: datetime) -> None:
    """Move it before anything older is deleted. As long as nothing is older, it may come yet, and is counted."""
    if _found(store, select(job_table.c.job_id).where(job_table.c.first_at < day).limit(1)):
        with _deleting(store) as connection:
            horizon.move(connection, day)


def _jobs(store: Store, day: datetime, bounds: Bounds) -> Iterator[Deleted]:
    own = job_table.c
    past = select(own.job_id).where(_is_silent(day)).order_by(own.last_day).limit(bounds.batch)
    while names := _found(store, past):
        with _deleting(store, [f"job {name}" for name in names]) as connection:
            deleted = _delete_jobs(connection, names, day, bounds)
        yield deleted


def _is_silent(day: datetime) -> ColumnElement[bool]:
    """Whether nothing was heard of a job, nor of its runs under another id: events of a run may name several jobs.

    No NOT EXISTS: Postgres might read all runs for it.
    """
    own = run_table.c
    heard = select(literal(1)).where(own.job_id == job_table.c.job_id, own.last_day >= day).limit(1)
    return and_(job_table.c.last_day < day, heard.correlate(job_table).scalar_subquery().is_(None))


def _delete_jobs(connection: Connection, names: Collection[str], day: datetime, bounds: Bounds) -> Deleted:
    """Delete these jobs unless they were heard of since, as far as their runs are not too many for one batch."""
    silent = select(job_table.c.job_id).where(job_table.c.job_id.in_(names), _is_silent(day))
    past = connection.scalars(silent).all()
    of_jobs = select(run_table.c.run_id).where(run_table.c.job_id.in_(past))
    deleted = _delete_runs(connection, connection.scalars(of_jobs.limit(bounds.batch)).all())
    left = select(run_table.c.job_id).where(run_table.c.job_id.in_(past))
    done = set(past).difference(connection.scalars(left))
    for table in (job_request_table, job_table):
        deleted |= _delete(connection, table, table.c.job_id.in_(done))
    return deleted


def _delete_runs(connection: Connection, names: Collection[str]) -> dict[str, int]:
    """Delete these runs, and everything that is about them."""
    failures = select(failure_table.c.event_id).where(failure_table.c.run_id.in_(names))
    deleted = _delete(connection, log_table, log_table.c.event_id.in_(failures))
    for table in (failure_table, run_category_table, decision_table, run_table):
        deleted |= _delete(connection, table, table.c.run_id.in_(names))
    return deleted


def _runs(store: Store, day: datetime, bounds: Bounds) -> Iterator[Deleted]:
    """Runs of jobs that go on and have too many."""
    old = select(job_table.c.job_id).where(job_table.c.first_at < day, job_table.c.last_day >= day)
    counted = select(run_table.c.job_id).where(run_table.c.job_id.in_(old)).group_by(run_table.c.job_id)
    for job_id in _found(store, counted.having(func.count() > bounds.kept_runs)):
        yield from _runs_of(store, job_id, day, bounds)


def _runs_of(store: Store, job_id: str, day: datetime, bounds: Bounds) -> Iterator[Deleted]:
    latest = (run_table.c.last_day.desc(), run_table.c.first_at.desc(), run_table.c.run_id)
    latest_first = select(run_table.c.run_id, run_table.c.last_day).where(run_table.c.job_id == job_id)
    beyond = latest_first.order_by(*latest).offset(bounds.kept_runs).subquery()
    past = select(beyond.c.run_id).where(beyond.c.last_day < day).limit(bounds.batch)
    while names := _found(store, past):
        with _deleting(store, [f"job {job_id}"]) as connection:
            still = select(run_table.c.run_id).where(run_table.c.run_id.in_(names), run_table.c.last_day < day)
            deleted = _delete_runs(connection, connection.scalars(still).all())
        yield deleted


def _failures(store: Store, day: datetime, bounds: Bounds) -> Iterator[Deleted]:
    """Failures within runs that go on."""
    own = failure_table.c
    unended = exists().where(run_table.c.run_id == own.run_id, run_table.c.hour.is_(None))
    past = and_(own.occurred_at < day, own.observed_at < day, unended)
    while found := _rows(store, select(own.event_id, own.run_id).where(past).limit(bounds.batch)):
        names = [row.event_id for row in found]
        with _deleting(store, {f"run {row.run_id}" for row in found}) as connection:
            still = connection.scalars(select(own.event_id).where(own.event_id.in_(names), past)).all()
            deleted = _delete(connection, log_table, log_table.c.event_id.in_(still))
            deleted |= _delete(connection, failure_table, own.event_id.in_(still))
        yield deleted


def _clusters(store: Store, before: datetime, bounds: Bounds) -> Iterator[Deleted]:
    own = cluster_table.c
    past = and_(*(or_(time.is_(None), time < before) for time in (own.sent_at, own.rules_loaded_at)))
    while names := _found(store, select(own.cluster_id).where(past).limit(bounds.batch)):
        with _deleting(store, names) as connection:
            deleted = _delete(connection, cluster_table, own.cluster_id.in_(names), past)
        yield deleted


def _rules(store: Store) -> Iterator[Deleted]:
    """Rules that no cluster has now, and by which no failure was classified that is kept."""
    revision = rule_table.c.revision
    unused = and_(
        ~exists().where(cluster_table.c.rules_revision == revision),
        ~exists().where(failure_table.c.rules_revision == revision),
    )
    for name in _found(store, select(revision).where(unused).distinct()):
        with _deleting(store, [f"rules {name}"]) as connection:
            deleted = _delete(connection, rule_table, revision == name, unused)
        yield deleted
