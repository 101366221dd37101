"""Every list by every filter is answered by an index, in order: nothing reads or sorts a whole table."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import fields
from sqlalchemy import Connection, Select, text

from agent.store.records.cursor import Key
from agent.store.records.filters import (
    OBSERVED,
    AnyFilter,
    CategoryName,
    FailureFilter,
    JobCondition,
    JobFilter,
    Part,
    RunFilter,
    VerdictFilter,
)
from agent.store.records.job_list import search_jobs, search_unobserved
from agent.store.records.paging import Search
from agent.store.records.stored import search_failures, search_runs, search_verdicts
from agent.store.store import Store
from tests.store.events import START
from tests.store.records.test_lists import DETAILS, VALUES

SEARCHES: dict[type[Any], Any] = {
    JobFilter: search_jobs,
    RunFilter: search_runs,
    FailureFilter: search_failures,
    VerdictFilter: search_verdicts,
}
PARTS = (Part(), Part(since=START), Part(since=START, until=START))
INDEXED: dict[type[Any], set[str]] = {
    JobFilter: {"queue", "job_set", "category", "state"},
    RunFilter: {"queue", "job_set", "node"},
    FailureFilter: {"queue", "job_set", "category", "node", "fingerprint", "detail"},
    VerdictFilter: {"queue", "job_set", "category", "node", "fingerprint", "detail"},
}
FINE = "(SEARCH|SCAN) .* USING (COVERING )?INDEX|USE TEMP|CORRELATED SCALAR SUBQUERY"
COLUMNS = {"detail": "value"}


TOGETHER = (
    ({"detail": DETAILS, "queue": "q1", "category": CategoryName("oom"), "exit_code": 1}, "value"),
    ({"detail": DETAILS, "node": "node-1"}, "node"),
    ({"detail": DETAILS, "fingerprint": "v1:0123456789abcdef", "job_set": "set1"}, "fingerprint"),
)
"""Several filters of failures and verdicts, and the column of the one that an index answers."""


def searches() -> Iterator[tuple[str, str | None, Search]]:
    """Each with its name, and the column by whose index it is answered."""
    for asked, by_index in questions():
        for part in PARTS:
            found = SEARCHES[type(asked)](asked, part)
            for one in (found, replace(found, after=Key(START, "x"))):
                yield f"{asked} {part} {one.after}", by_index, one
    for wanted in (JobFilter(), JobFilter(queue="q1"), JobFilter(state=JobCondition.QUEUED)):
        unobserved = search_unobserved(wanted, Part(since=START))
        assert unobserved is not None
        for one in (unobserved, replace(unobserved, after=Key(START, "x"))):
            yield f"unobserved {wanted} {one.after}", None, one


def questions() -> Iterator[tuple[AnyFilter, str | None]]:
    for wanted in SEARCHES:
        yield wanted(), None
        for name in (one.name for one in fields(wanted)):
            for value in VALUES[name]:
                of_submitted = name == "state" and value not in OBSERVED
                by_index = name in INDEXED[wanted] and value not in ("any-failure", ()) and not of_submitted
                yield wanted(**{name: value}), COLUMNS.get(name, name) if by_index else None
    for given, column in TOGETHER:
        yield FailureFilter(**given), column
        yield VerdictFilter(**given), column


def plan(connection: Connection, query: Select[Any]) -> list[str]:
    """What the database says that it does, line by line."""
    written = query.compile(connection)
    names = written.positiontup if written.positional else None
    given = tuple(written.params[name] for name in names) if names is not None else written.params
    if connection.dialect.name == "sqlite":
        values = tuple(str(one) for one in given)
        rows = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {written}", values)
        return [row[3] for row in rows]
    return [row[0].strip() for row in connection.exec_driver_sql(f"EXPLAIN {written}", given)]


@pytest.mark.slow
def test_sqlite_reads_by_an_index_and_in_its_order(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store, store.read() as connection:
        for name, by_index, search in searches():
            for query in (search.edge(), search.query(START)):
                lines = plan(connection, query)
                assert "USE TEMP B-TREE FOR ORDER BY" not in lines, (name, lines)
                assert all(re.match(FINE, one) for one in lines), (name, lines)
                assert by_index is None or f"{by_index}=?" in lines[0] or by_index == "state", (name, lines)
                assert by_index != "state" or "(state=?" in lines[0], (name, lines)


@pytest.mark.slow
def test_postgres_can_read_by_an_index_and_in_its_order(postgres_store: str) -> None:
    """Its tables are empty here, so it is told to leave the plans that would be cheaper for that."""
    with Store.open(postgres_store) as store, store.read() as connection:
        for other in ("seqscan", "bitmapscan", "hashjoin", "mergejoin", "sort"):
            connection.execute(text(f"SET LOCAL enable_{other} = off"))
        for name, by_index, search in searches():
            for query in (search.edge(), search.query(START)):
                lines = plan(connection, query)
                assert not any(re.match(r"(-> +)?(Sort  \(|Seq Scan)", one) for one in lines), (name, lines)
                assert by_index is None or any("Index Cond" in one and by_index in one for one in lines), (name, lines)
