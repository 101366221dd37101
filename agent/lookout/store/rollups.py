"""Counts of runs that ended, by hour, by day, and by node and day, kept with the rows in the same transaction."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Table, delete, func, select, text

from agent.lookout.store import horizon
from agent.lookout.store.tables import day_table, hour_table, node_day_table
from agent.lookout.store.tables import run_table as run
from agent.store.columns import Row
from agent.store.insert import insert, insert_or_add
from agent.store.lock import lock_scopes

Key = tuple[Any, ...]
Counts = Mapping[Key, tuple[int, int]]
"""Runs and failures by the key of a rollup. A count of no runs is left out."""

_HOUR: Final = ("hour", "category", "subcategory", "origin", "queue", "cluster")
_DAY: Final = ("day", "category", "origin", "queue")
_NODE_DAY: Final = ("day", "cluster", "node")
_ROLLUPS: Final = ((hour_table, _HOUR), (day_table, _DAY), (node_day_table, _NODE_DAY))
_NONE: Final = (0, 0)


class Changes:
    """What a batch adds to the counts and takes from them. Runs that ended before ``since`` are not counted."""

    def __init__(self, since: datetime | None) -> None:
        self._since = since
        self._runs: dict[Table, Counter[Key]] = defaultdict(Counter)
        self._failures: dict[Table, Counter[Key]] = defaultdict(Counter)

    def replace(self, old: Row | None, new: Row) -> None:
        """Count a run as its new row says, and no longer as the old one."""
        if old is not None:
            self._count(old, -1)
        self._count(new, 1)

    def _count(self, row: Row, by: int) -> None:
        if row["hour"] is None or (self._since is not None and row["hour"] < self._since):
            return
        failed = 0 if row["failure_id"] is None else by
        self._add(hour_table, tuple(row[name] for name in _HOUR), by, failed)
        day = _day(row["hour"])
        self._add(day_table, (day, row["category"], row["origin"], row["queue"]), by, failed)
        if row["node"]:
            self._add(node_day_table, (day, row["cluster"], row["node"]), by, failed)

    def _add(self, table: Table, key: Key, runs: int, failures: int) -> None:
        self._runs[table][key] += runs
        self._failures[table][key] += failures

    def write(self, connection: Connection) -> None:
        """Write the counts in the order of their keys, so that two transactions never wait for each other."""
        for table, names in _ROLLUPS:
            runs, failures = self._runs[table], self._failures[table]
            changed = sorted(key for key in runs if runs[key] or failures[key])
            insert_or_add(connection, table, [_row(names, key, (runs[key], failures[key])) for key in changed])


def stored(connection: Connection) -> tuple[Counts, ...]:
    """The counts by hour, by day, and by node and day."""
    return tuple(_stored(connection, table, names) for table, names in _ROLLUPS)


def _stored(connection: Connection, table: Table, names: tuple[str, ...]) -> Counts:
    query = select(*(table.c[name] for name in names), table.c.runs, table.c.failures).where(table.c.runs > 0)
    return {tuple(row[:-2]): (row[-2], row[-1]) for row in connection.execute(query)}


def recount(connection: Connection) -> tuple[Counts, ...]:
    """The same counts from the rows of runs that ended since the horizon."""
    ended: list[ColumnElement[bool]] = [run.c.hour.is_not(None)]
    since = horizon.read(connection)
    if since is not None:
        ended.append(run.c.hour >= since)
    by_hour = _count(connection, [run.c[name] for name in _HOUR], ended)
    by_node = _count(connection, [run.c.hour, run.c.cluster, run.c.node], [*ended, run.c.node != ""])
    by_day = (((hour, category, origin, queue), counts) for (hour, category, _, origin, queue, _), counts in by_hour)
    return dict(by_hour), _by_day(by_day), _by_day(by_node)


def _count(
    connection: Connection, by: Sequence[ColumnElement[Any]], where: Iterable[ColumnElement[bool]]
) -> list[tuple[Key, tuple[int, int]]]:
    query = select(*by, func.count(), func.count(run.c.failure_id)).where(*where).group_by(*by)
    return [(tuple(row[:-2]), (row[-2], row[-1])) for row in connection.execute(query)]


def _by_day(by_hour: Iterable[tuple[Key, tuple[int, int]]]) -> Counts:
    runs, failures = Counter[Key](), Counter[Key]()
    for (hour, *others), (ended, failed) in by_hour:
        key = (_day(hour), *others)
        runs[key] += ended
        failures[key] += failed
    return {key: (runs[key], failures[key]) for key in runs}


class Difference(NamedTuple):
    """A count that is not that of the rows: its rollup, its key by column, and each of runs and of failures."""

    table: str
    key: Row
    stored: tuple[int, int]
    counted: tuple[int, int]


def differences(connection: Connection) -> list[Difference]:
    """The counts since the horizon that are not those of the rows."""
    return _differences(connection, recount(connection), horizon.read(connection))


def _differences(connection: Connection, counted: tuple[Counts, ...], since: datetime | None) -> list[Difference]:
    found = []
    for (table, names), known, right in zip(_ROLLUPS, stored(connection), counted, strict=True):
        kept = {key: counts for key, counts in known.items() if since is None or key[0] >= since}
        for key in sorted(kept.keys() | right.keys()):
            has, should_have = kept.get(key, _NONE), right.get(key, _NONE)
            if has != should_have:
                found.append(Difference(table.name, dict(zip(names, key, strict=True)), has, should_have))
    return found


def rebuild(connection: Connection) -> list[Difference]:
    """Replace the counts since the horizon by those of the rows; return those that were different.

    Older counts stay: their rows may be gone.
    """
    lock_scopes(connection, [horizon.SCOPE])
    if connection.dialect.name == "postgresql":
        # Those who have added to a count are waited for, and then seen; those who have not add to the new one.
        connection.execute(text(f"LOCK TABLE {', '.join(table.name for table, _ in _ROLLUPS)} IN EXCLUSIVE MODE"))
    since = horizon.read(connection)
    counted = recount(connection)
    found = _differences(connection, counted, since)
    for (table, names), counts in zip(_ROLLUPS, counted, strict=True):
        replaced = delete(table) if since is None else delete(table).where(table.c[names[0]] >= since)
        connection.execute(replaced)
        insert(connection, table, [_row(names, key, counts[key]) for key in sorted(counts)])
    return found


def _row(names: Sequence[str], key: Key, counts: tuple[int, int]) -> Row:
    runs, failures = counts
    return {**dict(zip(names, key, strict=True)), "runs": runs, "failures": failures}


def _day(hour: datetime) -> datetime:
    return hour.replace(hour=0)
