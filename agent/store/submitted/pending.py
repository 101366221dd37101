"""Events about pods that a run may record: kept until it records one, or until they are too old."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from agent.store.insert import insert_new
from agent.store.submitted.tables import pending_table


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEvent:
    """An event as it arrived; ``run_id`` is what the labels of its pod say."""

    event_id: str
    run_id: str
    payload: bytes
    received_at: datetime


def keep(connection: Connection, events: Sequence[PendingEvent]) -> None:
    """Keep the events that are not kept yet."""
    insert_new(connection, pending_table, [asdict(event) for event in events], key="event_id")


def take(connection: Connection, run_ids: Collection[str]) -> list[PendingEvent]:
    """Remove and return the events about pods of these runs, in the order in which they arrived."""
    if not run_ids:
        return []
    columns = [column for column in pending_table.c if column is not pending_table.c.number]
    of_runs = pending_table.c.run_id.in_(run_ids)
    query = select(*columns).where(of_runs).order_by(pending_table.c.number)
    events = [PendingEvent(**row) for row in connection.execute(query).mappings()]
    if events:
        connection.execute(delete(pending_table).where(of_runs))
    return events


def drop(connection: Connection, *, before: datetime) -> int:
    """Delete the events that arrived before; return how many."""
    return connection.execute(delete(pending_table).where(pending_table.c.received_at < before)).rowcount
