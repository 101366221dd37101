import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from agent.backoff import Backoff
from agent.broker.eventlog import EventLog
from agent.broker.port import Broker, SubscriptionKind
from agent.broker.publish.in_flight import LARGEST_PAYLOAD
from agent.broker.publish.publisher import Publisher, PublishLimits
from tests.broker.breakable import BreakableBroker, MemoryOutbox
from tests.broker.contract import payloads, take

QUICK = PublishLimits(window=4, stalled=0.05, drain=1.0, backoff=Backoff(first=0.0005, most=0.001))


def make(broker: Broker, outbox: MemoryOutbox, limits: PublishLimits = QUICK) -> Publisher:
    ids = (f"spool-{number}" for number in range(100, 1000))
    return Publisher(
        broker,
        outbox,
        topic="run-events-c1",
        source="agent/c1",
        limits=limits,
        jitter=lambda: 0.0,
        new_spool_id=lambda: next(ids),
    )


@contextmanager
def running(publisher: Publisher) -> Iterator[None]:
    stop = Event()
    thread = Thread(target=publisher.run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        publisher.wake.set()
        thread.join(20)
        assert not thread.is_alive()


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < until, "it never came to hold"
        time.sleep(0.001)


def publish_all(broker: Broker, outbox: MemoryOutbox) -> Publisher:
    publisher = make(broker, outbox)
    with running(publisher):
        wait_until(lambda: not outbox.rows)
    return publisher


def test_rows_are_published_in_order_and_acknowledged() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add(*"abcdefghij")

    publisher = publish_all(broker, outbox)

    assert broker.payloads() == list("abcdefghij")
    assert outbox.acknowledged == set("abcdefghij")
    assert publisher.state.published == 10
    assert broker.opened == ["agent/c1/spool-1"]


def test_a_message_names_its_spool_and_number() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add("a")
    publish_all(broker, outbox)

    assert broker.stored[0][2].properties == {"source": "agent/c1", "spool_id": "spool-1", "sequence": "1"}


def test_a_message_names_the_one_before_it_if_the_outbox_knows() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add("a", "b")
    outbox.rows[2] = replace(outbox.rows[2], previous=1)
    publish_all(broker, outbox)

    assert [message.properties.get("previous") for _, _, message in broker.stored] == [None, "1"]


def test_rows_added_later_are_published_when_it_is_woken() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    publisher = make(broker, outbox)
    with running(publisher):
        wait_until(lambda: publisher.check() is None)
        outbox.add("a")
        publisher.wake.set()
        wait_until(lambda: not outbox.rows)

    assert broker.payloads() == ["a"]


@pytest.mark.parametrize("weather", ["lost", "stored", "silent", "refused"])
def test_a_failed_send_is_sent_again_and_nothing_twice(weather: str) -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    broker.weather.sends = ["fine", weather]
    outbox.add(*"abc")

    publisher = publish_all(broker, outbox)

    assert broker.payloads() == list("abc")
    assert len(broker.opened) == 2
    assert publisher.state.recovered == (1 if weather == "stored" else 0)


def test_a_crash_between_the_brokers_store_and_our_mark_sends_nothing_twice() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add(*"abc")
    outbox.break_next = "acknowledge"

    publisher = publish_all(broker, outbox)

    assert broker.payloads() == list("abc")
    assert outbox.acknowledged == set("abc")
    assert publisher.state.recovered >= 1


@pytest.mark.parametrize("method", ["unacknowledged", "record_sent", "acknowledge"])
def test_a_spool_that_fails_is_tried_again(method: str) -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add(*"abc")
    outbox.break_next = method

    with capture_logs() as logged:
        publish_all(broker, outbox)

    assert broker.payloads() == list("abc")
    assert [entry["event"] for entry in logged if entry["log_level"] != "info"] == [
        "publishing failed; messages are kept and sent again"
    ]


def test_a_broker_that_is_away_is_waited_for_and_said() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    broker.weather.refuse_opens = 1_000_000
    outbox.add("a")
    publisher = make(broker, outbox)
    with running(publisher):
        wait_until(lambda: "nobody is there" in (publisher.check() or ""))
        broker.weather.refuse_opens = 0
        wait_until(lambda: not outbox.rows)

    assert broker.payloads() == ["a"]


def test_a_broker_that_forgot_its_numbers_gets_what_is_unacknowledged() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add(*"ab")
    publish_all(broker, outbox)
    broker.weather.forgetful = True
    broker.highest.clear()
    outbox.add("c")

    publish_all(broker, outbox)

    assert broker.payloads() == list("abc")


def test_a_spool_restored_from_a_copy_is_numbered_anew() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add(*"ab")
    backup = outbox.copy()
    outbox.add(*"cde")
    publish_all(broker, outbox)
    backup.add("new")

    publisher = publish_all(broker, backup)

    assert broker.payloads() == [*"abcde", "a", "b", "new"]
    assert broker.opened == ["agent/c1/spool-1", "agent/c1/spool-1", "agent/c1/spool-100"]
    assert publisher.state.renumbered == 1


def test_a_restored_spool_that_grew_past_the_brokers_number_loses_nothing() -> None:
    """Its highest number is above the broker's again, so only what was recorded as sent tells the copy."""
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add("a")
    backup = outbox.copy()
    outbox.add("b")
    publish_all(broker, outbox)
    backup.add(*"vwxyz")

    publish_all(broker, backup)

    assert set(broker.payloads()) >= set("abvwxyz")
    assert backup.acknowledged == set("avwxyz")


def test_numbering_anew_is_tried_again_when_the_disk_is_full() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add("a")
    backup = outbox.copy()
    publish_all(broker, outbox)
    backup.break_next = "renumber"

    assert publish_all(broker, backup).state.renumbered == 1


def test_a_row_whose_number_was_spent_by_a_later_one_gets_a_new_number() -> None:
    """``b`` fails alone and ``c`` is stored: sent again under its number, ``b`` would pass for a duplicate."""
    broker, outbox = BreakableBroker(), MemoryOutbox()
    broker.weather.sends = ["fine", "stray", "fine"]
    outbox.add(*"abc")

    publish_all(broker, outbox)

    assert set(broker.payloads()) == set("abc")
    assert outbox.acknowledged == set("abc")


def test_what_the_broker_never_takes_is_set_aside_and_blocks_nobody() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    broker.weather.largest = 10
    outbox.add("a", "b" * 11, "c")

    publisher = publish_all(broker, outbox)

    assert broker.payloads() == ["a", "c"]
    assert outbox.rejected == {"b" * 11: "too large"}
    assert publisher.state.rejected == 1


def test_what_no_broker_takes_is_not_even_sent() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    outbox.add("a", "b" * (LARGEST_PAYLOAD + 1), "c")

    publish_all(broker, outbox)

    assert broker.payloads() == ["a", "c"]
    assert len(outbox.rejected) == 1


def test_a_fenced_publisher_keeps_its_rows_and_does_not_fence_back() -> None:
    broker, old, new = BreakableBroker(), MemoryOutbox("old"), MemoryOutbox("new")
    zombie = make(broker, old)
    with running(zombie):
        wait_until(lambda: zombie.check() is None)
        new.add("n")
        publish_all(broker, new)
        broker.producer("run-events-c1", name="agent/c1/new", exclusive=True)
        old.add("o")
        zombie.wake.set()
        wait_until(lambda: zombie.state.fenced)

    assert broker.payloads() == ["n"]
    assert [row.payload for row in old.rows.values()] == [b"o"]
    assert broker.opened.count("agent/c1/old") == 1
    assert "took over" in (zombie.check() or "")


def test_a_fenced_publisher_goes_on_when_it_may() -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    broker.weather.sends = ["fenced"]
    outbox.add("a")
    publisher = make(broker, outbox)
    with running(publisher):
        wait_until(lambda: publisher.state.fenced)
        publisher.resume()
        wait_until(lambda: not outbox.rows)

    assert broker.payloads() == ["a"]


def test_one_that_is_not_exclusive_goes_on_when_the_topic_is_free(tmp_path: Path) -> None:
    log, outbox = EventLog.open(str(tmp_path / "log.db")), MemoryOutbox()
    holder = log.producer("run-events-c1", name="agent/c1/other", exclusive=True)
    outbox.add("a")
    publisher = Publisher(log, outbox, topic="run-events-c1", source="agent/c1", exclusive=False, limits=QUICK)
    with running(publisher):
        wait_until(lambda: "exclusively" in (publisher.check() or ""))
        holder.close()
        wait_until(lambda: not outbox.rows)
    log.close()


def test_stopping_acknowledges_what_is_in_flight(tmp_path: Path) -> None:
    log = EventLog.open(str(tmp_path / "log.db"))
    outbox = MemoryOutbox()
    outbox.add(*(str(number) for number in range(2000)))
    publisher = make(log, outbox, PublishLimits(window=100, drain=20))
    with running(publisher):
        wait_until(lambda: len(outbox.acknowledged) > 0)
    subscription = log.subscribe(["run-events-c1"], name="s", kind=SubscriptionKind.FAILOVER, consumer="c")

    got = take(subscription, len(outbox.acknowledged))

    assert list(subscription.receive(at_most=1, timeout=0)) == []
    assert payloads(got) == [str(number) for number in range(len(outbox.acknowledged))]
    log.close()


WEATHER = st.lists(st.sampled_from(["fine", "fine", "lost", "stored", "stray", "refused"]), max_size=25)


@given(sends=WEATHER, refuse=st.integers(0, 3), count=st.integers(0, 15), window=st.integers(1, 6))
def test_whatever_the_weather_every_row_is_stored_and_only_then_acknowledged(
    sends: list[str], refuse: int, count: int, window: int
) -> None:
    broker, outbox = BreakableBroker(), MemoryOutbox()
    broker.weather.sends, broker.weather.refuse_opens = list(sends), refuse
    rows = [f"row-{number}" for number in range(count)]
    outbox.add(*rows)
    publisher = make(broker, outbox, PublishLimits(window=window, backoff=QUICK.backoff))

    with running(publisher):
        wait_until(lambda: not outbox.rows)

    stored = broker.payloads()
    assert set(stored) == set(rows) == outbox.acknowledged
    assert "stray" in sends or stored == rows


def test_every_series_of_a_topic_exists_before_the_first_event() -> None:
    """Prometheus sees no increase from nothing to 1."""
    Publisher(BreakableBroker(), MemoryOutbox(), topic="run-events-new", source="agent/new")

    labels = {"topic": "run-events-new"}
    assert REGISTRY.get_sample_value("failure_agent_publish_connected", labels) == 0
    for name in ("publish_renumbered", "publish_rejected", "publish_recovered"):
        assert REGISTRY.get_sample_value(f"failure_agent_{name}_total", labels) == 0, name
    for outcome in ("stored", "duplicate"):
        assert REGISTRY.get_sample_value("failure_agent_published_total", labels | {"outcome": outcome}) == 0
