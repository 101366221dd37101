"""Rows of jobs and runs, and conditions on them, as hypothesis draws them: of few values, some of which are unusual."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from hypothesis import strategies as st
from sqlalchemy import Connection, Table

from agent.core.failure import Detail, DetailKey
from agent.lookout.query.columns import FAILURES, RUN_STATES, Column, Kind, List, Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.question import Question, Sort
from agent.lookout.store import text_index
from agent.lookout.store.tables import job_table, run_category_table, run_table
from agent.store.columns import Row
from agent.store.insert import insert
from agent.store.records.filters import CategoryName

START: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
TIMES: Final = [START + timedelta(seconds=seconds) for seconds in (0, 0.000001, 1, 3600, 90_000)]
TEXTS: Final = ["a", "A", "ab", "aB", "b", "é", "É", "a%b_", "z\\", "\U0010ffff", "\uffff"]
LINES: Final = ["", "Error: 50% of a_b\\c", "eRRoR: 5x", "É rror", 'say "abc"', "ab"]
PARTS: Final = ["err", "ERR", "50%", "0% ", "a_b", "b\\c", '"abc', "É r", "é r", "zzz", "ror: 5"]
NUMBERS: Final = [0, 1, 137, 255]
DETAILS: Final = [{}, {"rank": "1"}, {"rank": "1", "quota": "a"}]


def _row(table: Table, **given: object) -> Row:
    """A row in which nothing is known but this."""
    row: Row = {}
    for column in table.columns:
        if column.nullable:
            row[column.name] = None
        else:
            row[column.name] = START if column.name in ("first_at", "last_day") else ""
    return {**row, **given}


def _choices(column: Column) -> st.SearchStrategy[Any]:
    """A value that rows have in a column; mostly one of a few."""
    if column.field == "detail":
        return st.sampled_from(DETAILS)
    if column.field == "key_line":
        return st.sampled_from(LINES)
    values: dict[Kind, Sequence[Any]] = {
        Kind.TEXT: ["", *TEXTS],
        Kind.CHOICE: [*column.values[:2], None if column.field == "grade" else ""],
        Kind.NUMBER: [None, *NUMBERS],
        Kind.TIME: TIMES,
        Kind.YES_NO: [None, True, False],
        Kind.MATCH: [[], ["a"], ["A", "ab"]],
    }
    return st.sampled_from(values[column.kind])


_OF_RUN: Final = [column for column in FAILURES.columns if column.field not in ("run_id", "job_id", "failed_at")]
_OF_JOB: Final = ("queue", "job_set", "owner", "namespace", "gang_id", "name", "client_id")


@st.composite
def runs(draw: st.DrawFn) -> list[Row]:
    """Up to 8 runs of up to 3 jobs."""
    return [_run(draw, number) for number in range(draw(st.integers(0, 8)))]


def _run(draw: st.DrawFn, number: int) -> Row:
    state = draw(st.sampled_from(["failed", "failed", "succeeded", *RUN_STATES]))
    of_all = {column.field: draw(_choices(column)) for column in _OF_RUN if not column.is_failure}
    failed = {column.field: draw(_choices(column)) for column in _OF_RUN if column.is_failure}
    if state == "failed":
        failed |= {"failure_id": f"f{number}", "failed_at": draw(st.sampled_from(TIMES))}
    ended = START if state in ("failed", "succeeded") else None
    return _row(
        run_table,
        run_id=f"{draw(st.sampled_from('aAé'))}{number}",
        job_id=draw(st.sampled_from(["j1", "J1", "j2"])),
        state=state,
        hour=ended,
        sanitized=[],
        **of_all,
        **(failed if state == "failed" else {"categories": []}),
    )


@st.composite
def jobs(draw: st.DrawFn) -> list[Row]:
    """The jobs of the runs."""
    return [_job(draw, job_id) for job_id in ("j1", "J1", "j2")]


def _job(draw: st.DrawFn, job_id: str) -> Row:
    texts = {name: draw(st.sampled_from(["", *TEXTS])) for name in _OF_JOB}
    state = draw(st.sampled_from([None, "failed", "queued"]))
    ended = draw(st.sampled_from([None, *TIMES]))
    first = draw(st.sampled_from(TIMES))
    return _row(job_table, job_id=job_id, first_at=first, sequence=1, state=state, ended_at=ended, **texts)


def put(connection: Connection, of_jobs: Sequence[Row], of_runs: Sequence[Row]) -> None:
    insert(connection, job_table, of_jobs)
    rows = [{name: value for name, value in row.items() if name != "categories"} for row in of_runs]
    insert(connection, run_table, rows)
    matched = [{"run_id": row["run_id"], "category": name} for row in of_runs for name in row["categories"]]
    insert(connection, run_category_table, matched)
    text_index.follow(connection, [(None, row) for row in of_runs])


@st.composite
def conditions(draw: st.DrawFn, of: List) -> tuple[Condition, ...]:
    """Up to three, each of a column of its own."""
    columns = draw(st.lists(st.sampled_from(of.columns), max_size=3, unique_by=lambda column: column.name))
    return tuple(_condition(draw, column) for column in columns)


def _condition(draw: st.DrawFn, column: Column) -> Condition:
    operator = draw(st.sampled_from(column.operators))
    match operator:
        case Operator.EXISTS:
            return Condition(column, operator, (draw(st.booleans()),))
        case Operator.CONTAINS:
            return Condition(column, operator, (draw(st.sampled_from(PARTS)),))
        case Operator.STARTS_WITH:
            return Condition(column, operator, (draw(st.sampled_from([*TEXTS, "E"])),))
        case Operator.EQUALS:
            most = 1 if column.kind in (Kind.DETAIL, Kind.YES_NO) else 3
            values = draw(st.lists(_value(column), min_size=1, max_size=most, unique=True))
            return Condition(column, operator, tuple(values))
    return Condition(column, operator, (draw(_value(column)),))


def _value(column: Column) -> st.SearchStrategy[Any]:
    if column.field == "category":
        below = st.sampled_from([None, "ab", "b"])
        return st.builds(CategoryName, st.sampled_from(TEXTS), below)
    if column.kind is Kind.CHOICE:
        return st.sampled_from(column.values)
    values: dict[Kind, Sequence[Any]] = {
        Kind.TEXT: ["j1", *TEXTS] if column.field != "key_line" else LINES[1:],
        Kind.NUMBER: NUMBERS,
        Kind.TIME: TIMES,
        Kind.YES_NO: [True, False],
        Kind.MATCH: TEXTS,
        Kind.DETAIL: [Detail(key=DetailKey.RANK, value="1"), Detail(key=DetailKey.QUOTA, value="a")],
    }
    return st.sampled_from(values[column.kind])


@st.composite
def questions(draw: st.DrawFn, of: List) -> Question:
    """A question for a list."""
    bounds = st.sampled_from([None, *TIMES])
    return Question(
        of=of,
        conditions=draw(conditions(of)),
        since=draw(bounds),
        until=draw(bounds),
        sort=Sort(draw(st.sampled_from(of.sorts)), descending=draw(st.booleans())),
        limit=draw(st.integers(1, 4)),
        count=True,
        digest="",
        asked_at=START,
    )
