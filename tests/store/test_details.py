"""A stored failure has its fingerprint, and its details in rows of their own; old failures get both by a migration."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import Connection, delete, select
from structlog.testing import capture_logs

from agent.core.failure import Detail, DetailKey, Failure
from agent.core.run_event import Amendment
from agent.scheduler.consume.batch import arrivals
from agent.store import failures
from agent.store.failures import Arrival
from agent.store.store import Store
from agent.store.tables.failures import LONGEST_VALUE, detail_table, info_table
from agent.store.tables.failures import table as failure_table
from agent.wire import failure as wire
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import START, event, failed

FINGERPRINT = "v1:0123456789abcdef"
CPU = Detail(key=DetailKey.RESOURCE, value="cpu")
RANK = Detail(key=DetailKey.RANK, value="7")


def with_details(*details: Detail, fingerprint: str = FINGERPRINT) -> Failure:
    found = failed()
    given = structs.replace(found.classification, detail=details)
    return structs.replace(found, classification=given, fingerprint=fingerprint)


def arrived(event_id: str, found: Failure) -> Arrival:
    return Arrival(event=event(event_id, found, run=event_id), failure=found)


def details(connection: Connection) -> list[tuple[str, str, str]]:
    """Also checks that each has the time of its failure, by which lists are ordered."""
    columns = (detail_table.c.event_id, detail_table.c.key, detail_table.c.value)
    query = select(*columns, detail_table.c.occurred_at, failure_table.c.occurred_at.label("failed_at"))
    rows = connection.execute(query.join_from(detail_table, failure_table).order_by(*columns)).all()
    assert all(row.occurred_at == row.failed_at for row in rows)
    return [(row.event_id, row.key, row.value) for row in rows]


def fingerprints(connection: Connection) -> dict[str, str]:
    rows = connection.execute(select(failure_table.c.event_id, failure_table.c.fingerprint))
    return {row.event_id: row.fingerprint for row in rows}


def test_a_failure_is_stored_with_its_fingerprint_and_details(store: Store) -> None:
    amending = event("b", Amendment(amends="a", failure=with_details(RANK, CPU, fingerprint="v1:fe")), run="a", after=1)
    with store.write() as connection:
        there = [arrived("a", with_details(CPU)), arrived("c", with_details()), *arrivals([amending])]
        failures.store_new(connection, there, stored_at=START)

    with store.read() as connection:
        assert fingerprints(connection) == {"a": FINGERPRINT, "b": "v1:fe", "c": FINGERPRINT}
        assert details(connection) == [("a", "resource", "cpu"), ("b", "rank", "7"), ("b", "resource", "cpu")]


def test_a_failure_that_is_stored_already_keeps_its_details(store: Store) -> None:
    for found in (with_details(CPU), with_details(RANK)):
        with store.write() as connection:
            failures.store_new(connection, [arrived("a", found)], stored_at=START)

    with store.read() as connection:
        assert details(connection) == [("a", "resource", "cpu")]


def test_details_are_deleted_with_their_failure(store: Store) -> None:
    with store.write() as connection:
        failures.store_new(connection, [arrived(name, with_details(CPU)) for name in "ab"], stored_at=START)
        connection.execute(delete(failure_table).where(failure_table.c.event_id == "a"))

    with store.read() as connection:
        assert details(connection) == [("b", "resource", "cpu")]


def test_a_sender_cannot_store_long_values_or_one_key_twice(store: Store) -> None:
    """An index on Postgres takes no long value, and would refuse the failure."""
    long = Detail(key=DetailKey.CLAIM, value="\U0001f600" * 5_000)
    again = Detail(key=DetailKey.CLAIM, value="other")
    with store.write() as connection:
        failures.store_new(connection, [arrived("a", with_details(long, again))], stored_at=START)

    with store.read() as connection:
        assert details(connection) == [("a", "claim", "\U0001f600" * LONGEST_VALUE)]


@given(st.lists(st.builds(Detail, key=st.sampled_from(DetailKey), value=st.text(max_size=300))))
def test_a_failure_has_one_row_for_each_key(found: Sequence[Detail]) -> None:
    rows = failures.detail_rows(arrived("a", with_details(*found)))

    assert [row["key"] for row in rows] == list(dict.fromkeys(one.key.value for one in found))
    assert all(len(row["value"]) <= LONGEST_VALUE for row in rows)


def test_failures_of_the_revision_before_get_fingerprints_and_details(store_url: str) -> None:
    # more than one batch of the migration
    there = [
        arrived(f"event-{number:04}", with_details(CPU) if number % 500 == 0 else failed()) for number in range(1_002)
    ]
    there.append(arrived("event-long", with_details(Detail(key=DetailKey.CLAIM, value="x" * 5_000))))
    infos = [{"event_id": one.event.event_id, "info": wire.encode(one.failure)} for one in there]
    infos.append({"event_id": "unreadable", "info": b"\xff"})
    with earlier(store_url, "0005") as connection:
        failed_then = [failures._row(one, START) for one in (*there, arrived("unreadable", failed()))]
        insert_earlier(connection, failure_table, failed_then)
        insert_earlier(connection, info_table, infos)

    with capture_logs() as logged, Store.open(store_url) as store, store.read() as connection:
        found, given = fingerprints(connection), details(connection)

    named = {"event-0000", "event-0500", "event-1000"}
    assert {name: one for name, one in found.items() if one} == dict.fromkeys((*named, "event-long"), FINGERPRINT)
    assert given == [
        *((name, "resource", "cpu") for name in sorted(named)),
        ("event-long", "claim", "x" * LONGEST_VALUE),
    ]
    assert [line["event_id"] for line in logged if line["log_level"] == "warning"] == ["unreadable"]
