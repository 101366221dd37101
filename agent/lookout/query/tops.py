"""Tops: what fails most, and where it fails most often."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from agent.lookout.query.columns import FAILURES, List
from agent.lookout.query.conditions import Condition
from agent.lookout.query.parameters import Items, Parameters, whole_number
from agent.lookout.query.reader import Reading
from agent.lookout.query.rollup_rows import NODE_DAYS, Rollup, chosen
from agent.lookout.query.series import COUNTED
from agent.lookout.query.shapes import Top, Tops
from agent.lookout.query.window import DAY, MOST_BY_ROWS, Base, Window, read_window

MOST: Final = 200
USUAL: Final = 10
LEAST_RUNS: Final = 20
"""Runs of a node or queue in the window, without which it is not compared."""

_DEVIATIONS: Final = 1.959963984540054
"""Of a normal distribution, between which and its opposite 95 % lie."""

NODES: Final = List(
    name="nodes",
    columns=tuple(column for column in FAILURES.columns if column.field in ("cluster", "node")),
    time="day",
    sorts=(),
    groups=(),
)
"""What the rollup of nodes has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TopQuestion:
    """How many are listed, of which rows, from when to when. ``least_runs``: of what has fewer, nothing is said."""

    conditions: tuple[Condition, ...]
    window: Window
    limit: int
    least_runs: int


def _read(of: List, items: Items, *, now: datetime, compared: int) -> TopQuestion:
    parameters = Parameters(items, now=now)
    question = TopQuestion(
        window=read_window(parameters, usual=7 * DAY if of is not FAILURES else DAY),
        limit=parameters.take("limit", whole_number(1, MOST), USUAL),
        least_runs=parameters.take("leastRuns", whole_number(1, 1_000_000), compared) if compared else 0,
        conditions=parameters.conditions(of),
    )
    if of is FAILURES and question.window.length > MOST_BY_ROWS:
        days = MOST_BY_ROWS.days
        parameters.refuse("since", f"{days} days are searched at most", f"write since={days}d, or until as well")
    parameters.done()
    return question


def lower_bound(failures: int, runs: int) -> float:
    """The rate of failures that there is at least, with a confidence of 97.5 % (Wilson's score interval).

    Without it a node whose only run failed would be the worst.
    """
    if runs == 0:
        return 0.0
    rate, square = failures / runs, _DEVIATIONS**2
    middle = rate + square / (2 * runs)
    spread = _DEVIATIONS * math.sqrt((rate * (1 - rate) + square / (4 * runs)) / runs)
    return max(0.0, (middle - spread) / (1 + square / runs))


def read_node_question(items: Items, *, now: datetime) -> TopQuestion:
    """Which nodes, from when to when. Raises Refused."""
    return _read(NODES, items, now=now, compared=LEAST_RUNS)


def read_queue_question(items: Items, *, now: datetime) -> TopQuestion:
    """Which queues, from when to when. Raises Refused."""
    return _read(COUNTED, items, now=now, compared=LEAST_RUNS)


def read_category_question(items: Items, *, now: datetime) -> TopQuestion:
    """Which categories, from when to when. Raises Refused."""
    return _read(COUNTED, items, now=now, compared=0)


def read_retrying_question(items: Items, *, now: datetime) -> TopQuestion:
    """Jobs whose runs failed how, from when to when. Raises Refused."""
    return _read(FAILURES, items, now=now, compared=0)


def worst_nodes(reading: Reading, question: TopQuestion) -> dict[str, Any]:
    """Nodes by how often runs on them fail at least; by whole days."""
    return _compared(*_counted(reading, question, NODE_DAYS, "cluster", "node"))


def worst_queues(reading: Reading, question: TopQuestion) -> dict[str, Any]:
    """Queues by how often their runs fail at least; by whole hours, or days."""
    rollup = chosen(["queue"], question.conditions, question.window)
    return _compared(*_counted(reading, question, rollup, "queue"))


def top_categories(reading: Reading, question: TopQuestion) -> dict[str, Any]:
    """Categories by how many runs failed for them; by whole hours, or days."""
    rollup = chosen(["category", "origin"], question.conditions, question.window)
    rows, _, window = _counted(reading, question, rollup, "origin", "category")
    whole = _failures(rows)
    tops = [_category(value, origins, whole) for value, origins in _by_category(rows).items()]
    return _tops(sorted(tops, key=lambda top: (-top["failures"], top["value"])), question, window, too_few=0)


def _by_category(rows: Sequence[Mapping[str, Any]]) -> Mapping[str, Counter[str]]:
    """How many failed for which origin, of each category."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows:
        if row["failures"]:
            found[row["value"]][row["origin"]] += int(row["failures"])
    return found


def _category(value: str, origins: Counter[str], whole: int) -> dict[str, Any]:
    """Only runs that failed have a category, so its rate would say nothing."""
    failures = origins.total()
    top = _top({"value": value, "runs": failures, "failures": failures}, whole)
    return {**top, "rate": None, "atLeast": None, "origins": origins}


def _counted(
    reading: Reading, question: TopQuestion, rollup: Rollup, *by: str
) -> tuple[Sequence[Mapping[str, Any]], TopQuestion, Window]:
    """The counts of a rollup by these columns, the last of which is the value; and the window that they are of."""
    window = rollup.whole(question.window)
    *others, value = (rollup.table.c[name] for name in by)
    return reading.rows(rollup.counts([*others, value.label("value")], question.conditions, window)), question, window


def _compared(rows: Sequence[Mapping[str, Any]], question: TopQuestion, window: Window) -> dict[str, Any]:
    whole = _failures(rows)
    tops = [_top(row, whole) for row in rows if row["runs"] >= question.least_runs]
    ranked = sorted(tops, key=lambda top: (-top["atLeast"], -top["failures"], top["value"]))
    return _tops(ranked, question, window, too_few=len(rows) - len(tops))


def _failures(rows: Sequence[Mapping[str, Any]]) -> int:
    return sum(int(row["failures"]) for row in rows)


def _top(row: Mapping[str, Any], whole: int) -> dict[str, Any]:
    runs, failures = int(row["runs"]), int(row["failures"])
    numbers = {
        "value": row["value"],
        "cluster": row.get("cluster"),
        "runs": runs,
        "failures": failures,
        "rate": failures / runs,
        "at_least": lower_bound(failures, runs),
        "share": failures / whole if whole else 0.0,
        "origins": None,
    }
    return Top.of(numbers)


def _tops(tops: Sequence[dict[str, Any]], question: TopQuestion, window: Window, *, too_few: int) -> dict[str, Any]:
    row = {
        "since": window.since,
        "until": window.until,
        "base": Base.ROLLUPS.value,
        "least_runs": question.least_runs,
        "items": tops[: question.limit],
        "left_out": max(0, len(tops) - question.limit),
        "too_few": too_few,
    }
    return Tops.of(row)
