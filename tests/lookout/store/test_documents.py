"""Large documents come back as they were stored, however many are stored at once and whatever is in them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import select

from agent.core.evidence import LogTail
from agent.lookout.store.tables import log_table
from agent.store.columns import Row
from agent.store.errors import RowRefused
from agent.store.insert import insert, insert_missing
from agent.store.store import Store

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
