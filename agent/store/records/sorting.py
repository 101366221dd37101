"""Lists in the order of a column: all that is asked for is read and sorted, however much it is, for each page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

from sqlalchemy import (
    ColumnElement,
    Connection,
    Integer,
    Select,
    String,
    bindparam,
    collate,
    func,
    literal,
    tuple_,
)

from agent.store.records.columns import TIME
from agent.store.records.cursor import Key
from agent.store.records.paging import Search

_NUMBERS: Final = frozenset({"exit_code", "attempt"})
_NEWEST_FIRST: Final = f"-{TIME}"
_VALUE: Final = "sorted"
"""The name of the column that is sorted by, in a row; not of one that is sorted by time."""


@dataclass(frozen=True, slots=True)
class Order:
    """By a column; ``descending``: the last first. Where records are equal in it, time and id are in the same order."""

    name: str
    descending: bool

    @classmethod
    def of(cls, sort: str) -> Self:
        """The order that a part of a list has."""
        return cls(sort.removeprefix("-"), descending=sort.startswith("-"))

    def place(self, key: Key) -> tuple[Any, ...]:
        """What is compared of a place. Texts are compared by their bytes, as the databases do it here."""
        return (key.at, key.id) if key.value is None else (key.value, key.at, key.id)

    def is_beyond(self, key: Key, other: Key) -> bool:
        """Whether a place comes after another one."""
        own, others = self.place(key), self.place(other)
        return own < others if self.descending else own > others


NEWEST_FIRST: Final = Order(TIME, descending=True)


def page_of(connection: Connection, search: Search) -> tuple[Sequence[Mapping[Any, Any]], Key | None]:
    """The rows of a page, and the key to go on after; ``None`` at the end of the list."""
    if search.part.sort in (None, _NEWEST_FIRST):
        return search.page(connection)
    order = Order.of(search.part.sort or _NEWEST_FIRST)
    places = connection.execute(_query(connection, search, order)).mappings().all()
    shown = {place[search.id.name]: place for place in places[: search.part.limit]}
    rows = connection.execute(search.rows.where(search.id.in_(list(shown)))).mappings()
    whole = {row[search.id.name]: {**row, **shown[row[search.id.name]]} for row in rows}
    end = key_of(search, places[len(shown) - 1]) if len(places) > len(shown) else None
    return [whole[name] for name in shown], end


def key_of(search: Search, row: Mapping[Any, Any]) -> Key:
    """The place of a row in its list."""
    return Key(row[search.at.name], row[search.id.name], row.get(_VALUE))


def _query(connection: Connection, search: Search, order: Order) -> Select[Any]:
    """The places of a page, and of one more if there is one. Whole rows would be slow to sort."""
    value = _value(connection, search, order.name)
    places = [*([] if value is None else [value]), search.at, search.id]
    shown = [] if value is None else [value.label(_VALUE)]
    query = search.everything().with_only_columns(search.at, search.id, *shown)
    if search.after is not None:
        here, after = tuple_(*places), tuple_(*_bound(search, search.after, has_value=value is not None))
        query = query.where(here < after if order.descending else here > after)
    ordered = (place.desc() if order.descending else place.asc() for place in places)
    return query.order_by(*ordered).limit(search.part.limit + 1)


def _bound(search: Search, key: Key, *, has_value: bool) -> list[ColumnElement[Any]]:
    """A place as parameters of a query."""
    value: list[ColumnElement[Any]] = []
    if has_value:
        value = [bindparam(None, key.value, type_=Integer() if isinstance(key.value, int) else String())]
    return [*value, bindparam(None, key.at, type_=search.at.type), bindparam(None, key.id)]


def _value(connection: Connection, search: Search, name: str) -> ColumnElement[Any] | None:
    """What is sorted by, with a value where a row has none: numbers below all others, texts before all others."""
    if name == TIME:
        return None
    nothing: int | str = -1 if name in _NUMBERS else ""
    column = search.columns.get(name)
    value = literal(nothing) if column is None else func.coalesce(column, nothing)
    is_text = name not in _NUMBERS and connection.dialect.name == "postgresql"
    return collate(value, "C") if is_text else value
