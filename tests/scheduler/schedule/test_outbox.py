"""The publisher publishes the store's outbox, and that of an old leader changes nothing."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any, Final

import pytest
from sqlalchemy import select
from structlog.testing import capture_logs

from agent.broker.publish.outbox import OutboxUnavailable
from agent.broker.publish.publisher import Publisher
from agent.scheduler.schedule.outbox import StoreOutbox
from agent.store import leader, outbox
from agent.store.outbox import NewMessage
from agent.store.store import Store
from tests.broker.breakable import BreakableBroker
from tests.broker.publish.test_publisher import QUICK, running, wait_until
from tests.store.events import START

TOPIC: Final = "run-commands-east"
LARGE: Final = "x" * 40


def put(store: Store, *texts: str, topic: str = TOPIC) -> None:
    with store.write() as connection:
        messages = [NewMessage(topic=topic, key="j", payload=text.encode(), properties={"p": text}) for text in texts]
        outbox.put(connection, messages, written_at=START)


def lead(store: Store, *, spool_id: str = "s0") -> StoreOutbox:
    """The outbox of a new term, which ends the one before."""
    with store.write() as connection:
        epoch = leader.take(connection, "scheduler", now=START, lasts=timedelta(0))
    assert epoch is not None
    return StoreOutbox(store, topic=TOPIC, epoch=epoch, new_spool_id=lambda: spool_id)


def contents(store: Store) -> list[Any]:
    tables = (outbox.table, outbox.topic_table)
    with store.read() as connection:
        return [row for table in tables for row in connection.execute(select(table).order_by(*table.primary_key)).all()]


def publisher(broker: BreakableBroker, rows: StoreOutbox) -> Publisher:
    return Publisher(broker, rows, topic=TOPIC, source="scheduler", limits=QUICK, jitter=lambda: 0.0)


def published(store: Store, broker: BreakableBroker, rows: StoreOutbox) -> Publisher:
    """Publish until the topic's outbox is empty, but for messages that are too large."""
    publishing = publisher(broker, rows)
    with running(publishing):
        wait_until(lambda: all(row.error for row in contents(store) if hasattr(row, "error") and row.topic == TOPIC))
    return publishing


def test_messages_are_published_in_order_and_deleted(store: Store) -> None:
    broker, rows = BreakableBroker(), lead(store)
    put(store, *"abcdefghij")
    put(store, "other", topic="run-commands-west")

    published(store, broker, rows)

    assert broker.payloads() == list("abcdefghij")
    first = broker.stored[0][2]
    assert (first.key, first.event_time, first.properties["p"], first.properties["sequence"]) == ("j", START, "a", "1")
    assert broker.opened == ["scheduler/s0"]
    assert [row.topic for row in contents(store)] == ["run-commands-west", TOPIC]


def test_numbers_go_on_under_the_next_leader(store: Store) -> None:
    broker = BreakableBroker()
    for texts in ("ab", "c", "de"):
        rows = lead(store, spool_id=f"s-{texts}")
        put(store, *texts)
        published(store, broker, rows)

    assert [(name, sequence) for name, sequence, _ in broker.stored] == [("scheduler/s-ab", n) for n in range(1, 6)]


@pytest.mark.parametrize("weather", ["lost", "stored", "stray"])
def test_a_send_that_failed_is_sent_again_and_nothing_is_lost(store: Store, weather: str) -> None:
    broker, rows = BreakableBroker(), lead(store)
    broker.weather.sends = ["fine", weather]
    put(store, *"abcd")

    published(store, broker, rows)

    assert sorted(set(broker.payloads())) == list("abcd")


def test_a_message_that_no_broker_accepts_is_kept_aside(store: Store) -> None:
    broker, rows = BreakableBroker(), lead(store)
    broker.weather.largest = len(LARGE) - 1
    put(store, "a", LARGE, "b")

    publishing = published(store, broker, rows)

    assert broker.payloads() == ["a", "b"]
    assert publishing.state.rejected == 1
    assert [(row.payload.decode(), row.sequence, row.error) for row in contents(store)[:1]] == [
        (LARGE, None, "too large")
    ]


OLD: Final[dict[str, Callable[[StoreOutbox], object]]] = {
    "number": lambda rows: rows.unacknowledged(after=0, at_most=9),
    "record_sent": lambda rows: rows.record_sent(9),
    "acknowledge": lambda rows: rows.acknowledge([1]),
    "acknowledge_through": lambda rows: rows.acknowledge_through(2),
    "reject": lambda rows: rows.reject(1, error="no"),
    "renumber": lambda rows: rows.renumber("s9"),
}


@pytest.mark.parametrize("act", OLD)
def test_an_old_leader_changes_nothing(store: Store, act: str) -> None:
    old = lead(store)
    old.spool_id()
    put(store, *"abc")
    old.unacknowledged(after=0, at_most=2)
    before = contents(store)
    new = lead(store)

    with pytest.raises(OutboxUnavailable, match=r"^epoch \d+ is over: scheduler leads"):
        OLD[act](old)
    assert contents(store) == before
    OLD[act](new)
    assert contents(store) != before


def test_an_old_leader_begins_no_numbering(store: Store) -> None:
    old = lead(store)
    lead(store)

    with pytest.raises(OutboxUnavailable):
        old.spool_id()


def test_a_publisher_whose_leader_was_replaced_sends_nothing_and_says_so_in_one_line(store: Store) -> None:
    broker, old = BreakableBroker(), lead(store)
    old.spool_id()
    new = lead(store)
    put(store, *"ab")

    publishing = publisher(broker, old)
    with capture_logs() as logged, running(publishing):
        wait_until(lambda: publishing.state.last_error is not None)
    assert broker.payloads() == []
    assert {entry["log_level"] for entry in logged if "failed" in entry["event"]} == {"warning"}

    published(store, broker, new)
    assert broker.payloads() == ["a", "b"]


def test_an_old_leader_does_not_open_a_producer(store: Store) -> None:
    """It would take the topic from the leader's."""
    old = lead(store)
    old.spool_id()
    lead(store)

    with pytest.raises(OutboxUnavailable):
        old.spool_id()
