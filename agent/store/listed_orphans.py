"""Keeps the orphans that lists have, and what a person said of one. Who only reads them has ``orphans``."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection, RowMapping, delete, select, update

from agent.store.insert import insert, insert_new
from agent.store.orphans import Orphan, table


def add(connection: Connection, found: Sequence[Orphan]) -> None:
    """Keep orphans that are new; those that are known keep their ``since`` and what a person said."""
    insert_new(connection, table, [_row(orphan) for orphan in found], key="uid")


def replace(connection: Connection, cluster_id: str, found: Sequence[Orphan]) -> None:
    """Keep these orphans of a cluster, and no others; those that are known keep ``since`` and what a person said."""
    query = select(table).where(table.c.cluster_id == cluster_id)
    known = {row["uid"]: row for row in connection.execute(query).mappings()}
    connection.execute(delete(table).where(table.c.cluster_id == cluster_id))
    insert(connection, table, [_said_before(_row(orphan), known.get(orphan.uid)) for orphan in found])


def _row(orphan: Orphan) -> dict[str, object]:
    said = dict.fromkeys(("confirmed_at", "confirmed_by", "confirmed_reason"))
    return asdict(orphan) | {"phase": orphan.phase.value} | said


def _said_before(row: dict[str, object], known: RowMapping | None) -> dict[str, object]:
    kept = ("since", "confirmed_at", "confirmed_by", "confirmed_reason")
    return row if known is None else row | {name: known[name] for name in kept}


def confirm(connection: Connection, orphan: Orphan, *, by: str, reason: str, at: datetime) -> None:
    """Remember that a person vouches that the pod does not run."""
    own = (table.c.cluster_id == orphan.cluster_id, table.c.uid == orphan.uid)
    said = {"confirmed_at": at, "confirmed_by": by, "confirmed_reason": reason}
    connection.execute(update(table).where(*own).values(said))
