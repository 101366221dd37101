"""Inserting many rows at once.

SQLite gets them one by one. Postgres gets one JSON document: the driver is far slower at binding a parameter for each
value of each row than the server is at reading JSON.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    LargeBinary,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    column,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from agent.store.columns import Row, UtcTime
from agent.store.errors import RowRefused

_Insert = postgresql.Insert | sqlite.Insert
_Given = Mapping[str, Any] | Sequence[Row]

_ROWS = "rows"
_JSON = msgspec.json.Encoder()


def insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows, which all name the same columns. A row that exists raises the database's own error."""
    if rows:
        statement, given = _prepared(connection, table, rows)
        connection.execute(statement, given)


def insert_new(connection: Connection, table: Table, rows: Sequence[Row], *, key: str) -> set[Any]:
    """Insert the rows that do not exist yet; return their keys. ``key`` is the table's primary key."""
    if not rows:
        return set()
    statement, given = _prepared(connection, table, rows)
    return set(connection.scalars(statement.on_conflict_do_nothing().returning(table.c[key]), given))


def insert_missing(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert the rows that do not exist yet."""
    if rows:
        statement, given = _prepared(connection, table, rows)
        connection.execute(statement.on_conflict_do_nothing(), given)


def insert_or_add(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows; a row that exists gets the sums of the values that are not its key."""
    if rows:
        statement, given = _prepared(connection, table, rows)
        keys = [key.name for key in table.primary_key]
        sums = {name: table.c[name] + statement.excluded[name] for name in rows[0] if name not in keys}
        connection.execute(statement.on_conflict_do_update(index_elements=keys, set_=sums), given)


def insert_or_replace(connection: Connection, table: Table, rows: Sequence[Row], *, key: str) -> None:
    """Insert rows; a row that exists gets the new values."""
    if rows:
        statement, given = _prepared(connection, table, rows)
        values = {name: statement.excluded[name] for name in rows[0] if name != key}
        connection.execute(statement.on_conflict_do_update(index_elements=[key], set_=values), given)


def _prepared(connection: Connection, table: Table, rows: Sequence[Row]) -> tuple[_Insert, _Given]:
    if connection.dialect.name != "postgresql":
        return sqlite.insert(table), rows
    names = tuple(rows[0])
    _refuse_times_without_zone(table, rows)
    statement = postgresql.insert(table).from_select(names, _unpacked(table, names), include_defaults=False)
    return statement, {_ROWS: _JSON.encode(rows).decode()}


def _unpacked(table: Table, names: Sequence[str]) -> Select[Any]:
    """A select over the rows of the JSON document."""
    columns = [column(name, _written_as(table.c[name])) for name in names]
    document = cast(bindparam(_ROWS, type_=Text), postgresql.JSON)
    unpacked = func.json_to_recordset(document).table_valued(*columns).render_derived(with_types=True)
    return select(*(_read_as(table.c[name], unpacked.c[name]) for name in names))


def _written_as(of: ColumnElement[Any]) -> Any:  # noqa: ANN401 - any column's type
    return Text() if isinstance(of.type, LargeBinary) else of.type


def _read_as(of: ColumnElement[Any], written: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.decode(written, "base64") if isinstance(of.type, LargeBinary) else written


def _refuse_times_without_zone(table: Table, rows: Sequence[Row]) -> None:
    times = [name for name in rows[0] if isinstance(table.c[name].type, UtcTime)]
    if any(row[name] is not None and row[name].tzinfo is None for row in rows for name in times):
        raise RowRefused("a stored time must have a time zone")
