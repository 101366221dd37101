"""Large documents come back as they were stored, however many are stored at once and whatever is in them."""

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any, get_args, get_type_hints

import msgspec
import pytest
from hypothesis import given
from msgspec import Struct
from msgspec.structs import fields, replace
from sqlalchemy import Text, cast, select
from sqlalchemy.dialects import sqlite

from agent.core.evidence import Container, ContainerKind, ContainerState, LogTail, Pod, StateKind
from agent.core.failure import CategoryAction, Failure, Origin
from agent.lookout.store import failures
from agent.lookout.store.documents import FailureDocument, with_references
from agent.lookout.store.recording import record
from agent.lookout.store.tables import failure_table, log_table
from agent.store.columns import Row
from agent.store.errors import RowRefused
from agent.store.insert import insert, insert_missing
from agent.store.store import Store
from tests.core import strategies
from tests.store.events import event, failed

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
HARD = [
    "two\nlines\r\n",
    'a tab\t, a quote ", a backslash \\ and \\n',
    "spelled out: \\u0000",
    "next line \x85, separators \u2028 and \u2029, beyond the BMP \U0001f600",
    "",
    "x" * 65_536,
]


def row(number: int, text: str, at: datetime = AT) -> Row:
    return {"event_id": f"e{number}", "occurred_at": at, "tails": (LogTail(container="main", text=text),)}


def stored(database: Store) -> dict[str, Row]:
    with database.read() as connection:
        rows = connection.execute(select(log_table)).mappings()
        return {found["event_id"]: dict(found) for found in rows}


def test_each_row_gets_its_own_document(database: Store) -> None:
    rows = [row(number, text) for number, text in enumerate(HARD)]
    with database.write() as connection:
        insert(connection, log_table, rows)

    assert stored(database) == {given["event_id"]: given for given in rows}


def test_a_row_that_exists_keeps_its_document_and_new_ones_next_to_it_get_theirs(database: Store) -> None:
    with database.write() as connection:
        insert(connection, log_table, [row(1, "first")])
        insert_missing(connection, log_table, [row(0, "zero"), row(1, "second"), row(2, "two")])

    texts = {name: found["tails"][0].text for name, found in stored(database).items()}
    assert texts == {"e0": "zero", "e1": "first", "e2": "two"}


@pytest.mark.parametrize(
    "at",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(2026, 3, 29, 3, 0, 0, 7, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    ],
    ids=str,
)
def test_a_time_is_the_same_instant_in_utc(database: Store, at: datetime) -> None:
    with database.write() as connection:
        insert(connection, log_table, [row(1, "log", at)])

    found = stored(database)["e1"]["occurred_at"]
    assert (found, found.tzinfo) == (at, UTC)


def test_a_time_without_a_zone_is_refused(database: Store) -> None:
    with pytest.raises(RowRefused, match="time zone"), database.write() as connection:
        insert(connection, log_table, [row(1, "log"), row(2, "log", AT.replace(tzinfo=None))])

    assert stored(database) == {}


def ended(message: str) -> ContainerState:
    return ContainerState(kind=StateKind.TERMINATED, reason="Error", message=message, exit_code=1)


def two_ends() -> Failure:
    """One container ended last, the other before it waited."""
    now = Container(
        name="now", kind=ContainerKind.APP, state=ended("the message of now"), ended=ended("the message of now")
    )
    waiting = ContainerState(kind=StateKind.WAITING, reason="CrashLoopBackOff")
    before = ended("the message of before")
    then = Container(name="then", kind=ContainerKind.APP, state=waiting, last_state=before, ended=before)
    return replace(failed(), pod=Pod(phase="Failed", containers=(now, then)))


def test_the_state_in_which_a_container_ended_is_stored_once(database: Store) -> None:
    with database.write() as connection:
        record(connection, [event("e1", two_ends())])
        assert failures.read(connection, "run-1") == {"e1": two_ends()}
        text = connection.scalars(select(cast(failure_table.c.info, Text))).one()
    assert (text.count("the message of now"), text.count("the message of before")) == (1, 1)


@given(failure=strategies.failures())
def test_references_are_resolved(failure: Failure) -> None:
    assert read(msgspec.json.decode(msgspec.json.encode(with_references(failure)))) == failure


def test_documents_of_earlier_versions_have_the_state_itself_and_every_field() -> None:
    document = msgspec.json.decode(msgspec.json.encode(two_ends()))
    for container in document["pod"]["containers"]:
        container["state"].update(signal=None, started_at=None)
    document.update(signal=None, events=[], missing=[], limit=None)

    assert read(document) == two_ends()


def read(document: dict[str, Any]) -> Failure:
    found = FailureDocument().process_result_value(json.dumps(document), sqlite.dialect())
    assert isinstance(found, Failure)
    return found


def test_what_a_document_leaves_out_is_empty_or_never_changes() -> None:
    """Documents lack what is the default, so another default would change all that are stored."""
    defaults = {
        f"{owner.__name__}.{field.name}": field.default
        for owner in stored_types()
        for field in fields(owner)
        if not field.required
    }

    assert len(defaults) > 80
    assert {name: default for name, default in defaults.items() if default not in ("", None, False, 0, ())} == {
        "Classification.action": CategoryAction.RETAIN,
        "Classification.origin": Origin.UNKNOWN,
        "Event.count": 1,
    }


def stored_types() -> set[type[Struct]]:
    """All structs that a failure may hold."""
    found: set[type[Struct]] = set()
    unseen: list[Any] = [Failure]
    while unseen:
        hint = unseen.pop()
        unseen += get_args(hint)
        if isinstance(hint, type) and issubclass(hint, Struct) and hint not in found:
            found.add(hint)
            unseen += get_type_hints(hint).values()
    return found
