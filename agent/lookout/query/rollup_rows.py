"""Counts from the rollups: which questions they answer, and the rows that do."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, func, select

from agent.lookout.query.columns import Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.predicates import predicate
from agent.lookout.query.window import Window
from agent.lookout.store.tables import hour_table as table

COLUMNS: Final = ("category", "subcategory", "origin", "queue", "cluster")
"""The columns that rollups have."""

_ANSWERED: Final = frozenset({Operator.EQUALS, Operator.STARTS_WITH, Operator.EXISTS})


def answers(by: Sequence[str], conditions: Sequence[Condition]) -> bool:
    """Whether the rollups know all columns that are asked for."""
    known = all(condition.column.field in COLUMNS and condition.operator in _ANSWERED for condition in conditions)
    return known and {*by} <= {*COLUMNS}


def counts(by: Sequence[ColumnElement[Any]], conditions: Sequence[Condition], window: Window) -> Select[Any]:
    """Runs and failures by some columns, in a window of whole hours."""
    where = [predicate(condition, table) for condition in conditions]
    numbers = (func.sum(table.c.runs).label("runs"), func.sum(table.c.failures).label("failures"))
    return select(*by, *numbers).where(*window.bounds(table.c.hour), table.c.runs > 0, *where).group_by(*by)


def column(name: str) -> ColumnElement[Any]:
    """A column of the rollups by its name, which is the same in the table."""
    return table.c[name]
