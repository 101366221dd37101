from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from prometheus_client import REGISTRY

from agent.backoff import Backoff
from agent.broker.consume.batch import fingerprint
from agent.broker.consume.consumer import ConsumeLimits, Consumer, Handle, PoisonError, Source, TransientError
from agent.broker.dead_letters import DEAD_LETTER_ERROR
from agent.broker.eventlog import EventLog, LogSettings
from agent.broker.port import Delivery, Message, SubscriptionKind, Unreachable
from agent.broker.topics import dead_letter_topic, replay_topic
from tests.broker.contract import PATIENCE_SECONDS, payloads, take
from tests.broker.publish.test_publisher import wait_until

TOPIC = "run-events-c1"
QUICK = ConsumeLimits(linger=0.02, attempts=3, discover=0.05, backoff=Backoff(first=0.001, most=0.002))


class Handler:
    """Keeps what it handled; a test says what it does with a payload it should not like."""

    def __init__(self, bad: dict[str, Exception] | None = None) -> None:
        self.effects: list[str] = []
        self.batches: list[list[str]] = []
        self.away = False
        self._bad = bad or {}

    def __call__(self, batch: Sequence[Delivery]) -> None:
        bodies = payloads(batch)
        self.batches.append(bodies)
        if self.away:
            raise TransientError("the store is away")
        for body in bodies:
            if body in self._bad:
                raise self._bad[body]
        self.effects += bodies


class CountedAttempts:
    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.dead: list[str] = []
        self.away = 0

    def failed(self, fingerprint: str, *, error: str) -> int:
        assert error
        if self.away > 0:
            self.away -= 1
            raise OSError("the store is away")
        self.counts[fingerprint] = self.counts.get(fingerprint, 0) + 1
        return self.counts[fingerprint]

    def dies(self, delivery: Delivery, *, subscription: str) -> None:
        assert subscription
        if self.away > 0:
            self.away -= 1
            raise OSError("the store is away")
        self.dead.append(delivery.message.payload.decode())

    def forget(self, fingerprint: str) -> None:
        del self.counts[fingerprint]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[EventLog]:
    opened = EventLog.open(str(tmp_path / "log.db"), settings=LogSettings(nack=timedelta(milliseconds=20)))
    opened.ensure_subscription(TOPIC, "scheduler")
    yield opened
    opened.close()


def make(
    log: EventLog, handle: Handle, attempts: CountedAttempts | None = None, *, later_version: float = 60
) -> Consumer:
    source = Source(
        topics=lambda: log.topics("run-events-"),
        subscription="scheduler",
        kind=SubscriptionKind.KEY_SHARED,
        consumer="scheduler-0",
    )
    limits = replace(QUICK, later_version=later_version)
    return Consumer(log, source, handle, attempts=attempts or CountedAttempts(), limits=limits, jitter=lambda: 0.0)


@contextmanager
def running(consumer: Consumer) -> Iterator[None]:
    stop = Event()
    thread = Thread(target=consumer.run, args=(stop,))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(20)
        assert not thread.is_alive()


def send(log: EventLog, *bodies: str, topic: str = TOPIC, keys: Sequence[str] | None = None) -> None:
    producer = log.producer(topic, name=f"a-{bodies[0]}")
    for number, body in enumerate(bodies, start=1):
        key = keys[number - 1] if keys is not None else body
        producer.send(Message(key=key, payload=body.encode()), sequence_id=number, done=lambda _: None)
    producer.flush(PATIENCE_SECONDS)


def unacknowledged(log: EventLog) -> list[str]:
    """What the subscription still has; the consumer must have stopped."""
    subscription = log.subscribe([TOPIC], name="scheduler", kind=SubscriptionKind.KEY_SHARED, consumer="look")
    try:
        return payloads(subscription.receive(at_most=1000, timeout=0.1))
    finally:
        subscription.close()


def dead_letters(log: EventLog, count: int) -> dict[str, str]:
    subscription = log.subscribe(
        [dead_letter_topic(TOPIC, "scheduler")], name="people", kind=SubscriptionKind.FAILOVER, consumer="look"
    )
    return {
        one.message.payload.decode(): one.message.properties[DEAD_LETTER_ERROR] for one in take(subscription, count)
    }


def test_what_is_received_is_handled_then_acknowledged(log: EventLog) -> None:
    send(log, *"abcdef")
    handler = Handler()
    with running(make(log, handler)):
        wait_until(lambda: len(handler.effects) == 6)

    assert handler.effects == list("abcdef")
    assert handler.batches == [list("abcdef")]
    assert unacknowledged(log) == []


@pytest.mark.slow
def test_one_poison_message_goes_to_the_dead_letters_and_holds_up_no_other(log: EventLog) -> None:
    send(log, *"abcdefghij")
    handler = Handler({"d": PoisonError("not a protobuf")})
    with running(make(log, handler)):
        wait_until(lambda: len(handler.effects) == 9)
        assert dead_letters(log, 1) == {"d": "not a protobuf"}

    assert handler.effects == list("abcefghij")
    assert unacknowledged(log) == []


def test_every_message_may_be_poison(log: EventLog) -> None:
    send(log, *"abc")
    handler = Handler({body: PoisonError("bad") for body in "abc"})
    with running(make(log, handler)):
        assert set(dead_letters(log, 3)) == set("abc")

    assert handler.effects == []


@pytest.mark.slow
def test_an_unknown_error_is_tried_again_then_dead_lettered(log: EventLog) -> None:
    send(log, *"abc")
    handler, attempts = Handler({"b": KeyError("no such column")}), CountedAttempts()
    with running(make(log, handler, attempts)):
        (error,) = dead_letters(log, 1).values()

    assert error == "KeyError: 'no such column' (after 3 attempts)"
    assert handler.batches.count(["b"]) == 3
    assert attempts.counts == {}


def test_a_message_that_comes_back_holds_back_its_own_key_only(log: EventLog) -> None:
    failures = iter([RuntimeError("first try")])

    class OnceBad(Handler):
        def __call__(self, batch: Sequence[Delivery]) -> None:
            if len(batch) > 1 and not self.effects:
                raise RuntimeError("handling fails")
            if payloads(batch) == ["x1"] and (error := next(failures, None)) is not None:
                raise error
            super().__call__(batch)

    send(log, "x1", "y1", "x2", "y2", "x3", keys=["x", "y", "x", "y", "x"])
    handler = OnceBad()
    with running(make(log, handler)):
        wait_until(lambda: len(handler.effects) == 5)

    assert [body for body in handler.effects if body[0] == "x"] == ["x1", "x2", "x3"]
    assert [body for body in handler.effects if body[0] == "y"] == ["y1", "y2"]
    assert handler.effects.index("y2") < handler.effects.index("x1")


@pytest.mark.slow
def test_nothing_is_counted_while_what_the_handler_needs_is_away(log: EventLog) -> None:
    send(log, *"abc")
    handler, attempts = Handler(), CountedAttempts()
    handler.away = True
    consumer = make(log, handler, attempts)
    with running(consumer):
        wait_until(lambda: len(handler.batches) > 30)
        assert "the store is away" in (consumer.check() or "")
        handler.away = False
        wait_until(lambda: len(handler.effects) == 3)
        wait_until(lambda: consumer.check() is None)

    assert handler.effects == list("abc")
    assert attempts.counts == {}
    assert unacknowledged(log) == []


@pytest.mark.slow
def test_an_attempt_that_cannot_be_counted_is_no_attempt(log: EventLog) -> None:
    send(log, "a")
    attempts = CountedAttempts()
    attempts.away = 5
    handler = Handler({"a": ValueError("bad")})
    with running(make(log, handler, attempts)):
        assert dead_letters(log, 1) == {"a": "ValueError: bad (after 3 attempts)"}

    assert handler.batches.count(["a"]) == 8


@pytest.mark.slow
def test_what_dies_is_recorded_first_and_waits_for_the_store(log: EventLog) -> None:
    send(log, "a")
    attempts = CountedAttempts()
    attempts.away = 5
    with running(make(log, Handler({"a": PoisonError("bad")}), attempts)):
        wait_until(lambda: attempts.away < 3)
        assert not log.topics(dead_letter_topic(TOPIC, "scheduler"))
        assert dead_letters(log, 1) == {"a": "bad"}

    assert attempts.dead == ["a"]


def test_a_crash_before_the_acknowledgement_brings_everything_back(log: EventLog) -> None:
    """The handler's effect is stored and the process dies: the message comes again, and the effect must absorb it."""
    send(log, *"abc")
    stop = Event()
    effects: list[str] = []

    def handle_and_die(batch: Sequence[Delivery]) -> None:
        effects.extend(payloads(batch))
        stop.set()
        raise SystemExit

    with pytest.raises(SystemExit):
        make(log, handle_and_die).run(stop)

    assert effects == list("abc")
    assert unacknowledged(log) == list("abc")


def test_told_to_stop_it_ends_the_batch_in_hand(log: EventLog) -> None:
    send(log, *"abc")
    stop, effects = Event(), []

    def handle(batch: Sequence[Delivery]) -> None:
        stop.set()
        effects.extend(payloads(batch))

    make(log, handle).run(stop)

    assert effects == list("abc")
    assert unacknowledged(log) == []


def test_told_to_stop_while_it_waits_it_leaves_the_batch(log: EventLog) -> None:
    send(log, *"abc")
    handler = Handler()
    handler.away = True
    with running(make(log, handler)):
        wait_until(lambda: len(handler.batches) > 2)

    assert unacknowledged(log) == list("abc")


def test_new_topics_are_found_and_dead_letters_are_not_consumed(log: EventLog) -> None:
    send(log, "a")
    handler = Handler({"a": PoisonError("bad")})
    with running(make(log, handler)):
        wait_until(lambda: bool(log.topics(dead_letter_topic(TOPIC, "scheduler"))))
        send(log, "z", topic="run-events-c2")
        wait_until(lambda: handler.effects == ["z"])

    assert dead_letters(log, 1) == {"a": "bad"}
    assert not log.topics(dead_letter_topic(dead_letter_topic(TOPIC, "scheduler"), "scheduler"))


def test_without_topics_it_is_well_and_waits(tmp_path: Path) -> None:
    log = EventLog.open(str(tmp_path / "empty.db"))
    handler = Handler()
    consumer = make(log, handler)
    with running(consumer):
        wait_until(lambda: consumer.check() is None)
        send(log, "a")
        wait_until(lambda: handler.effects == ["a"])
    log.close()


def test_what_was_replayed_to_this_subscription_is_consumed_and_to_another_not(log: EventLog) -> None:
    for subscription in ("scheduler", "lookout"):
        place = replay_topic(TOPIC, subscription)
        log.ensure_subscription(place, subscription)
        send(log, f"for {subscription}", topic=place)
    handler = Handler()
    with running(make(log, handler)):
        wait_until(lambda: handler.effects == ["for scheduler"])
        send(log, "last")
        wait_until(lambda: handler.effects == ["for scheduler", "last"])


def test_a_broker_that_is_away_is_waited_for_and_said(log: EventLog) -> None:
    send(log, "a")
    away = [Unreachable("nobody is there")] * 50
    handler = Handler()
    consumer = make(log, handler)
    topics = consumer._source.topics

    def topics_or_trouble() -> Sequence[str]:
        if away:
            raise away.pop()
        return topics()

    consumer._source = Source(
        topics=topics_or_trouble,
        subscription="scheduler",
        kind=SubscriptionKind.KEY_SHARED,
        consumer="scheduler-0",
    )
    assert consumer.check() is not None
    with running(consumer):
        wait_until(lambda: "nobody is there" in (consumer.check() or "") or not away)
        wait_until(lambda: handler.effects == ["a"])


def test_the_same_message_has_the_same_fingerprint_each_time(log: EventLog) -> None:
    send(log, "a", "b")
    subscription = log.subscribe([TOPIC], name="scheduler", kind=SubscriptionKind.KEY_SHARED, consumer="c")
    first = take(subscription, 2, ack=False)
    subscription.nack(first)
    again = take(subscription, 2)

    assert [fingerprint(one) for one in first] == [fingerprint(one) for one in again]
    assert fingerprint(first[0]) != fingerprint(first[1])


@pytest.mark.slow
def test_dead_letters_are_counted_by_reason_from_0_on(log: EventLog) -> None:
    """Prometheus sees no increase from nothing to 1."""
    source = Source(topics=lambda: [TOPIC], subscription="new", kind=SubscriptionKind.KEY_SHARED, consumer="c")
    handler = Handler({"a": PoisonError("bad"), "b": ValueError("always")})
    consumer = Consumer(log, source, handler, attempts=CountedAttempts(), limits=QUICK, jitter=lambda: 0.0)
    assert dead_letters_by_reason("new") == {"unreadable": 0, "attempts": 0}

    send(log, *"ab")
    with running(consumer):
        wait_until(lambda: dead_letters_by_reason("new") == {"unreadable": 1, "attempts": 1})


def dead_letters_by_reason(subscription: str) -> dict[str, float | None]:
    return {
        reason: REGISTRY.get_sample_value(
            "failure_agent_dead_letters_total", {"subscription": subscription, "reason": reason}
        )
        for reason in ("unreadable", "attempts")
    }
