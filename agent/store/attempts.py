"""Failed attempts to handle a message, counted in the store so that they outlive a process and a broker."""

from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from agent.store.insert import insert_new
from agent.store.tables import attempt as table

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
