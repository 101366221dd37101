"""Counts from the rollups: which questions they answer, and the rows that do."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, func, select

from agent.lookout.query.columns import Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.predicates import predicate
from agent.lookout.query.window import DAY, Window
from agent.lookout.store.tables import day_table, hour_table, node_day_table
from agent.store.records.filters import CategoryName

COLUMNS: Final = ("category", "subcategory", "origin", "queue", "cluster")
"""The columns that rollups have."""

LONG: Final = 14 * DAY
"""The window from which on whole days are counted instead of whole hours, where that has the columns."""

_ANSWERED: Final = frozenset({Operator.EQUALS, Operator.STARTS_WITH, Operator.EXISTS})


@dataclass(frozen=True, slots=True)
class Rollup:
    """A rollup: its table, its column of time, and the window of whole steps that has all of another."""

    table: Table
    time: str
    whole: Callable[[Window], Window]

    def knows(self, by: Sequence[str], conditions: Sequence[Condition]) -> bool:
        """Whether it has all columns that are asked for."""
        asked = {*by, *(name for condition in conditions for name in _fields(condition))}
        return asked <= {*self.table.c.keys()}

    def counts(self, by: Sequence[ColumnElement[Any]], conditions: Sequence[Condition], window: Window) -> Select[Any]:
        """Runs and failures by some of its columns, in a window of whole steps."""
        table = self.table
        where = [predicate(condition, table) for condition in conditions]
        numbers = (func.sum(table.c.runs).label("runs"), func.sum(table.c.failures).label("failures"))
        bounds = window.bounds(table.c[self.time])
        return select(*by, *numbers).where(*bounds, table.c.runs > 0, *where).group_by(*by)


HOURS: Final = Rollup(hour_table, "hour", Window.in_hours)
DAYS: Final = Rollup(day_table, "day", Window.in_days)
NODE_DAYS: Final = Rollup(node_day_table, "day", Window.in_days)


def _fields(condition: Condition) -> set[str]:
    """The columns that a condition is about: CATEGORY/SUBCATEGORY is about two."""
    names = [value for value in condition.values if isinstance(value, CategoryName)]
    below = {"subcategory"} if any(name.subcategory is not None for name in names) else set()
    return {condition.column.field, *below}


def answers(by: Sequence[str], conditions: Sequence[Condition]) -> bool:
    """Whether the rollups can answer what is asked."""
    return all(condition.operator in _ANSWERED for condition in conditions) and HOURS.knows(by, conditions)


def chosen(by: Sequence[str], conditions: Sequence[Condition], window: Window) -> Rollup:
    """The rollup with the fewest rows for what is asked."""
    return DAYS if window.length > LONG and DAYS.knows(by, conditions) else HOURS
