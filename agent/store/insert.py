"""Inserting many rows at once.

SQLite gets them one by one, from a statement that is compiled once. Postgres gets one JSON document: the driver is far
slower at binding a parameter for each value of each row than the server is at reading JSON. Large documents go next to
it, a line each.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from enum import Enum
from functools import cache
from operator import itemgetter
from typing import Any, Final

import msgspec
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Connection,
    LargeBinary,
    Select,
    Table,
    TableValuedAlias,
    Text,
    bindparam,
    cast,
    column,
    func,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite

from agent.store.columns import LargeDocument, Row, UtcTime
from agent.store.errors import RowRefused

_Insert = postgresql.Insert | sqlite.Insert
_Given = Mapping[str, Any] | Sequence[Row]
_Binding = tuple[str, Callable[[Any], Any] | None]
"""A column, and what its values are converted by."""

_ROWS = "rows"
_PLACE: Final = "place_of_row"
_JSON = msgspec.json.Encoder()
_SQLITE: Final = sqlite.dialect()


class _Existing(Enum):
    """What happens to a row that exists."""

    FAILS = "fails"
    STAYS = "stays"
    GETS_SUMS = "gets sums"
    IS_REPLACED = "is replaced"


def insert(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows, which all name the same columns. A row that exists raises the database's own error."""
    _write(connection, table, rows, _Existing.FAILS)


def insert_new(connection: Connection, table: Table, rows: Sequence[Row], *, key: str) -> set[Any]:
    """Insert the rows that do not exist yet; return their keys. ``key`` is the table's primary key."""
    if not rows:
        return set()
    on_postgres = connection.dialect.name == "postgresql"
    statement, given = _for_postgres(table, rows) if on_postgres else (sqlite.insert(table), rows)
    return set(connection.scalars(statement.on_conflict_do_nothing().returning(table.c[key]), given))


def insert_missing(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert the rows that do not exist yet."""
    _write(connection, table, rows, _Existing.STAYS)


def insert_or_add(connection: Connection, table: Table, rows: Sequence[Row]) -> None:
    """Insert rows; a row that exists gets the sums of the values that are not its key."""
    _write(connection, table, rows, _Existing.GETS_SUMS, tuple(key.name for key in table.primary_key))


def insert_or_replace(connection: Connection, table: Table, rows: Sequence[Row], *, key: str) -> None:
    """Insert rows; a row that exists gets the new values."""
    _write(connection, table, rows, _Existing.IS_REPLACED, (key,))


def _write(
    connection: Connection, table: Table, rows: Sequence[Row], existing: _Existing, keys: tuple[str, ...] = ()
) -> None:
    if not rows:
        return
    names = tuple(rows[0])
    if connection.dialect.name == "postgresql":
        statement, given = _for_postgres(table, rows)
        connection.execute(_settled(statement, names, existing, keys), given)
    else:
        text, bound = _for_sqlite(table, names, existing, keys)
        connection.exec_driver_sql(text, _bound(rows, bound))


def _settled(statement: _Insert, names: Iterable[str], existing: _Existing, keys: tuple[str, ...]) -> _Insert:
    """The insert with what happens to a row that exists."""
    match existing:
        case _Existing.FAILS:
            return statement
        case _Existing.STAYS:
            return statement.on_conflict_do_nothing()
        case _Existing.GETS_SUMS:
            own = statement.table.c
            sums = {name: own[name] + statement.excluded[name] for name in names if name not in keys}
            return statement.on_conflict_do_update(index_elements=keys, set_=sums)
        case _Existing.IS_REPLACED:
            values = {name: statement.excluded[name] for name in names if name not in keys}
            return statement.on_conflict_do_update(index_elements=keys, set_=values)


@cache
def _for_sqlite(
    table: Table, names: tuple[str, ...], existing: _Existing, keys: tuple[str, ...]
) -> tuple[str, Sequence[_Binding]]:
    """The text of a statement, and for each of its parameters the column and how its values are bound."""
    statement = _settled(sqlite.insert(table), names, existing, keys)
    compiled = statement.compile(dialect=_SQLITE, column_keys=list(names))
    order = compiled.positiontup or ()
    return str(compiled), [(name, table.c[name].type.dialect_impl(_SQLITE).bind_processor(_SQLITE)) for name in order]


def _bound(rows: Sequence[Row], bindings: Sequence[_Binding]) -> list[tuple[Any, ...]]:
    """The values of each row in the order of the parameters. Raises RowRefused."""
    get = itemgetter(*(name for name, _ in bindings))
    conversions = [(place, convert) for place, (_, convert) in enumerate(bindings) if convert is not None]
    found = []
    try:
        for row in rows:
            values = list(get(row))
            for place, convert in conversions:
                values[place] = convert(values[place])
            found.append(tuple(values))
    except (TypeError, ValueError) as error:
        raise RowRefused(str(error)) from error
    return found


def _for_postgres(table: Table, rows: Sequence[Row]) -> tuple[_Insert, _Given]:
    names = tuple(rows[0])
    _refuse_times_without_zone(table, rows)
    large = tuple(name for name in names if isinstance(table.c[name].type, LargeDocument))
    query = _unpacked(table, names, large)
    statement = postgresql.insert(table).from_select(names, query, include_defaults=False)
    given = {name: b"\n".join([_JSON.encode(row[name]) for row in rows]).decode() for name in large}
    if large:
        rows = [{**_without(row, large), _PLACE: place} for place, row in enumerate(rows, start=1)]
    return statement, {_ROWS: _JSON.encode(rows).decode(), **given}


def _without(row: Row, names: Collection[str]) -> Row:
    return {name: value for name, value in row.items() if name not in names}


def _unpacked(table: Table, names: Sequence[str], large: Collection[str]) -> Select[Any]:
    """A select over the rows of the JSON document, and over the lines of large ones."""
    columns = [column(name, _written_as(table.c[name])) for name in names if name not in large]
    places = [column(_PLACE, BigInteger)] if large else []
    document = cast(bindparam(_ROWS, type_=Text), postgresql.JSON)
    unpacked = func.json_to_recordset(document).table_valued(*columns, *places).render_derived(with_types=True)
    lines = {name: _lines(name) for name in large}
    values = [
        cast(lines[name].c.line, table.c[name].type) if name in lines else _read_as(table.c[name], unpacked.c[name])
        for name in names
    ]
    query = select(*values).select_from(unpacked)
    for text in lines.values():
        query = query.where(text.c[_PLACE] == unpacked.c[_PLACE])
    return query


def _lines(name: str) -> TableValuedAlias:
    """The lines of a text, each with its place from 1 on."""
    given = func.string_to_array(bindparam(name, type_=Text), "\n")
    return func.unnest(given).table_valued("line", with_ordinality=_PLACE).render_derived(name=f"of_{name}")


def _written_as(of: ColumnElement[Any]) -> Any:  # noqa: ANN401 - any column's type
    return Text() if isinstance(of.type, LargeBinary) else of.type


def _read_as(of: ColumnElement[Any], written: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.decode(written, "base64") if isinstance(of.type, LargeBinary) else written


def _refuse_times_without_zone(table: Table, rows: Sequence[Row]) -> None:
    times = [name for name in rows[0] if isinstance(table.c[name].type, UtcTime)]
    if any(row[name] is not None and row[name].tzinfo is None for row in rows for name in times):
        raise RowRefused("a stored time must have a time zone")
