"""Failures of runs, each whole, with the ends of logs in a table of their own."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection, RowMapping, select

from agent.core.evidence import LogTail
from agent.core.failure import Failure
from agent.core.run_event import Amendment, CreationFailed, RunEvent
from agent.core.summary.internal import as_failure
from agent.lookout.store.documents import with_references
from agent.lookout.store.fitting import fit
from agent.lookout.store.merged import among
from agent.lookout.store.outlines import Outline, columns, outline
from agent.lookout.store.tables import failure_table as table
from agent.lookout.store.tables import log_table
from agent.store.columns import Row
from agent.store.insert import insert_missing


class NewFailure(Struct, frozen=True, gc=False):
    """A failure, and what lists show of it."""

    outline: Outline
    failure: Failure


def reported(event: RunEvent) -> NewFailure | None:
    """The failure that an event reports; ``None`` if it reports none."""
    match event.event:
        case Failure() as failure:
            amends = None
        case Amendment(amends=amends, failure=failure):
            pass
        case CreationFailed() as refused:
            amends, failure = None, as_failure(refused)
        case _:
            return None
    return NewFailure(outline(event, failure, amends=amends), failure)


_AT_ONCE: Final = 200
"""Documents that are encoded at one time: they take memory that the process would keep."""
_OUTLINE: Final = [table.c[name] for name in Outline.__struct_fields__]


def outlines(connection: Connection, run_ids: Collection[str]) -> Mapping[str, list[Outline]]:
    """The outlines of the failures of these runs, by run."""
    found: dict[str, list[Outline]] = defaultdict(list)
    if run_ids:
        for row in connection.execute(select(*_OUTLINE).where(among(connection, table.c.run_id, run_ids))).mappings():
            found[row["run_id"]].append(Outline(**{**row, "categories": tuple(row["categories"])}))
    return found


def store(connection: Connection, failures: Sequence[NewFailure]) -> None:
    """Store failures that are not stored yet."""
    for start in range(0, len(failures), _AT_ONCE):
        part = failures[start : start + _AT_ONCE]
        insert_missing(connection, table, [_row(failure) for failure in part])
    logs = [failure for failure in failures if failure.failure.log_tails]
    for start in range(0, len(logs), _AT_ONCE):
        insert_missing(connection, log_table, [_log_row(failure) for failure in logs[start : start + _AT_ONCE]])


def _row(new: NewFailure) -> Row:
    row: Row = columns(new.outline)
    row["rules_revision"] = fit("revision", new.failure.classification.revision)
    row["info"] = with_references(replace(new.failure, log_tails=tuple(map(_named, new.failure.log_tails))))
    return row


def _named(tail: LogTail) -> LogTail:
    """Whose log it was. Its text is in a row of its own, which goes earlier."""
    return replace(tail, text="")


def _log_row(new: NewFailure) -> Row:
    return {
        "event_id": new.outline.event_id,
        "occurred_at": new.outline.occurred_at,
        "tails": new.failure.log_tails,
    }


def read(connection: Connection, run_id: str) -> dict[str, Failure]:
    """The failures of a run and what amends them, whole, by event; without the ends of logs that were dropped."""
    query = (
        select(table.c.event_id, table.c.info, log_table.c.tails)
        .outerjoin(log_table, log_table.c.event_id == table.c.event_id)
        .where(table.c.run_id == run_id)
        .order_by(table.c.occurred_at, table.c.event_id)
    )
    return {row["event_id"]: whole(row) for row in connection.execute(query).mappings()}


def dropped_logs(row: RowMapping | Mapping[str, Any]) -> bool:
    """Whether the failure in a row with ``info`` and ``tails`` had ends of logs that were dropped since."""
    return bool(row["info"].log_tails) and row["tails"] is None


def whole(row: RowMapping | Mapping[str, Any]) -> Failure:
    """The failure in a row with ``info`` and ``tails``; the ends of logs may have been dropped."""
    failure: Failure = row["info"]
    return replace(failure, log_tails=row["tails"] or ())
