"""Which numbers of which spools a batch consumes, and that no message that was handled or died is missing."""

from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from agent.broker.consume.consumer import ConsumeLimits, Consumer, Source
from agent.broker.eventlog import EventLog, LogSettings
from agent.broker.port import Delivery, Message, SubscriptionKind
from agent.broker.topics import replay_topic
from agent.scheduler.consume.handler import SUBSCRIPTION, Decisions, StoredAttempts
from agent.scheduler.consume.numbers import numbers_of
from agent.store import sequences
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.scheduler.path import TOPIC, decision_inputs, message, wait_until
from tests.store.databases import new_store
from tests.store.events import event, failed

GOOD = {"spool_id": "s", "previous": "4", "sequence": "5"}


def delivered(properties: Mapping[str, str], *, position: str = "p", topic: str = TOPIC) -> Delivery:
    return Delivery(
        topic=topic,
        message=Message(key="k", payload=b"", properties=properties),
        producer="agent",
        published_at=T0,
        redeliveries=0,
        position=position,
        token=None,
    )


def numbered(previous: int, sequence: int, *, spool: str = "s", **how: Any) -> Delivery:
    return delivered({"spool_id": spool, "previous": str(previous), "sequence": str(sequence)}, **how)


def found(*deliveries: Delivery) -> list[tuple[str, str, tuple[tuple[int, int], ...], str]]:
    ranges = numbers_of(deliveries, subscription=SUBSCRIPTION, at=T0)
    return [(each.topic, each.spool_id, each.ranges, each.position) for each in ranges]


def test_the_numbers_of_each_spool_are_joined() -> None:
    several = (
        numbered(0, 1, position="a"),
        numbered(5, 7, position="c"),
        numbered(1, 3, position="b"),
        numbered(0, 1, spool="t", position="d"),
    )

    assert found(*several) == [(TOPIC, "s", ((0, 3), (5, 7)), "c"), (TOPIC, "t", ((0, 1),), "d")]


def test_a_message_that_was_sent_again_has_its_number_in_the_topic_that_it_came_from() -> None:
    assert found(numbered(4, 5, topic=replay_topic(TOPIC, SUBSCRIPTION))) == [(TOPIC, "s", ((4, 5),), "")]


@pytest.mark.parametrize(
    "wrong",
    [
        {"spool_id": ""},
        {"spool_id": "\\0"},
        {"spool_id": "s" * 101},
        {"previous": "5"},
        {"previous": "-1"},
        {"sequence": "1e3"},
        {"sequence": "9" * 19},
    ],
)
def test_what_is_no_number_is_left_out(wrong: dict[str, str]) -> None:
    assert found(delivered(GOOD)) != []
    assert found(delivered(GOOD | wrong)) == []


@pytest.mark.parametrize("name", GOOD)
def test_a_message_of_an_earlier_agent_is_left_out(name: str) -> None:
    assert found(delivered({key: text for key, text in GOOD.items() if key != name})) == []


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


def test_what_was_handled_or_died_is_not_missing(file_store: Store, tmp_path: Path) -> None:
    messages = [
        message(event("e1", failed(), run="r1", job="j1")),
        Message(key="j2", payload=b"\xff"),
        message(event("e3", failed(), run="r3", job="j3")),
        None,
        message(event("e5", failed(), run="r5", job="j5")),
    ]
    with closing(EventLog.open(str(tmp_path / "log"), settings=LogSettings(nack=timedelta(0)))) as broker:
        broker.ensure_subscription(TOPIC, SUBSCRIPTION)
        producer = broker.producer(TOPIC, name="a")
        for number, sent in enumerate(messages, start=1):
            if sent is not None:
                properties = {"spool_id": "s", "previous": str(number - 1), "sequence": str(number)}
                numbered_message = Message(key=sent.key, payload=sent.payload, properties=properties)
                producer.send(numbered_message, sequence_id=number, done=lambda _: None)
        producer.flush(60)
        consume_all(broker, file_store)
    with file_store.read() as connection:
        spool = sequences.spools(connection, TOPIC)["s"]

    assert (spool.ranges, spool.committed, spool.gaps[0].position) == (((0, 3), (4, 5)), 3, "4")


def consume_all(broker: EventLog, store: Store) -> None:
    def clock(_: object) -> datetime:
        return datetime.now(UTC)

    decisions = Decisions(store, inputs=decision_inputs(), clock=clock)
    source = Source(topics=lambda: [TOPIC], subscription=SUBSCRIPTION, kind=SubscriptionKind.KEY_SHARED, consumer="c")
    attempts = StoredAttempts(store, clock=clock)
    consumer = Consumer(broker, source, decisions.handle, attempts=attempts, limits=ConsumeLimits(idle=0.01))
    stop = Event()
    thread = Thread(target=consumer.run, args=(stop,))
    thread.start()
    try:
        wait_until(lambda: broker.acknowledged(TOPIC, SUBSCRIPTION).everything())
    finally:
        stop.set()
        thread.join()
