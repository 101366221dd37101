"""Events about pods whose uid no run has recorded yet: kept until one does, or until they are too old."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, select

from agent.store.insert import insert_new
from agent.store.submitted.lookup import Pod
from agent.store.submitted.tables import pending_table


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingEvent:
    """An event as it arrived; ``cluster_id`` and ``uid`` are the pod's."""

    event_id: str
    cluster_id: str
    uid: str
    payload: bytes
    received_at: datetime


def keep(connection: Connection, events: Sequence[PendingEvent]) -> None:
    """Keep the events that are not kept yet."""
    insert_new(connection, pending_table, [asdict(event) for event in events], key="event_id")


def take(connection: Connection, pods: Collection[Pod]) -> list[PendingEvent]:
    """Remove and return the events about these pods, in the order in which they arrived."""
    if not pods:
        return []
    columns = [column for column in pending_table.c if column is not pending_table.c.number]
    # By uid alone, which Postgres does faster: see ``lookup``.
    query = select(*columns).where(pending_table.c.uid.in_({uid for _, uid in pods})).order_by(pending_table.c.number)
    found = [PendingEvent(**row) for row in connection.execute(query).mappings()]
    events = [event for event in found if (event.cluster_id, event.uid) in pods]
    if events:
        ids = [event.event_id for event in events]
        connection.execute(delete(pending_table).where(pending_table.c.event_id.in_(ids)))
    return events


def drop(connection: Connection, *, before: datetime) -> int:
    """Delete the events that arrived before; return how many."""
    return connection.execute(delete(pending_table).where(pending_table.c.received_at < before)).rowcount
