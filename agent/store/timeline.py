"""The timeline of a job: its runs in order, what happened to each, and what was decided."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, Connection, RowMapping, func, select

from agent.core.failure import Failure
from agent.store.errors import StoreError
from agent.store.explanations import read as read_verdict
from agent.store.recorded import RecordedFailure, RecordedRun, RecordedVerdict, Timeline
from agent.store.tables.failures import info_table
from agent.store.tables.failures import table as failure_table
from agent.store.tables.runs import table
from agent.store.tables.verdicts import table as verdict_table
from agent.wire import failure as wire
from agent.wire.error import WireError

_AT_ONCE = 500
"""Runs read by one query: databases limit the number of parameters."""

_RUN_FIELDS = (
    "run_id",
    "attempt",
    "cluster",
    "namespace",
    "pod_name",
    "node",
    "phase",
    "phase_at",
    "first_occurred_at",
)


def find(connection: Connection, identifier: str, *, newest: int | None = None) -> Timeline | None:
    """The timeline of a job by its id, or of one run by the run's. ``None`` if neither is known.

    ``newest`` limits the runs: a job may own very many pods.
    """
    for column in (table.c.job_id, table.c.run_id):
        count: int = connection.scalars(select(func.count()).select_from(table).where(column == identifier)).one()
        if count:
            runs = _runs(connection, column == identifier, newest)
            return _timeline(connection, runs, earlier_runs=count - len(runs))
    return None


def of_runs(connection: Connection, run_ids: Collection[str]) -> dict[str, RecordedRun]:
    """What was recorded of each of these runs that is known, by its id."""
    rows = connection.execute(select(table).where(table.c.run_id.in_(run_ids))).mappings().all()
    return {run.run_id: run for run in _recorded(connection, rows)}


def _runs(connection: Connection, condition: ColumnElement[bool], newest: int | None) -> Sequence[RowMapping]:
    query = select(table).where(condition).order_by(table.c.first_occurred_at.desc(), table.c.run_id).limit(newest)
    return connection.execute(query).mappings().all()


def _timeline(connection: Connection, rows: Sequence[RowMapping], *, earlier_runs: int) -> Timeline:
    first = rows[0]
    return Timeline(
        **{name: first[name] for name in ("job_id", "queue", "job_set", "gang_id")},
        runs=tuple(sorted(_recorded(connection, rows), key=_order)),
        earlier_runs=earlier_runs,
    )


def _recorded(connection: Connection, rows: Sequence[RowMapping]) -> list[RecordedRun]:
    """The runs in these rows, with their failures and verdicts."""
    failures: dict[str, list[RecordedFailure]] = defaultdict(list)
    verdicts: dict[str, RecordedVerdict] = {}
    for part in (rows[start : start + _AT_ONCE] for start in range(0, len(rows), _AT_ONCE)):
        run_ids = [row["run_id"] for row in part]
        failures |= _failures(connection, run_ids)
        verdicts |= _verdicts(connection, run_ids)
    return [
        RecordedRun(
            **{name: row[name] for name in _RUN_FIELDS},
            failures=tuple(failures[row["run_id"]]),
            verdict=verdicts.get(row["run_id"]),
        )
        for row in rows
    ]


def _order(run: RecordedRun) -> tuple[int, datetime, str]:
    return -1 if run.attempt is None else run.attempt, run.first_occurred_at, run.run_id


def _failures(connection: Connection, run_ids: Collection[str]) -> dict[str, list[RecordedFailure]]:
    query = (
        select(failure_table, info_table.c.info)
        .join(info_table, info_table.c.event_id == failure_table.c.event_id)
        .where(failure_table.c.run_id.in_(run_ids))
        .order_by(failure_table.c.occurred_at, failure_table.c.observed_at, failure_table.c.event_id)
    )
    by_run: dict[str, list[RecordedFailure]] = defaultdict(list)
    fields = ("event_id", "amends", "occurred_at", "observed_at", "stored_at", "key_line")
    for row in connection.execute(query).mappings():
        recorded = RecordedFailure(**{name: row[name] for name in fields}, failure=_read_info(row))
        by_run[row["run_id"]].append(recorded)
    return by_run


def _read_info(row: RowMapping) -> Failure:
    try:
        return wire.decode(row["info"])
    except WireError as error:
        raise StoreError(f"the failure of event {row['event_id']} cannot be read: {error}") from error


def _verdicts(connection: Connection, run_ids: Collection[str]) -> dict[str, RecordedVerdict]:
    query = select(verdict_table).where(verdict_table.c.run_id.in_(run_ids))
    return {
        row["run_id"]: RecordedVerdict(
            event_id=row["event_id"], decided_at=row["decided_at"], verdict=read_verdict(row)
        )
        for row in connection.execute(query).mappings()
    }
