"""Every list by every column and in every order is read by an index: nothing reads or sorts a whole table."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from sqlalchemy import Connection, Select, text

from agent.lookout.query.columns import LISTS, Column, Kind, List, Operator
from agent.lookout.query.lists import _LISTS
from agent.lookout.query.question import Question, read_question
from agent.lookout.query.scan import Scan
from agent.lookout.store.opening import open_store
from agent.store.store import Store
from tests.store.events import START

ORDERED: Final = re.compile(
    r"(SEARCH|SCAN) .* USING (COVERING )?INDEX|USE TEMP B-TREE FOR (RIGHT PART|LAST TERM) OF ORDER BY"
    r"|CORRELATED SCALAR SUBQUERY"
)
"""What SQLite may do for rows in order. A part of the order is sorted only among what is equal before."""

FEW: Final = re.compile(
    rf"{ORDERED.pattern}|MATERIALIZE few|SCAN few|USE TEMP B-TREE FOR ORDER BY|LIST SUBQUERY"
    r"|SCAN .* VIRTUAL TABLE|SEARCH .* USING .*PRIMARY KEY"
)
"""What SQLite may do for a few rows, which are sorted."""

VALUES: Final = {
    Kind.NUMBER: "1",
    Kind.TIME: "1h",
    Kind.YES_NO: "true",
    Kind.DETAIL: "rank=1",
    Kind.TEXT: "abc",
    Kind.MATCH: "a",
}
FINGERPRINT: Final = "v1:0123456789abcdef"
DRIVEN: Final = {
    "runs": {"queue", "jobSet", "owner", "jobId", "node", "podName", "runId", "firstAt", "category", "exitCode"},
    "failures": {"queue", "namespace", "category", "node", "container", "reason", "fingerprint", "policy", "rule"},
    "jobs": {"queue", "jobSet", "owner", "jobId", "name", "clientId", "firstAt", "category", "reason", "node"},
}
"""Some of the columns of each list of which an index has the rows of a value."""


def questions(of: List) -> Iterator[Question]:
    for sort in of.sorts:
        yield read_question(of, [("sort", sort)], now=START)
        yield read_question(of, [("sort", f"-{sort}"), ("since", "1h")], now=START)
    for column in of.columns:
        for operator in column.operators:
            asked = (column.parameter(operator), value_of(column, operator))
            yield read_question(of, [asked], now=START)


def value_of(column: Column, operator: Operator) -> str:
    if operator is Operator.EXISTS:
        return "true"
    if column.field == "fingerprint":
        return FINGERPRINT
    return column.values[0] if column.kind is Kind.CHOICE else VALUES[column.kind]


def scans(dialect: str) -> Iterator[tuple[str, Scan]]:
    for name, of in LISTS.items():
        for question in questions(of):
            yield f"{name} {question.conditions} {question.sort}", _LISTS[name][0](question, dialect)


def plan(connection: Connection, query: Select[Any]) -> list[str]:
    """What the database says that it does, line by line."""
    written = query.compile(connection, compile_kwargs={"render_postcompile": True})
    if connection.dialect.name == "sqlite":
        values = tuple(str(written.params[name]) for name in written.positiontup or ())
        return [row[3] for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}", values)]
    given = connection.exec_driver_sql(f"EXPLAIN (COSTS OFF) {written}", written.params)
    return [row[0].strip() for row in given]


@pytest.mark.slow
def test_sqlite_reads_by_an_index(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/x.db") as store, store.read() as connection:
        for said, scan in scans("sqlite"):
            lines = plan(connection, scan.query(None, None).limit(51))
            assert all(ORDERED.match(line) for line in lines), (said, lines)
            for test in [*scan.tests, *scan.window]:
                if test.rows is not None:
                    for query in (test.rows.limit(1), scan.query(test, None).limit(51)):
                        lines = plan(connection, query)
                        assert all(FEW.match(line) for line in lines), (said, lines)


@pytest.mark.slow
def test_postgres_can_read_by_an_index(postgres_store: str) -> None:
    """Its tables are empty here, so it is told to leave the plans that would be cheaper for that."""
    with open_store(postgres_store) as store, store.read() as connection:
        for other in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"):
            connection.execute(text(f"SET LOCAL enable_{other} = off"))
        for said, scan in scans("postgresql"):
            lines = plan(connection, scan.query(None, None).limit(51))
            assert not any(re.match(r"(-> +)?(Sort$|Seq Scan)", line) for line in lines), (said, lines)


@pytest.mark.parametrize("operator", [Operator.EQUALS, Operator.STARTS_WITH])
@pytest.mark.parametrize("sort", LISTS["jobs"].sorts)
def test_jobs_of_other_namespaces_are_passed_by_in_any_order(database: Store, sort: str, operator: Operator) -> None:
    """By the index that has the order: SQLite reads a row when it needs a column that the index does not have."""
    jobs = LISTS["jobs"]
    asked = (jobs.named("namespace").parameter(operator), "team-a")
    scan = _LISTS["jobs"][0](read_question(jobs, [asked, ("sort", sort)], now=START), database.dialect)
    with database.read() as connection:
        if database.dialect == "postgresql":
            connection.execute(text("SET LOCAL enable_seqscan = off"))
            connection.execute(text("SET LOCAL enable_bitmapscan = off"))
        lines = plan(connection, scan.query(None, None).limit(51))

    column = "" if sort == "firstAt" else f"{jobs.named(sort).field}_"
    assert any(f"ix_job_{column}first_at_namespace" in line for line in lines), lines
    if database.dialect == "postgresql":
        assert any(line.startswith("Index Cond") and "namespace" in line for line in lines), lines


@pytest.mark.parametrize("name", DRIVEN)
def test_what_an_index_has_can_lead(database: Store, name: str) -> None:
    of = LISTS[name]
    for column in [of.named(driven) for driven in sorted(DRIVEN[name])]:
        operator = Operator.GTE if column.kind is Kind.TIME else Operator.EQUALS
        asked = (column.parameter(operator), value_of(column, operator))
        scan = _LISTS[name][0](read_question(of, [asked], now=START), database.dialect)
        assert any(test.rows is not None for test in scan.tests), column.name
