"""New events of runs, merged into their rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from agent.core.failure import ENDS, Failure
from agent.core.run_event import RunEvent, RunPhase
from agent.store.columns import Row, identity_columns
from agent.store.insert import insert_or_replace
from agent.store.tables.runs import table

_RANK = {None: -1, RunPhase.PENDING: 0, RunPhase.RUNNING: 1, RunPhase.SUCCEEDED: 2, RunPhase.FAILED: 2}
_FILLED_IN_LATER = ("node", "pod_name", "pod_uid", "namespace", "queue", "job_set")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivedEvent:
    """An event and where its message came from: spool and sequence, both ``None`` if the message does not say."""

    event: RunEvent
    spool_id: str | None = None
    sequence: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The rows of a batch's runs as they are now, which of them are new, and how many changes of state were repeats."""

    rows: Sequence[Row]
    began: frozenset[str]
    repeated: int


def record(connection: Connection, reports: Sequence[ReceivedEvent]) -> Recorded:
    """Merge events into the rows of their runs.

    The order of events does not matter, and twice has the effect of once: a run only gets further. A change of state is
    a repeat if the row has recorded this sequence, or a later one, of its spool. The mark is kept for each run, not for
    each spool, because a message that was given back comes after later ones of its key.
    """
    there = _existing(connection, {report.event.identity.run_id for report in reports})
    now, again = dict(there), 0
    for row in map(_row, reports):
        known = now.get(row["run_id"])
        again += known is not None and _is_repeat(known, row)
        now[row["run_id"]] = row if known is None else merge(known, row)
    changed = [row for key, row in now.items() if row != there.get(key)]
    insert_or_replace(connection, table, changed, key="run_id")
    return Recorded(rows=tuple(now.values()), began=frozenset(now.keys() - there.keys()), repeated=again)


def merge(known: Row, later: Row) -> Row:
    """Merge two rows about one run: the furthest phase, the earliest time, what either knows."""
    merged = {**known, "first_occurred_at": min(known["first_occurred_at"], later["first_occurred_at"])}
    for name in _FILLED_IN_LATER:
        merged[name] = known[name] or later[name]
    if _order(later) > _order(known):
        merged |= {"phase": later["phase"], "phase_at": later["phase_at"]}
    if later["spool_sequence"] is not None and not _is_repeat(known, later):
        merged |= {"spool_id": later["spool_id"], "spool_sequence": later["spool_sequence"]}
    return merged


def _is_repeat(known: Row, row: Row) -> bool:
    mark, sequence = known["spool_sequence"], row["spool_sequence"]
    same = row["spool_id"] == known["spool_id"]
    return same and mark is not None and sequence is not None and bool(sequence <= mark)


def _existing(connection: Connection, run_ids: Iterable[str]) -> dict[str, Row]:
    query = select(table).where(table.c.run_id.in_(list(run_ids)))
    return {row["run_id"]: dict(row) for row in connection.execute(query).mappings()}


def _order(row: Row) -> tuple[int, float, str]:
    """Orders phases by how far they are. Of two ends the earlier wins, so that the order of events is irrelevant."""
    at: datetime | None = row["phase_at"]
    return _RANK[row["phase"]], 0.0 if at is None else -at.timestamp(), row["phase"] or ""


def _row(report: ReceivedEvent) -> Row:
    event, phase = report.event, _phase(report.event)
    marks = isinstance(event.event, RunPhase) and report.sequence is not None
    return {
        **identity_columns(event),
        "reversed_id": event.identity.run_id[::-1],
        "phase": None if phase is None else phase.value,
        "phase_at": None if phase is None else event.occurred_at,
        "first_occurred_at": event.occurred_at,
        "spool_id": report.spool_id if marks else None,
        "spool_sequence": report.sequence if marks else None,
    }


def _phase(event: RunEvent) -> RunPhase | None:
    if isinstance(event.event, RunPhase):
        return event.event
    ended = isinstance(event.event, Failure) and event.event.occurrence in ENDS
    return RunPhase.FAILED if ended else None
