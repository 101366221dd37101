"""Counts of rows by several columns, by state and by origin, from the rows or from the rollups."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from sqlalchemy import Select, func, select

from agent.lookout.query.columns import FAILURES, JOBS, Place
from agent.lookout.query.groups import GroupQuestion
from agent.lookout.query.job_scan import job_conditions
from agent.lookout.query.reader import Reading
from agent.lookout.query.refusal import Fault, Refused
from agent.lookout.query.run_scan import run_conditions
from agent.lookout.query.shapes import Facet, Facets, FacetValue, Group
from agent.lookout.query.window import Base
from agent.lookout.store.tables import job_table, run_table

MOST_COUNTED: Final = 200_000
"""Different values, of all columns together, that are counted."""


@dataclass(slots=True)
class _Tally:
    """Rows that are counted, and the same by the values of the next column."""

    count: int = 0
    failed: int = 0
    states: Counter[str] = field(default_factory=Counter)
    origins: Counter[str] = field(default_factory=Counter)
    below: "dict[Any, _Tally]" = field(default_factory=dict)

    def add(self, row: Mapping[str, Any]) -> None:
        self.count += row["count"]
        self.failed += row["failed"]
        if row["state"]:
            self.states[row["state"]] += row["count"]
        if row["failed"]:
            self.origins[row["origin"]] += row["failed"]

    def ranked(self) -> "Sequence[tuple[Any, _Tally]]":
        """The groups below, the most frequent first."""
        return sorted(self.below.items(), key=lambda group: (-group[1].count, str(group[0])))

    def shown(self, value: object, limit: int) -> dict[str, Any]:
        groups = [below.shown(name, limit) for name, below in self.ranked()[:limit]]
        row = {
            "value": value,
            "count": self.count,
            "failed": self.failed,
            "states": self.states,
            "origins": self.origins,
            "groups": groups,
            "left_out": len(self.below) - len(groups),
        }
        return Group.of(row)


def groups(reading: Reading, question: GroupQuestion) -> dict[str, Any]:
    """The groups that are asked for."""
    window = question.counted_window
    counted = {"since": window.since, "until": window.until, "base": question.base.value}
    whole = _tally(reading, question)
    return {**whole.shown(None, question.limit), **counted, "by": question.by}


def facets(reading: Reading, question: GroupQuestion) -> dict[str, Any]:
    """The values of each column that is asked for, where the conditions on the others hold."""
    return Facets.of({"facets": {name: _facet(reading, _about(question, name)) for name in question.by}})


def _about(question: GroupQuestion, name: str) -> GroupQuestion:
    others = tuple(condition for condition in question.conditions if condition.column.name != name)
    return replace(question, by=(name,), conditions=others)


def _facet(reading: Reading, question: GroupQuestion) -> dict[str, Any]:
    window, whole = question.counted_window, _tally(reading, question)
    shown = whole.ranked()[: question.limit]
    row = {
        "since": window.since,
        "until": window.until,
        "base": question.base.value,
        "values": [FacetValue.of({"value": value, "count": tally.count}) for value, tally in shown],
        "left_out": len(whole.below) - len(shown),
    }
    return Facet.of(row)


def _tally(reading: Reading, question: GroupQuestion) -> _Tally:
    whole = _Tally()
    for row in _rows(reading, question):
        tally = whole
        tally.add(row)
        for place in range(len(question.by)):
            tally = tally.below.setdefault(row[f"by{place}"], _Tally())
            tally.add(row)
    return whole


def _rows(reading: Reading, question: GroupQuestion) -> Iterable[Mapping[str, Any]]:
    if question.base is Base.ROLLUPS:
        return _of_rollups(reading, question)
    if question.of is JOBS:
        reading.join_by_hashing()
    query = _job_rows(question) if question.of is JOBS else _run_rows(question)
    rows = reading.rows(query.limit(MOST_COUNTED + 1))
    if len(rows) > MOST_COUNTED:
        message = f"these columns have more than {MOST_COUNTED:,} different values together"
        raise Refused([Fault("by", message, "write fewer columns, a shorter time, or conditions")])
    return rows


def _run_rows(question: GroupQuestion) -> Select[Any]:
    run, time = run_table, run_table.c[question.of.named(question.of.time).field]
    by = [run.c[name].label(f"by{place}") for place, name in enumerate(question.fields)]
    others = [run.c.state, run.c.origin]
    counts = [func.count().label("count"), func.count(run.c.failure_id).label("failed")]
    where = run_conditions(question.conditions, failed=question.of is FAILURES)
    return select(*by, *others, *counts).where(*question.window.bounds(time), *where).group_by(*by, *others)


def _job_rows(question: GroupQuestion) -> Select[Any]:
    """Jobs with their latest failure: one of a job that began in the window is in it, too, or later."""
    run, job = run_table, job_table
    order = (run.c.first_at.desc(), run.c.run_id.desc())
    latest = func.row_number().over(partition_by=run.c.job_id, order_by=order).label("place")
    columns = [question.of.named(name) for name in question.by]
    fields = dict.fromkeys(["origin", *(column.field for column in columns if column.place is Place.RUN)])
    failed = (
        select(run.c.job_id, *(run.c[field] for field in fields), latest)
        .where(run.c.failed_at.is_not(None), run.c.failed_at >= question.window.since)
        .cte("failed")
        .prefix_with("MATERIALIZED")
    )
    tables = {Place.JOB: job, Place.RUN: failed}
    by = [tables[column.place].c[column.field].label(f"by{place}") for place, column in enumerate(columns)]
    others = [func.coalesce(job.c.state, "").label("state"), failed.c.origin]
    counts = [func.count().label("count"), func.count(failed.c.job_id).label("failed")]
    joined = job.outerjoin(failed, (failed.c.job_id == job.c.job_id) & (failed.c.place == 1))
    where = [*question.window.bounds(job.c.first_at), *job_conditions(question.conditions)]
    return select(*by, *others, *counts).select_from(joined).where(*where).group_by(*by, *others)


def _of_rollups(reading: Reading, question: GroupQuestion) -> Iterator[Mapping[str, Any]]:
    rollup = question.rollup
    by = [rollup.table.c[name].label(f"by{place}") for place, name in enumerate(question.fields)]
    query = rollup.counts([*by, rollup.table.c.origin], question.conditions, question.counted_window)
    for row in reading.rows(query):
        failed, succeeded = int(row["failures"]), int(row["runs"]) - int(row["failures"])
        if failed:
            yield {**row, "state": "failed", "count": failed, "failed": failed}
        if succeeded and question.of is not FAILURES:
            yield {**row, "state": "succeeded", "count": succeeded, "failed": 0}
