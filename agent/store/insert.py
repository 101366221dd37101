"""Putting rows into a table, many at once.

To SQLite they go one by one. To Postgres as one array a column: the driver reads a statement with a parameter for each
value of each row far slower than the server runs it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, bindparam, func, select
from sqlalchemy.dialects import postgresql, sqlite

from agent.store.identity_columns import Row

_Insert = postgresql.Insert | sqlite.Insert
_Given = Mapping[str, Any] | Sequence[Row]


def insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows, which all name the same columns. Raises what the database makes of one that is there."""
    if rows:
        statement, given = _prepared(connection, table, rows)
        connection.execute(statement, given)


def insert_new(connection: Connection, table: Table, rows: Sequence[Row], *, key: str) -> set[Any]:
    """Insert the rows that are not there; gives the keys of those. ``key`` is the table's primary key."""
    if not rows:
        return set()
    statement, given = _prepared(connection, table, rows)
    return set(connection.scalars(statement.on_conflict_do_nothing().returning(table.c[key]), given))


def insert_or_replace(connection: Connection, table: Table, rows: Sequence[Row], *, key: str) -> None:
    """Insert rows; one that is there gets the values of the new one."""
    if rows:
        statement, given = _prepared(connection, table, rows)
        values = {name: statement.excluded[name] for name in rows[0] if name != key}
        connection.execute(statement.on_conflict_do_update(index_elements=[key], set_=values), given)


def _prepared(connection: Connection, table: Table, rows: Sequence[Row]) -> tuple[_Insert, _Given]:
    if connection.dialect.name != "postgresql":
        return sqlite.insert(table), rows
    names = tuple(rows[0])
    columns = select(*(_array(table.c[name]) for name in names))
    statement = postgresql.insert(table).from_select(names, columns, include_defaults=False)
    return statement, {name: [row[name] for row in rows] for name in names}


def _array(column: ColumnElement[Any]) -> ColumnElement[Any]:
    values = bindparam(column.key, type_=postgresql.ARRAY(column.type, dimensions=1))
    return func.unnest(values)
