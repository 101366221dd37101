"""The horizon: runs that ended before it may have been pruned, so their counts are final.

It is the start of a day, because runs are counted by day, too.
"""

from datetime import UTC, datetime, time
from typing import Final

from sqlalchemy import Connection, select

from agent.lookout.store.tables import horizon_table as table
from agent.store.insert import insert_or_replace

SCOPE: Final = "horizon"
"""The name of the lock of whoever deletes what is before the horizon, or relies on nobody doing so at the moment."""

_NAME: Final = "runs"


def day_of(at: datetime) -> datetime:
    """The start of its day in UTC."""
    return datetime.combine(at.astimezone(UTC).date(), time(), UTC)


def read(connection: Connection) -> datetime | None:
    """The horizon; ``None`` if nothing was ever pruned."""
    return connection.scalars(select(table.c.at).where(table.c.name == _NAME)).one_or_none()


def move(connection: Connection, to: datetime) -> datetime:
    """Move the horizon to the start of a day in UTC, before what ended earlier is pruned; return where it is.

    It never moves back: what was pruned is not counted a second time when it is stored again.
    """
    day = day_of(to)
    there = read(connection)
    if there is not None and there >= day:
        return there
    insert_or_replace(connection, table, [{"name": _NAME, "at": day}], key="name")
    return day
