"""Runs as rows: what their events tell of each, put together."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, select

from agent.core.failure import ENDS, Failure, RunEvent, RunPhase
from agent.store.identity_columns import Row, whose
from agent.store.insert import insert_or_replace
from agent.store.tables import run as table

_RANK = {None: -1, RunPhase.PENDING: 0, RunPhase.RUNNING: 1, RunPhase.SUCCEEDED: 2, RunPhase.FAILED: 2}
_MAY_BE_LEARNT = ("node", "pod_name", "pod_uid", "namespace", "queue", "job_set")


def record(connection: Connection, events: Iterable[RunEvent]) -> None:
    """Put events into the rows of their runs. The order of events does not matter, and twice is the same as once."""
    told: dict[str, Row] = {}
    for event in events:
        row = _row(event)
        told[row["run_id"]] = merge(told[row["run_id"]], row) if row["run_id"] in told else row
    if not told:
        return
    there: dict[str, Row] = {
        row["run_id"]: dict(row) for row in connection.execute(select(table).where(table.c.run_id.in_(told))).mappings()
    }
    changed = [merged for key, known in there.items() if (merged := merge(known, told[key])) != known]
    new = [row for key, row in told.items() if key not in there]
    insert_or_replace(connection, table, [*new, *changed], key="run_id")


def merge(known: Row, later: Row) -> Row:
    """One row of two about the same run: the furthest phase, the earliest time, what either knows."""
    merged = {**known, "first_occurred_at": min(known["first_occurred_at"], later["first_occurred_at"])}
    for name in _MAY_BE_LEARNT:
        merged[name] = known[name] or later[name]
    if _order(later) > _order(known):
        merged |= {"phase": later["phase"], "phase_at": later["phase_at"]}
    return merged


def _order(row: Row) -> tuple[int, float, str]:
    """Which of two phases is further; of two ends the earlier, so that the answer does not hang on the order."""
    at: datetime | None = row["phase_at"]
    return _RANK[row["phase"]], 0.0 if at is None else -at.timestamp(), row["phase"] or ""


def _row(event: RunEvent) -> Row:
    phase = _phase(event)
    return {
        **whose(event),
        "phase": None if phase is None else phase.value,
        "phase_at": None if phase is None else event.occurred_at,
        "first_occurred_at": event.occurred_at,
    }


def _phase(event: RunEvent) -> RunPhase | None:
    if isinstance(event.event, RunPhase):
        return event.event
    ended = isinstance(event.event, Failure) and event.event.occurrence in ENDS
    return RunPhase.FAILED if ended else None
