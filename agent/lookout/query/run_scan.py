"""Runs and failures that are asked for, and which indexes answer which conditions on them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, Select, and_, literal, select

from agent.lookout.query.columns import FAILURES, Kind, Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.predicates import predicate
from agent.lookout.query.question import Question
from agent.lookout.query.scan import Scan, Test
from agent.lookout.query.text_search import entries, searched
from agent.lookout.store.tables import ALL_BY, FAILED, FAILED_BY, run_category_table, run_table

_OF_ALL: Final = frozenset({*ALL_BY, "job_id", "run_id", "pod_name", "first_at"})
"""Columns of which an index has all runs."""

_OF_FAILED: Final = frozenset({*FAILED_BY, "failed_at"})
_COMPARED: Final = frozenset(Operator) - {Operator.EXISTS, Operator.CONTAINS}
_GONE_ON: Final = frozenset({"running", "pending", "leased", "rejected", "unknown"})


def run_scan(question: Question, dialect: str) -> Scan:
    """The scan of a question for runs or failures."""
    table, failed = run_table, asks_for_failed(question.conditions) or question.of is FAILURES
    time = question.of.named(question.of.time).field
    tests = RunTests(table, dialect, failed=failed, time=time)
    keys = [*(table.c[question.of.named(name).field] for name in question.keys), table.c.run_id]
    return Scan(
        keys=keys,
        descending=question.sort.descending,
        by_time=question.sort.column == question.of.time,
        always=[table.c.failed_at.is_not(None)] if failed else [],
        window=window(question, table.c[time], [table.c.failed_at.is_not(None)] if time == "failed_at" else []),
        tests=tests.of_all(question.conditions),
    )


def run_conditions(conditions: Sequence[Condition], *, failed: bool) -> list[ColumnElement[bool]]:
    """The conditions on runs, for counting all of them."""
    only = [run_table.c.failed_at.is_not(None)] if failed or asks_for_failed(conditions) else []
    return [*only, *(predicate(condition, run_table) for condition in conditions)]


def asks_for_failed(conditions: Sequence[Condition]) -> bool:
    """Whether only runs that failed can fit."""
    return any(_asks_for_failed(condition) for condition in conditions)


def _asks_for_failed(condition: Condition) -> bool:
    if condition.operator is Operator.EXISTS and not condition.value:
        return False
    return condition.column.is_failure or _is_state(condition, {"failed"})


def _is_state(condition: Condition, states: set[str] | frozenset[str]) -> bool:
    return condition.column.field == "state" and condition.operator is Operator.EQUALS and {*condition.values} <= states


def window(question: Question, time: ColumnElement[Any], always: Sequence[ColumnElement[bool]]) -> list[Test]:
    """The bounds of time, as one test."""
    bounds = []
    if question.since is not None:
        bounds.append(time >= question.since)
    if question.until is not None:
        bounds.append(time < question.until)
    if not bounds:
        return []
    both = bounds[0] if len(bounds) == 1 else bounds[0] & bounds[1]
    return [Test(holds=both, found=both, rows=select(literal(1)).where(both, *always), in_order=True)]


def _matches(condition: Condition) -> Select[Any]:
    """The runs that matched a category."""
    return select(run_category_table.c.run_id).where(run_category_table.c.category.in_(condition.values))


@dataclass(frozen=True, slots=True)
class RunTests:
    """Makes tests of conditions on rows of runs. ``failed``: only runs that failed are asked for, by ``time``."""

    table: FromClause
    dialect: str
    failed: bool = field(kw_only=True)
    time: str = field(kw_only=True)

    def of_all(self, conditions: Sequence[Condition]) -> list[Test]:
        return [self.of(condition) for condition in conditions]

    def of(self, condition: Condition) -> Test:
        """A condition, and the index that answers it."""
        holds, found = predicate(condition, self.table), self._found(condition)
        if found is None:
            return Test(holds=holds)
        rows = self._entries(condition, found)
        return Test(holds=holds, found=and_(found, holds), rows=rows, in_order=self._is_in_order(condition))

    def _entries(self, condition: Condition, found: ColumnElement[bool]) -> Select[Any]:
        if condition.operator is Operator.CONTAINS:
            return entries(condition, self.table, self.dialect)
        if condition.column.kind is Kind.MATCH:
            return _matches(condition)
        return select(literal(1)).where(found)

    def _found(self, condition: Condition) -> ColumnElement[bool] | None:
        """What an index answers, of which a few rows may not fit."""
        if condition.operator is Operator.CONTAINS:
            return searched(condition, self.table, self.dialect)
        if condition.column.kind is Kind.MATCH:
            return self.table.c.run_id.in_(_matches(condition))
        if _is_state(condition, _GONE_ON):
            return and_(predicate(condition, self.table), self.table.c.hour.is_(None))
        if not self._is_indexed(condition):
            return None
        failed = [self.table.c.failed_at.is_not(None)] if self.failed else []
        return and_(predicate(condition, self.table), *failed)

    def _is_indexed(self, condition: Condition) -> bool:
        name = condition.column.field
        if condition.operator not in _COMPARED:
            return False
        # The index of what has few values is read in the order of failures anyway.
        scanned = name in FAILED and self.time != "failed_at"
        return name in _OF_ALL or (self.failed and (name in _OF_FAILED or scanned))

    def _is_in_order(self, condition: Condition) -> bool:
        """Whether an index has the rows of one value of the column by the time of the list."""
        if self.time == "failed_at" and self.failed:
            return has_failures_in_order(condition)
        return _is_of_one_value(condition) and condition.column.field in ALL_BY


def has_failures_in_order(condition: Condition) -> bool:
    """Whether an index has the runs that failed of one value of the column by the time of their failures."""
    return _is_of_one_value(condition) and condition.column.field in FAILED_BY


def _is_of_one_value(condition: Condition) -> bool:
    return condition.operator is Operator.EQUALS and len(condition.values) == 1
