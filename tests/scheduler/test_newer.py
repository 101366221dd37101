"""An event that only a later version knows waits for it, and the scheduler says so."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Thread

import pytest

from agent.api.v1 import events_pb2
from agent.broker.consume.consumer import ConsumeLimits, Consumer, Source
from agent.broker.eventlog import EventLog
from agent.broker.port import Message, SubscriptionKind
from agent.broker.topics import dead_letter_topic
from agent.scheduler.consume.handler import SUBSCRIPTION, Decisions, StoredAttempts
from agent.store.store import Store
from agent.wire import events
from tests.scheduler.path import QUICK, TOPIC, decision_inputs, message, publish, verdicts_of, wait_until
from tests.store.databases import new_store
from tests.store.events import event, failed

UNKNOWN_FIELD = b"\x9a\x06\x00"
"""Field 99, with nothing in it."""


def of_a_later_version(job: str) -> Message:
    sent = events_pb2.RunEvent.FromString(events.encode(event("newer", failed(), run="newer", job=job)))
    sent.ClearField("failure")
    return Message(key=job, payload=sent.SerializeToString() + UNKNOWN_FIELD)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog.open(str(tmp_path / "log"), settings=QUICK)) as opened:
        yield opened


def _clock(_: object) -> datetime:
    return datetime.now(UTC)


@contextmanager
def consuming(broker: EventLog, store: Store) -> Iterator[Consumer]:
    decisions = Decisions(store, inputs=decision_inputs(), clock=_clock)
    consumer = Consumer(
        broker,
        Source(topics=lambda: [TOPIC], subscription=SUBSCRIPTION, kind=SubscriptionKind.KEY_SHARED, consumer="c"),
        decisions.handle,
        attempts=StoredAttempts(store, clock=_clock),
        limits=ConsumeLimits(idle=0.01, later_version=0.05),
    )
    stop = Event()
    thread = Thread(target=consumer.run, args=(stop,))
    thread.start()
    try:
        yield consumer
    finally:
        stop.set()
        thread.join()


def test_other_events_are_decided_meanwhile(broker: EventLog, store: Store) -> None:
    others = [message(event(f"e{job}", failed(), run=f"r{job}", job=job)) for job in ("j1", "j2")]
    publish(broker, [of_a_later_version("j1"), *others, Message(key="j3", payload=b"\xff")])
    with consuming(broker, store) as consumer:
        wait_until(lambda: verdicts_of(store).keys() == {"rj1", "rj2"})
        wait_until(lambda: broker.dead_letter_keys(dead_letter_topic(TOPIC, SUBSCRIPTION)) == {"j3"})
        what = "RunEvent with event 99, which only a later version knows"
        assert consumer.check() == f"messages in {TOPIC} wait for a later version of this program: {what}; upgrade it"
        assert not broker.acknowledged(TOPIC, SUBSCRIPTION).everything()


def test_the_later_version_takes_it(broker: EventLog, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(broker, [of_a_later_version("j1")])
    with consuming(broker, store) as consumer:
        wait_until(lambda: consumer.check() is not None)

    known = event("newer", failed(), run="newer", job="j1")
    monkeypatch.setattr(events, "decode_any", lambda _: known)
    with consuming(broker, store):
        wait_until(lambda: broker.acknowledged(TOPIC, SUBSCRIPTION).everything())
    assert verdicts_of(store).keys() == {"newer"}
