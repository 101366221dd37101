"""Lists as a loop over all rows finds them."""

import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agent.lookout.query.columns import FAILURES, JOBS, Kind, Operator, Place
from agent.lookout.query.conditions import Condition
from agent.lookout.query.question import Question
from agent.store.columns import Row
from agent.store.records.filters import OBSERVED, CategoryName

_LOWER: Final = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)

_COMPARED: Final[Mapping[Operator, Callable[[Any, Any], bool]]] = {
    Operator.GTE: lambda found, value: found >= value,
    Operator.GT: lambda found, value: found > value,
    Operator.LTE: lambda found, value: found <= value,
    Operator.LT: lambda found, value: found < value,
    Operator.STARTS_WITH: lambda found, value: found.startswith(value),
    Operator.CONTAINS: lambda found, value: value.translate(_LOWER) in found.translate(_LOWER),
}


def holds(condition: Condition, row: Row) -> bool:
    """Whether a row is as the condition says."""
    found = row[condition.column.field]
    match condition.operator:
        case Operator.EXISTS:
            return (found not in (None, "")) is condition.value
        case Operator.EQUALS if condition.column.kind is Kind.DETAIL:
            return all((found or {}).get(detail.key.value) == detail.value for detail in condition.values)
        case Operator.EQUALS if condition.column.kind is Kind.MATCH:
            return not {*condition.values}.isdisjoint(found)
        case Operator.EQUALS:
            return any(_is(value, row, found) for value in condition.values)
    return found is not None and _COMPARED[condition.operator](found, condition.value)


def _is(value: object, row: Row, found: object) -> bool:
    if isinstance(value, CategoryName):
        return row["category"] == value.category and value.subcategory in (None, row["subcategory"])
    return found == value


def listed(question: Question, of_jobs: Sequence[Row], of_runs: Sequence[Row]) -> list[str]:
    """The ids of all rows of the list, in order."""
    if question.of is JOBS:
        rows = [row for row in of_jobs if _fits(row, question, of_runs)]
    else:
        rows = [row for row in of_runs if row["failure_id"] is not None or question.of is not FAILURES]
        rows = [row for row in rows if all(holds(condition, row) for condition in question.conditions)]
    key = "job_id" if question.of is JOBS else "run_id"
    time = question.of.named(question.of.time).field
    sort = question.of.named(question.sort.column).field
    rows = [row for row in rows if _within(row[time], question)]
    rows.sort(key=lambda row: (row[sort], row[time], row[key]), reverse=question.sort.descending)
    return [row[key] for row in rows]


def _within(time: Any, question: Question) -> bool:  # noqa: ANN401 - a time
    after = question.since is None or time >= question.since
    return after and (question.until is None or time < question.until)


def _fits(job: Row, question: Question, of_runs: Sequence[Row]) -> bool:
    """All conditions on runs are about one of them, and so is an observed state."""
    runs = sorted((row for row in of_runs if row["job_id"] == job["job_id"]), key=_place)
    of_runs_only: list[Condition] = []
    of_job: list[Condition] = []
    for condition in question.conditions:
        observed = condition.column.name == "state" and bool({*condition.values} & OBSERVED)
        (of_runs_only if condition.column.place is Place.RUN or observed else of_job).append(condition)
    if not all(holds(condition, job) for condition in of_job):
        return False
    return not of_runs_only or any(all(_run_fits(c, run, runs, job) for c in of_runs_only) for run in runs)


def _place(row: Row) -> tuple[Any, str]:
    return row["first_at"], row["run_id"]


def _run_fits(condition: Condition, run: Row, runs: Sequence[Row], job: Row) -> bool:
    if condition.column.place is Place.RUN:
        return holds(condition, run)
    return any(_is_in(state, run, runs, job) for state in condition.values)


def _is_in(state: str, run: Row, runs: Sequence[Row], job: Row) -> bool:
    if state not in OBSERVED:
        return bool(job["state"] == state)
    if run["failure_id"] is None:
        return False
    latest, follows = runs[-1], run["verdict"] == "retry" and job["state"] is not None
    match state:
        case "any-failure":
            return True
        case "recovered":
            return bool(latest["state"] == "succeeded")
        case "waiting":
            return run is latest and follows
    return run is latest and not follows
