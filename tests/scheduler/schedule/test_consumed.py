"""What the store has of the events in front of a list, on an event log."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from agent.broker.dead_letters import original_message
from agent.broker.eventlog import EventLog, LogSettings
from agent.broker.port import Acknowledged, Delivery, Message, SubscriptionKind, Unreachable
from agent.broker.topics import dead_letter_topic, events_topic, replay_topic
from agent.core.lifecycle.inventory import Consumed
from agent.scheduler.consume.handler import SUBSCRIPTION
from agent.scheduler.schedule.consumed import ConsumedEvents, NotKnown
from agent.store import sequences
from agent.store.sequences import ConsumedRange
from agent.store.store import Store
from tests.core.lifecycle.made import T0
from tests.store.databases import new_store

TOPIC = events_topic("east")
REPLAYS = replay_topic(TOPIC, SUBSCRIPTION)
DEAD = dead_letter_topic(TOPIC, SUBSCRIPTION)


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EventLog]:
    with closing(EventLog.open(str(tmp_path / "log"), settings=LogSettings(nack=timedelta(0)))) as opened:
        yield opened


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


@pytest.fixture
def scheduler(file_store: Store, broker: EventLog) -> "Scheduler":
    return Scheduler(file_store, broker)


class Scheduler:
    """Consumes events and replays, and finds out what it has."""

    def __init__(self, store: Store, broker: EventLog) -> None:
        self.broker = broker
        self.store = store
        self.consumed = ConsumedEvents(store, broker)
        self.subscription = broker.subscribe(
            [TOPIC, REPLAYS], name=SUBSCRIPTION, kind=SubscriptionKind.KEY_SHARED, consumer="c"
        )

    def given(self, *keys: str, topic: str = TOPIC) -> list[Delivery]:
        """What it is given of messages with these keys, sent now."""
        self.send(topic, [Message(key=key, payload=b"") for key in keys])
        return list(self.subscription.receive(at_most=len(keys), timeout=60))

    def send(self, topic: str, messages: list[Message]) -> None:
        producer = self.broker.producer(topic, name="a")
        first = max(producer.last_sequence_id(), 0) + 1
        for number, message in enumerate(messages, start=first):
            producer.send(message, sequence_id=number, done=lambda _: None)
        producer.flush(60)
        producer.close()

    def before(self, listed: Delivery) -> Consumed | NotKnown:
        """What it has of the events in front of this one."""
        return self.consumed.before(listed.topic, listed.position)


def test_all_in_front_of_a_list_must_be_acknowledged_and_nothing_behind_it(scheduler: Scheduler) -> None:
    first, second, listed, _ = scheduler.given("j1", "j2", "list", "j1")

    scheduler.subscription.ack([second])
    assert scheduler.before(listed) == Consumed(up_to_date=False, dead=frozenset())
    scheduler.subscription.ack([first])

    assert scheduler.before(listed) == Consumed(up_to_date=True, dead=frozenset())


def test_a_dead_letter_is_dead_until_a_person_has_dropped_it(scheduler: Scheduler) -> None:
    bad, listed = scheduler.given("j1", "list")
    scheduler.subscription.dead_letter(bad, error="bad")

    assert scheduler.before(listed) == Consumed(up_to_date=True, dead={"j1"})
    with closing(scheduler.broker.dead_letters(DEAD)) as dead_letters:
        dead_letters.drop(list(dead_letters.read()))

    assert scheduler.before(listed) == Consumed(up_to_date=True, dead=frozenset())


def test_a_dead_letter_that_is_replayed_is_on_its_way_until_it_is_acknowledged(scheduler: Scheduler) -> None:
    bad, listed = scheduler.given("j1", "list")
    scheduler.subscription.dead_letter(bad, error="bad")
    with closing(scheduler.broker.dead_letters(DEAD)) as dead_letters:
        (dead,) = dead_letters.read()
        scheduler.send(REPLAYS, [original_message(dead.delivery.message)])
        dead_letters.drop([dead])

    assert scheduler.before(listed) == Consumed(up_to_date=False, dead=frozenset())
    (replayed,) = scheduler.subscription.receive(at_most=1, timeout=60)
    scheduler.subscription.ack([replayed])

    assert scheduler.before(listed) == Consumed(up_to_date=True, dead=frozenset())


def test_a_replayed_message_that_dies_again_meanwhile_is_dead(
    scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is among the replays while the dead letters are read, and among the dead letters when the replays are."""
    (listed,) = scheduler.given("list")
    (replayed,) = scheduler.given("j1", topic=REPLAYS)
    dead_letter_keys = EventLog.dead_letter_keys

    def late(broker: EventLog, topic: str) -> frozenset[str]:
        found = dead_letter_keys(broker, topic)
        monkeypatch.undo()
        scheduler.subscription.dead_letter(replayed, error="bad again")
        return found

    monkeypatch.setattr(EventLog, "dead_letter_keys", late)

    assert scheduler.before(listed) == Consumed(up_to_date=True, dead={"j1"})


def test_a_gap_in_front_of_the_list_says_since_when_runs_are_known_well(scheduler: Scheduler) -> None:
    first, listed, later = scheduler.given("j1", "list", "j1")
    scheduler.subscription.ack([first])
    consumed = (((0, 1),), first, 0), (((2, 3),), listed, 1), (((4, 5),), later, 2)
    with scheduler.store.write() as connection:
        sequences.record(
            connection,
            [
                ConsumedRange(
                    topic=TOPIC, spool_id="s", ranges=ranges, position=at.position, at=T0 + timedelta(seconds=seconds)
                )
                for ranges, at, seconds in consumed
            ],
        )

    known = scheduler.before(listed)

    assert isinstance(known, Consumed)
    assert (known.up_to_date, known.lost_before) == (True, T0 + timedelta(seconds=1))


def test_a_list_that_is_replayed_proves_nothing(scheduler: Scheduler) -> None:
    (listed,) = scheduler.given("list", topic=REPLAYS)

    assert scheduler.before(listed) == Consumed(up_to_date=False)


def test_nothing_is_known_if_the_broker_does_not_say(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> None:
    (listed,) = scheduler.given("list")

    def refused(*_: object) -> Acknowledged:
        raise Unreachable("nobody is there")

    monkeypatch.setattr(EventLog, "acknowledged", refused)
    assert scheduler.before(listed) == NotKnown(why="nobody is there")
    monkeypatch.setattr(EventLog, "acknowledged", lambda *_: None)
    known = scheduler.before(listed)
    assert isinstance(known, NotKnown)
    assert "adminUrl" in known.why
