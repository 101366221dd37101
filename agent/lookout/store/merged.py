"""Rows that are merged with what is there: in a batch, and with what is stored."""

from collections.abc import Callable, Collection, Mapping

from sqlalchemy import Connection, Table, select

from agent.store.columns import Row
from agent.store.insert import insert_or_replace

Merge = Callable[[Row, Row], Row]
"""Everything that both rows say. Neither their order nor their repetition matters."""


def add(rows: dict[str, Row], key: str, row: Row, merge: Merge) -> None:
    """Add a row of a batch, merged with an earlier one of the same key."""
    known = rows.get(key)
    rows[key] = row if known is None else merge(known, row)


def stored(connection: Connection, table: Table, keys: Collection[str]) -> dict[str, Row]:
    """The rows with these primary keys that exist."""
    if not keys:
        return {}
    own = _key_of(table)
    query = select(table).where(table.c[own].in_(keys))
    return {row[own]: dict(row) for row in connection.execute(query).mappings()}


def record(connection: Connection, table: Table, reported: Mapping[str, Row], merge: Merge) -> None:
    """Store rows by primary key, merged with those that exist; what does not change is not written."""
    before = stored(connection, table, reported)
    after = [merge(before[key], row) if key in before else row for key, row in sorted(reported.items())]
    changed = [row for row in after if row != before.get(row[_key_of(table)])]
    insert_or_replace(connection, table, changed, key=_key_of(table))


def _key_of(table: Table) -> str:
    (column,) = table.primary_key
    return str(column.name)
