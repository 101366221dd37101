"""Conditions as SQL, which hold for the same rows on every database. Texts are compared by their bytes."""

import string
from collections.abc import Callable, Mapping
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, and_, case, func, literal, or_, select, true

from agent.lookout.query.columns import Kind, Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.store.tables import run_category_table as matches
from agent.store.records.filters import CategoryName

_LAST: Final = "\U0010ffff"
"""No text that begins with ``x`` comes after ``x`` and this."""

_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
"""What ``lower`` does to texts that are compared by their bytes."""

_COMPARED: Final[Mapping[Operator, Callable[[ColumnElement[Any], Any], ColumnElement[bool]]]] = {
    Operator.GTE: lambda column, value: column >= value,
    Operator.GT: lambda column, value: column > value,
    Operator.LTE: lambda column, value: column <= value,
    Operator.LT: lambda column, value: column < value,
    Operator.STARTS_WITH: lambda column, value: and_(column >= value, column < value + _LAST),
}


def predicate(condition: Condition, table: FromClause) -> ColumnElement[bool]:
    """The condition on rows of a table."""
    if condition.column.kind is Kind.MATCH:
        return _matched(condition, table)
    column = table.c[condition.column.field]
    match condition.operator:
        case Operator.EQUALS:
            return _equals(condition, table)
        case Operator.EXISTS:
            return _exists(condition, column)
        case Operator.CONTAINS:
            return contains(column, condition.value)
    return _COMPARED[condition.operator](column, condition.value)


def _equals(condition: Condition, table: FromClause) -> ColumnElement[bool]:
    column, values = table.c[condition.column.field], condition.values
    if condition.column.kind is Kind.DETAIL:
        return and_(*(column[detail.key.value].as_string() == detail.value for detail in values))
    if isinstance(values[0], CategoryName):
        return or_(*(_category(name, table) for name in values))
    return column == values[0] if len(values) == 1 else column.in_(values)


def _matched(condition: Condition, table: FromClause) -> ColumnElement[bool]:
    """Looked up for one row at a time."""
    named = select(literal(1)).where(matches.c.run_id == table.c.run_id, matches.c.category.in_(condition.values))
    return func.coalesce(named.limit(1).correlate(table).scalar_subquery(), 0) == 1


def _category(name: CategoryName, table: FromClause) -> ColumnElement[bool]:
    below = true() if name.subcategory is None else table.c.subcategory == name.subcategory
    return and_(table.c.category == name.category, below)


def _exists(condition: Condition, column: ColumnElement[Any]) -> ColumnElement[bool]:
    """A text that is not known is empty."""
    there: ColumnElement[bool] = column.is_not(None)
    if condition.column.kind in (Kind.TEXT, Kind.CHOICE):
        there = func.coalesce(column, "") != ""
    return there if condition.value else ~there


def contains(column: ColumnElement[Any], part: str) -> ColumnElement[bool]:
    """Whether a text contains a part; A to Z fit in either case."""
    escaped = part.translate(_LOWER).replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return func.lower(column).like(f"%{escaped}%", escape="\\")


def hidden(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """The same, so that no database chooses an index or an order of tables by it."""
    return case((condition, 1), else_=0) > 0
