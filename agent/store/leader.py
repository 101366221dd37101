"""The leader among schedulers: a row that each of the leader's transactions locks and compares.

``until`` serves takeover only, by the database's clock. What keeps an old leader from acting is its epoch: ``check``
locks the row until the transaction ends, so that nobody takes over in between.

Lock decision scopes before the row: whoever holds the row never waits for a scope.
"""

from datetime import datetime, timedelta
from typing import Final

from sqlalchemy import BigInteger, Column, Connection, RowMapping, String, Table, select, update

from agent.store.columns import UtcTime, identifier
from agent.store.errors import LeadershipLost
from agent.store.insert import insert_new
from agent.store.metadata import metadata

SCHEDULER: Final = "scheduler"
"""The leader that runs the scheduling pass and publishes the outbox."""

table: Final = Table(
    "leader",
    metadata,
    Column("name", identifier(), primary_key=True),
    Column("epoch", BigInteger, nullable=False),
    Column("holder", String, nullable=False),
    Column("until", UtcTime, nullable=False),
)
"""``epoch`` grows with every holder and never goes back; ``holder`` is empty if there is none."""


def take(connection: Connection, holder: str, *, now: datetime, lasts: timedelta, name: str = SCHEDULER) -> int | None:
    """Become the leader if there is none, its time is over, or it is this holder; return the new epoch.

    ``None``: another is the leader. The epoch is new also for the same holder: it may be a restarted process, whose
    earlier one still runs.
    """
    free = {"name": name, "epoch": 0, "holder": "", "until": now}
    insert_new(connection, table, [free], key="name")
    row = _locked(connection, name)
    if row["holder"] not in ("", holder) and row["until"] > now:
        return None
    epoch: int = row["epoch"] + 1
    _set(connection, name, epoch=epoch, holder=holder, until=now + lasts)
    return epoch


def renew(connection: Connection, epoch: int, *, now: datetime, lasts: timedelta, name: str = SCHEDULER) -> None:
    """Stay the leader for longer, also if the time was over and nobody took over. Raises LeadershipLost."""
    check(connection, epoch, name=name)
    connection.execute(update(table).where(table.c.name == name).values(until=now + lasts))


def release(connection: Connection, epoch: int, *, now: datetime, name: str = SCHEDULER) -> None:
    """Make room for another at once; nothing more can be done under this epoch. Raises LeadershipLost."""
    check(connection, epoch, name=name)
    _set(connection, name, epoch=epoch + 1, holder="", until=now)


def check(connection: Connection, epoch: int, *, name: str = SCHEDULER) -> None:
    """Raise LeadershipLost unless this is the leader's epoch; if it is, nobody takes over before the transaction ends.

    In a transaction that writes (``Store.decide``): on SQLite that is the lock.
    """
    row = _locked(connection, name)
    if row["epoch"] != epoch:
        raise LeadershipLost(f"epoch {epoch} is over: {row['holder'] or 'nobody'} leads with {row['epoch']}")


def _locked(connection: Connection, name: str) -> RowMapping:
    row = connection.execute(select(table).where(table.c.name == name).with_for_update()).mappings().one_or_none()
    if row is None:
        raise LeadershipLost("nobody ever was the leader")
    return row


def _set(connection: Connection, name: str, *, epoch: int, holder: str, until: datetime) -> None:
    connection.execute(update(table).where(table.c.name == name).values(epoch=epoch, holder=holder, until=until))
