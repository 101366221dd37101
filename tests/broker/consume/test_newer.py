"""Messages that only a later version can handle wait, and hold up nothing else."""

from collections.abc import Sequence
from pathlib import Path

from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from agent.broker.consume.newer import KeptMessages, NewerMessages, NewerVersionNeeded
from agent.broker.eventlog import EventLog
from agent.broker.port import Delivery, SubscriptionKind
from agent.broker.topics import dead_letter_topic
from tests.broker.consume.test_consumer import (
    TOPIC,
    CountedAttempts,
    Handler,
    log,
    make,
    running,
    send,
    unacknowledged,
)
from tests.broker.contract import payloads
from tests.broker.publish.test_publisher import wait_until

__all__ = ["log"]


class EarlierVersion:
    """Does not know what begins with "new"; remembers what it handled, and how often it met what it does not know."""

    def __init__(self) -> None:
        self.effects: list[str] = []
        self.met = 0

    def __call__(self, batch: Sequence[Delivery]) -> None:
        newer = [delivery for delivery in batch if delivery.message.payload.startswith(b"new")]
        if newer:
            self.met += 1
            raise NewerVersionNeeded(newer, "event 99")
        self.effects += payloads(batch)


def waiting() -> float | None:
    return REGISTRY.get_sample_value("failure_agent_waiting_for_later_version", {"subscription": "scheduler"})


def test_it_waits_and_later_ones_of_its_key_in_the_batch_with_it(log: EventLog) -> None:
    send(log, "a1", "new", "b1", "a2", "c1", keys=["a", "a", "b", "a", "c"])
    earlier, attempts = EarlierVersion(), CountedAttempts()
    consumer = make(log, earlier, attempts)
    with capture_logs() as logged, running(consumer):
        wait_until(lambda: len(earlier.effects) == 4)
        assert consumer.check() == f"messages in {TOPIC} wait for a later version of this program: event 99; upgrade it"
        assert waiting() == 1

    assert earlier.effects[:3] == ["a1", "b1", "c1"]
    assert (attempts.counts, attempts.dead) == ({}, [])
    assert not log.topics(dead_letter_topic(TOPIC, "scheduler"))
    assert [line["error"] for line in logged if line["event"] == "a message waits for a later version"] == ["event 99"]

    later = Handler()
    with running(make(log, later)):
        wait_until(lambda: later.effects == ["new"])
    assert unacknowledged(log) == []


def test_it_comes_again_after_a_while_and_not_before(log: EventLog) -> None:
    send(log, "new")
    earlier = EarlierVersion()
    with running(make(log, earlier, later_version=0.3)):
        wait_until(lambda: earlier.met == 2)
    quick = EarlierVersion()
    with running(make(log, quick, later_version=60)):
        wait_until(lambda: quick.met == 1)
        send(log, "a")
        wait_until(lambda: quick.effects == ["a"])
        assert quick.met == 1


def test_many_take_no_more_memory_than_a_batch(tmp_path: Path) -> None:
    with_room = KeptMessages(pause=0, at_most=2)
    broker = EventLog.open(str(tmp_path / "log.db"))
    broker.ensure_subscription(TOPIC, "scheduler")
    send(broker, "1", "2", "3")
    first, second, third = deliveries(broker)

    assert list(with_room.keep([first, second, third])) == [third]
    assert list(with_room.due()) == [first, second]
    assert list(with_room.due()) == []
    broker.close()


def deliveries(broker: EventLog) -> Sequence[Delivery]:
    subscription = broker.subscribe([TOPIC], name="scheduler", kind=SubscriptionKind.FAILOVER, consumer="look")
    return subscription.receive(at_most=9, timeout=60)


def test_it_is_said_until_none_has_come_for_a_while() -> None:
    now = 0.0
    newer = NewerMessages("said", monotonic=lambda: now)
    assert newer.problem() is None

    newer.met("run-events-east", "event 99")
    now = 89.0
    assert newer.problem() is not None
    now = 90.0
    assert newer.problem() is None
