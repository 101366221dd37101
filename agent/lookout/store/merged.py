"""Rows that are merged with what is there: in a batch, and with what is stored."""

from collections.abc import Callable, Collection, Mapping
from typing import Final

import msgspec
from sqlalchemy import JSON, ColumnElement, Connection, Table, Text, bindparam, cast, func, select

from agent.store.columns import Row
from agent.store.insert import insert_or_replace

_JSON: Final = msgspec.json.Encoder()

Merge = Callable[[Row, Row], Row]
"""Everything that both rows say. Neither their order nor their repetition matters."""


def add(rows: dict[str, Row], key: str, row: Row, merge: Merge) -> None:
    """Add a row of a batch, merged with an earlier one of the same key."""
    known = rows.get(key)
    rows[key] = row if known is None else merge(known, row)


def among(connection: Connection, column: ColumnElement[str], keys: Collection[str]) -> ColumnElement[bool]:
    """Whether a column has one of many keys. They are bound as one: a parameter each takes longer than the search."""
    given = bindparam("keys", _JSON.encode(list(keys)).decode(), type_=Text, unique=True)
    if connection.dialect.name == "postgresql":
        return column.in_(select(func.json_array_elements_text(cast(given, JSON)).column_valued()))
    return column.in_(select(func.json_each(given).table_valued("value").c.value))


def stored(connection: Connection, table: Table, keys: Collection[str]) -> dict[str, Row]:
    """The rows with these primary keys that exist."""
    if not keys:
        return {}
    own = _key_of(table)
    query = select(table).where(among(connection, table.c[own], keys))
    return {row[own]: dict(row) for row in connection.execute(query).mappings()}


def record(connection: Connection, table: Table, reported: Mapping[str, Row], merge: Merge) -> int:
    """Store rows by primary key, merged with those that exist; return how many of these changed.

    What does not change is not written.
    """
    before = stored(connection, table, reported)
    after = [merge(before[key], row) if key in before else row for key, row in sorted(reported.items())]
    changed = [row for row in after if row != before.get(row[_key_of(table)])]
    insert_or_replace(connection, table, changed, key=_key_of(table))
    return sum(row[_key_of(table)] in before for row in changed)


def _key_of(table: Table) -> str:
    (column,) = table.primary_key
    return str(column.name)
