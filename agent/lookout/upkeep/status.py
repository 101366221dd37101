"""What a Lookout's database has, and what the broker still has for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, func, select

from agent.broker.port import Broker, Retained
from agent.lookout.ingest.topics import SUBSCRIPTION, consumed_topics
from agent.lookout.store import horizon
from agent.lookout.store.tables import attempt_table, horizon_table, hour_table, metadata
from agent.store.engine import file_of

__all__ = ["SUBSCRIPTION", "Hour", "Stored", "TopicStatus", "rows", "stored", "topics"]

_HOURS: Final = 6
"""How many of the last hours are shown, the one that goes on included."""

_NOT_READ: Final = frozenset({attempt_table.name, horizon_table.name})
"""Tables of the process itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicStatus:
    """What a topic retains, and how much of it is not stored yet."""

    topic: str
    retained: Retained

    def lag(self, now: datetime) -> timedelta | None:
        """The age of the oldest message that is not stored yet, 0 if there is none; ``None``: not known."""
        if self.retained.backlog is None:
            return None
        since = self.retained.oldest_in_backlog
        return timedelta(0) if since is None else max(now - since, timedelta(0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Hour:
    """How many runs ended in an hour, and how many of them failed."""

    at: datetime
    runs: int
    failures: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """What is stored. ``first`` and ``last`` are the hours in which the first and the last counted run ended.

    Runs that ended before ``horizon`` may have been pruned. ``hours`` are the last ones, also those without a run.
    """

    rows: Mapping[str, int]
    size: int
    first: datetime | None
    last: datetime | None
    horizon: datetime | None
    hours: Sequence[Hour]


def topics(broker: Broker) -> list[TopicStatus]:
    """All topics that Lookout consumes. Raises BrokerError."""
    names = sorted(consumed_topics(broker))
    return [TopicStatus(topic=name, retained=broker.retained(name, SUBSCRIPTION)) for name in names]


def stored(connection: Connection, *, now: datetime) -> Stored:
    """All that is stored, in a transaction that reads."""
    counted = select(func.min(hour_table.c.hour), func.max(hour_table.c.hour)).where(hour_table.c.runs > 0)
    first, last = connection.execute(counted).one()
    return Stored(
        rows=rows(connection),
        size=_size(connection),
        first=first,
        last=last,
        horizon=horizon.read(connection),
        hours=_hours(connection, now),
    )


def rows(connection: Connection) -> dict[str, int]:
    """How many rows each table has that people read."""
    read = [table for table in metadata.sorted_tables if table.name not in _NOT_READ]
    return {table.name: connection.scalars(select(func.count()).select_from(table)).one() for table in read}


def _hours(connection: Connection, now: datetime) -> list[Hour]:
    current = now.replace(minute=0, second=0, microsecond=0)
    hours = [current - timedelta(hours=number) for number in range(_HOURS)]
    table = hour_table.c
    query = select(table.hour, func.sum(table.runs), func.sum(table.failures)).group_by(table.hour)
    found = {at: (runs, failed) for at, runs, failed in connection.execute(query.where(table.hour.in_(hours)))}
    return [Hour(at=at, runs=runs, failures=failed) for at in hours for runs, failed in [found.get(at, (0, 0))]]


def _size(connection: Connection) -> int:
    """How many bytes the tables take with their indexes: on SQLite those of the file and of its write-ahead log."""
    file = file_of(connection.engine.url)
    if file is not None:
        return _bytes_of(file) + _bytes_of(file.with_name(f"{file.name}-wal"))
    sizes = [func.pg_total_relation_size(table.name) for table in metadata.sorted_tables]
    return sum(connection.execute(select(*sizes)).one())


def _bytes_of(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0
