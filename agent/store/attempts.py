"""Failed attempts to handle a message, counted in the store so that they outlive a process and a broker."""

from datetime import datetime, timedelta

from sqlalchemy import Column, Connection, Index, Integer, String, Table, Text, select

from agent.store.columns import UtcTime
from agent.store.insert import insert_new
from agent.store.metadata import metadata

table = Table(
    "attempt",
    metadata,
    Column("fingerprint", String, primary_key=True),
    Column("failed", Integer, nullable=False),
    Column("last_error", Text, nullable=False),
    Column("last_at", UtcTime, nullable=False),
)
"""How often handling a message failed although the store answered. Brokers' own counts may reset."""
Index(None, table.c.last_at)

KEPT = timedelta(days=7)
"""Longer than any outage should last; older rows are deleted when another is written."""


def failed(connection: Connection, fingerprint: str, *, error: str, now: datetime) -> int:
    """Record one more failed attempt; return how many there were, this one included."""
    connection.execute(table.delete().where(table.c.last_at < now - KEPT))
    row = {"fingerprint": fingerprint, "failed": 0, "last_error": "", "last_at": now}
    insert_new(connection, table, [row], key="fingerprint")
    own = table.c.fingerprint == fingerprint
    counted = {"failed": table.c.failed + 1, "last_error": _storable(error), "last_at": now}
    connection.execute(table.update().where(own).values(counted))
    count: int = connection.scalars(select(table.c.failed).where(own)).one()
    return count


def forget(connection: Connection, fingerprint: str) -> None:
    connection.execute(table.delete().where(table.c.fingerprint == fingerprint))


def _storable(text: str) -> str:
    """Escape NUL and lone surrogates, which Postgres refuses: an error may quote them from a message."""
    return text.replace("\x00", "\\x00").encode("utf-8", "backslashreplace").decode("utf-8")
