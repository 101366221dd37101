"""Runs and failures that are asked for, and which indexes answer which conditions on them."""

from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, FromClause, literal, select

from agent.lookout.query.columns import FAILURES, Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.predicates import predicate
from agent.lookout.query.question import Question
from agent.lookout.query.scan import Scan, Test
from agent.lookout.store.tables import FAILED, FAILED_BY, run_table

_IN_ORDER: Final = frozenset({"queue", "node"})
"""Columns of which an index has all runs, by the time of the first report."""

_OF_ALL: Final = _IN_ORDER | {"job_id", "run_id", "first_at"}
"""Columns of which an index has all runs."""

_OF_FAILED: Final = frozenset({*FAILED_BY, "failed_at"})
_COMPARED: Final = frozenset(Operator) - {Operator.EXISTS, Operator.CONTAINS}
_GONE_ON: Final = frozenset({"running", "pending", "leased", "rejected", "unknown"})


def run_scan(question: Question) -> Scan:
    """The scan of a question for runs or failures."""
    table, failed = run_table, asks_for_failed(question.conditions) or question.of is FAILURES
    time = question.of.named(question.of.time).field
    keys = [*(table.c[question.of.named(name).field] for name in question.keys), table.c.run_id]
    return Scan(
        keys=keys,
        descending=question.sort.descending,
        by_time=question.sort.column == question.of.time,
        always=[table.c.failure_id.is_not(None)] if failed else [],
        window=window(question, table.c[time], [table.c.failure_id.is_not(None)] if time == "failed_at" else []),
        tests=[run_test(condition, table, failed=failed, time=time) for condition in question.conditions],
    )


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


def run_test(condition: Condition, table: FromClause, *, failed: bool, time: str) -> Test:
    """A condition on runs, and the index that answers it. ``failed``: only runs that failed are asked for."""
    holds = predicate(condition, table)
    if _is_state(condition, _GONE_ON):
        holds = holds & table.c.hour.is_(None)
        return Test(holds=holds, found=holds, rows=select(literal(1)).where(holds))
    if not _is_indexed(condition, failed=failed, time=time):
        return Test(holds=holds)
    found = holds & table.c.failure_id.is_not(None) if failed else holds
    in_order = _is_in_order(condition, failed=failed, time=time)
    return Test(holds=holds, found=found, rows=select(literal(1)).where(found), in_order=in_order)


def _is_indexed(condition: Condition, *, failed: bool, time: str) -> bool:
    field = condition.column.field
    if condition.operator not in _COMPARED:
        return False
    # The index of what has few values is read in the order of failures anyway.
    scanned = field in FAILED and time != "failed_at"
    return field in _OF_ALL or (failed and (field in _OF_FAILED or scanned))


def _is_in_order(condition: Condition, *, failed: bool, time: str) -> bool:
    """Whether an index has the rows of one value of the column by the time of the list."""
    if condition.operator is not Operator.EQUALS or len(condition.values) > 1:
        return False
    field = condition.column.field
    return field in (FAILED_BY if time == "failed_at" and failed else _IN_ORDER)
