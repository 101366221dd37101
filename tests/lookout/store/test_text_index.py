"""The text index has what the rows have, whatever becomes of them, and can be missing."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sqlalchemy import delete, text

from agent.core.failure import Failure, Occurrence
from agent.core.run_event import Amendment, RunPhase
from agent.lookout.query.columns import FAILURES, Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.reader import Reading
from agent.lookout.query.refusal import Refused
from agent.lookout.query.run_scan import RunTests
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.query.text_search import check_searchable
from agent.lookout.store import text_index
from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from agent.lookout.store.tables import run_table
from agent.store.store import Store
from tests.lookout.store.databases import contents
from tests.lookout.store.drawn import deliveries, messages
from tests.lookout.store.test_laws import LAW
from tests.store.databases import rolled_back
from tests.store.events import event as run_event
from tests.store.events import failed


def condition(part: str) -> Condition:
    return Condition(FAILURES.named("keyLine"), Operator.CONTAINS, (part,))


def said(line: str) -> Failure:
    """A failure whose key line this is."""
    return failed(containers=[{"name": "main", "exitCode": 1, "reason": "Error", "message": line}])


def found(connection: Any, part: str) -> int:  # noqa: ANN401 - a connection
    """How many rows the index gives for a part of a key line."""
    reading = Reading(connection, EVERYTHING, 10)
    rows = RunTests(run_table, reading.dialect, failed=True, time="failed_at").of(condition(part)).rows
    assert rows is not None
    return len(reading.rows(rows))


def test_it_follows_the_rows(database: Store) -> None:
    words = {"e1": "first words", "e2": "other words", "e3": "last words"}
    sent = [run_event(name, said(line), run=f"run-{name}") for name, line in words.items()]
    amended = Amendment(amends="e1", failure=said("now unlike"))
    with database.write() as connection:
        record(connection, sent)
    with database.write() as connection:
        record(connection, [*sent, run_event("e4", amended, run="run-e1", after=9)])
        connection.execute(delete(run_table).where(run_table.c.run_id == "run-e2"))

        assert [found(connection, part) for part in ("unlike", "first", "other", "last", "pod-run")] == [1, 0, 0, 1, 0]


def test_a_run_that_turns_out_to_have_succeeded_is_not_in_it(database: Store) -> None:
    gone = replace(said("gone"), occurrence=Occurrence.DELETED_EXTERNALLY)
    with database.write() as connection:
        record(connection, [run_event("e1", gone)])
        assert found(connection, "gone") == 1
        record(connection, [run_event("e2", RunPhase.SUCCEEDED)])
        assert found(connection, "gone") == 0


@LAW
@given(data=st.data(), sent=messages())
def test_it_has_what_the_rows_have_after_each_batch(database: Store, data: st.DataObject, sent: list[Entry]) -> None:
    with rolled_back(database) as connection:
        for batch in data.draw(deliveries(sent)):
            record(connection, batch)

            failures = [row for row in contents(connection)["job_run"] if row["failure_id"] is not None]
            parts = {row["key_line"][:4] for row in failures if len(row["key_line"]) > 3} | {"last"}
            for part in parts:
                assert found(connection, part) == sum(part in row["key_line"] for row in failures)


def test_rows_of_before_it_was_made_are_in_it(database: Store, database_url: str) -> None:
    with database.write() as connection:
        record(connection, [run_event("e1", failed())])
        if database.dialect == "sqlite":
            connection.execute(text(f"DROP TRIGGER {text_index.RUNS}_delete"))
        kind, names = ("TABLE", [text_index.INDEX, text_index.RUNS])
        if database.dialect == "postgresql":
            kind, names = "INDEX", [text_index.POSTGRES_INDEX]
        for name in names:
            connection.execute(text(f"DROP {kind} {name}"))

    with open_store(database_url) as again, again.read() as connection:
        assert found(connection, "last words") == 1


def test_without_it_all_else_works_and_a_search_is_refused(database_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_index, "_SQLITE", ("CREATE VIRTUAL TABLE x USING fts9(y)",))
    monkeypatch.setattr(text_index, "_POSTGRES", ("CREATE EXTENSION no_such_extension",))

    with open_store(database_url) as store, store.read() as connection:
        with pytest.raises(
            Refused, match=r"keyLine.contains: this database has no index of texts; write keyLine.starts"
        ):
            check_searchable(Reading(connection, EVERYTHING, 10), [condition("abc")])
        check_searchable(Reading(connection, EVERYTHING, 10), [])
