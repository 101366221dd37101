"""What every broker must do. A test module subclasses ``BrokerContract`` and gives the fixture ``adapter``."""

import itertools
import string
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Protocol

import pytest

from agent.broker.dead_letters import DEAD_LETTER_ERROR, DEAD_LETTER_TOPIC, as_dead_letter, original_message
from agent.broker.port import (
    Acknowledged,
    Broker,
    BrokerError,
    DeadLetter,
    Delivery,
    Fenced,
    Message,
    MessageTooLarge,
    Producer,
    Retained,
    SendOutcome,
    Subscription,
    SubscriptionKind,
    TopicTaken,
)
from agent.broker.topics import dead_letter_topic, replay_topic

PATIENCE_SECONDS = 60.0
KEY_SHARED = SubscriptionKind.KEY_SHARED
FAILOVER = SubscriptionKind.FAILOVER


class Adapter(Protocol):
    """One broker under test. ``quiet_seconds``: how long nothing must come until a test believes nothing will."""

    quiet_seconds: float

    def open(self) -> Broker:
        """Another client of the same broker, as another process would have; closed by the adapter."""

    def topic(self, name: str) -> str:
        """A name of a topic nobody else uses, ending in ``name``."""


Result = SendOutcome | BrokerError


class Sender:
    """Sends and remembers how each send ended, in the order they ended."""

    def __init__(self, producer: Producer) -> None:
        self.producer = producer
        self.ended: list[tuple[int, Result]] = []

    def send(self, *sequences: int, key: str = "k", payload: bytes | None = None) -> None:
        for sequence in sequences:
            body = payload if payload is not None else str(sequence).encode()
            self.producer.send(Message(key=key, payload=body), sequence_id=sequence, done=self._done(sequence))

    def send_all(self, *sequences: int, key: str = "k", payload: bytes | None = None) -> list[Result]:
        before = len(self.ended)
        self.send(*sequences, key=key, payload=payload)
        self.producer.flush(PATIENCE_SECONDS)
        return [result for _, result in self.ended[before:]]

    def _done(self, sequence: int) -> Callable[[Result], None]:
        return lambda result: self.ended.append((sequence, result))


def take(subscription: Subscription, count: int, *, ack: bool = True) -> list[Delivery]:
    """Receive exactly ``count`` deliveries."""
    got: list[Delivery] = []
    until = time.monotonic() + PATIENCE_SECONDS
    while len(got) < count and time.monotonic() < until:
        batch = subscription.receive(at_most=count - len(got), timeout=0.5)
        if ack:
            subscription.ack(batch)
        got += batch
    assert len(got) == count, payloads(got)
    return got


def take_from_each(subscriptions: Sequence[Subscription], count: int) -> list[list[Delivery]]:
    """Receive and acknowledge ``count`` deliveries in all, whoever gets them."""
    got: list[list[Delivery]] = [[] for _ in subscriptions]
    until = time.monotonic() + PATIENCE_SECONDS
    while sum(map(len, got)) < count and time.monotonic() < until:
        for number, subscription in enumerate(subscriptions):
            batch = subscription.receive(at_most=7, timeout=0.05)
            subscription.ack(batch)
            got[number] += batch
    assert sum(map(len, got)) == count
    return got


def payloads(deliveries: Sequence[Delivery]) -> list[str]:
    return [one.message.payload.decode() for one in deliveries]


def numbers(first: int, last: int) -> list[str]:
    return [str(number) for number in range(first, last + 1)]


class BrokerContract:
    @pytest.fixture
    def broker(self, adapter: Adapter) -> Iterator[Broker]:
        opened = adapter.open()
        yield opened
        opened.close()

    @pytest.fixture
    def topic(self, adapter: Adapter, broker: Broker) -> str:
        name = adapter.topic("events")
        broker.ensure_subscription(name, "s")
        return name

    def test_a_message_arrives_as_it_was_sent(self, broker: Broker, topic: str) -> None:
        sent = Message(
            key="job-1/ü",
            payload=b"\x00\xff payload",
            properties={"event_id": "e1", "text": "ü\n"},
            event_time=datetime(2026, 1, 2, 3, 4, 5, 678000, tzinfo=UTC),
        )
        producer = broker.producer(topic, name="agent/a")
        producer.send(sent, sequence_id=1, done=lambda _: None)
        producer.flush(PATIENCE_SECONDS)

        (got,) = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 1)

        assert got.message == sent
        assert got.topic == topic
        assert got.producer == "agent/a"
        assert got.redeliveries == 0
        assert abs(got.published_at - datetime.now(UTC)) < timedelta(hours=1)

    def test_a_message_may_have_no_event_time(self, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1)

        (got,) = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 1)

        assert got.message.event_time is None

    def test_messages_of_a_key_arrive_in_order(self, broker: Broker, topic: str) -> None:
        results = Sender(broker.producer(topic, name="a")).send_all(*range(1, 101))

        got = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 100)

        assert results == [SendOutcome.STORED] * 100
        assert payloads(got) == numbers(1, 100)

    def test_each_send_ends_once_and_in_order(self, broker: Broker, topic: str) -> None:
        sender = Sender(broker.producer(topic, name="a"))
        sender.send_all(*range(1, 301))

        assert [sequence for sequence, _ in sender.ended] == list(range(1, 301))

    def test_an_unknown_producer_has_no_last_sequence(self, broker: Broker, topic: str) -> None:
        assert broker.producer(topic, name="new").last_sequence_id() == -1

    def test_the_last_sequence_is_known_after_reopening(self, adapter: Adapter, topic: str) -> None:
        first = adapter.open()
        Sender(first.producer(topic, name="a")).send_all(1, 2, 5)
        first.close()

        assert adapter.open().producer(topic, name="a").last_sequence_id() == 5

    def test_what_was_stored_is_a_duplicate_when_sent_again(self, adapter: Adapter, topic: str) -> None:
        first = adapter.open()
        Sender(first.producer(topic, name="a")).send_all(1, 2, 3)
        first.close()
        broker = adapter.open()

        again = Sender(broker.producer(topic, name="a")).send_all(1, 2, 3, 4)

        assert again == [SendOutcome.DUPLICATE] * 3 + [SendOutcome.STORED]
        got = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 4)
        assert payloads(got) == numbers(1, 4)

    def test_a_lower_number_after_a_higher_one_is_a_duplicate(self, broker: Broker, topic: str) -> None:
        assert Sender(broker.producer(topic, name="a")).send_all(5, 3, 6) == [
            SendOutcome.STORED,
            SendOutcome.DUPLICATE,
            SendOutcome.STORED,
        ]

    def test_numbers_belong_to_a_name_and_a_topic(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        other = adapter.topic("other")
        Sender(broker.producer(topic, name="a")).send_all(1, 2, 3)

        assert Sender(broker.producer(topic, name="b")).send_all(1) == [SendOutcome.STORED]
        assert Sender(broker.producer(other, name="a")).send_all(1) == [SendOutcome.STORED]

    def test_too_large_a_message_ends_alone(self, broker: Broker, topic: str) -> None:
        sender = Sender(broker.producer(topic, name="a"))
        before = sender.send_all(1)
        (refused,) = sender.send_all(2, payload=b"x" * (6 * 1024 * 1024))
        after = sender.send_all(3)

        assert isinstance(refused, MessageTooLarge)
        assert (before, after) == ([SendOutcome.STORED], [SendOutcome.STORED])

    def test_an_exclusive_producer_fences_the_one_before(self, adapter: Adapter, topic: str) -> None:
        old = Sender(adapter.open().producer(topic, name="a", exclusive=True))
        old.send_all(1)
        new = Sender(adapter.open().producer(topic, name="b", exclusive=True))

        assert isinstance(_last_result(old, 2), Fenced)
        assert new.send_all(1) == [SendOutcome.STORED]

    def test_a_fenced_producer_can_take_the_topic_back(self, adapter: Adapter, topic: str) -> None:
        first, second = adapter.open(), adapter.open()
        Sender(first.producer(topic, name="a", exclusive=True)).send_all(1)
        between = Sender(second.producer(topic, name="b", exclusive=True))
        back = Sender(first.producer(topic, name="a", exclusive=True))

        assert back.producer.last_sequence_id() == 1
        assert back.send_all(2) == [SendOutcome.STORED]
        assert isinstance(_last_result(between, 1), Fenced)

    def test_nothing_of_a_fenced_producer_is_stored(self, adapter: Adapter, topic: str) -> None:
        broker = adapter.open()
        old = Sender(broker.producer(topic, name="a", exclusive=True))
        old.send_all(1)
        new = Sender(adapter.open().producer(topic, name="b", exclusive=True))
        _last_result(old, 2)
        new.send_all(10)

        got = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 2)

        assert payloads(got) == ["1", "10"]

    def test_a_closed_topic_is_free_for_any_producer(self, broker: Broker, topic: str) -> None:
        holder = broker.producer(topic, name="a", exclusive=True)
        holder.close()

        assert Sender(broker.producer(topic, name="b")).send_all(1) == [SendOutcome.STORED]

    def test_nothing_published_after_ensuring_a_subscription_is_missed(self, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(*range(1, 51))
        broker.ensure_subscription(topic, "s")

        got = take(broker.subscribe([topic], name="s", kind=FAILOVER, consumer="c"), 50)

        assert payloads(got) == numbers(1, 50)

    def test_each_subscription_receives_everything(self, broker: Broker, topic: str) -> None:
        broker.ensure_subscription(topic, "t")
        Sender(broker.producer(topic, name="a")).send_all(1, 2, 3)

        for name in ("s", "t"):
            got = take(broker.subscribe([topic], name=name, kind=KEY_SHARED, consumer="c"), 3)
            assert payloads(got) == numbers(1, 3)

    def test_one_subscription_receives_from_several_topics(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        other = adapter.topic("other")
        Sender(broker.producer(topic, name="a")).send_all(1)
        subscription = broker.subscribe([topic, other], name="s", kind=KEY_SHARED, consumer="c")
        Sender(broker.producer(other, name="a")).send_all(2)

        assert {(one.topic, one.message.payload) for one in take(subscription, 2)} == {(topic, b"1"), (other, b"2")}

    def test_receive_gives_no_more_than_asked_for(self, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(*range(1, 11))
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        take(subscription, 1)

        assert 1 <= len(subscription.receive(at_most=4, timeout=PATIENCE_SECONDS)) <= 4

    def test_receive_gives_nothing_where_nothing_is(self, broker: Broker, topic: str) -> None:
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")

        assert list(subscription.receive(at_most=10, timeout=0.05)) == []

    def test_a_waiting_consumer_gets_what_is_sent_later(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        assert list(subscription.receive(at_most=1, timeout=0.05)) == []
        Sender(adapter.open().producer(topic, name="a")).send_all(1)

        assert payloads(take(subscription, 1)) == ["1"]

    def test_key_shared_consumers_share_keys_not_messages(self, adapter: Adapter, topic: str) -> None:
        consumers = [
            adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer=name) for name in ("c1", "c2", "c3")
        ]
        sender = Sender(adapter.open().producer(topic, name="a"))
        for sequence in range(1, 121):
            sender.send(sequence, key=f"key-{sequence % 30}")
        sender.producer.flush(PATIENCE_SECONDS)

        got = take_from_each(consumers, 120)

        keys = [{one.message.key for one in mine} for mine in got]
        assert sum(map(len, keys)) == 30
        assert len(set.union(*keys)) == 30
        assert sum(1 for mine in keys if mine) > 1
        assert sorted(itertools.chain(*map(payloads, got)), key=int) == numbers(1, 120)
        assert all(_in_order_by_key(mine) for mine in got)

    def test_a_key_waits_for_the_consumer_that_still_holds_it(self, adapter: Adapter, topic: str) -> None:
        """The new consumer may be given a key only when the old one has nothing of it any more (PIP-379)."""
        sender = Sender(adapter.open().producer(topic, name="a"))
        keys = [f"key-{number}" for number in range(40)]
        for number, key in enumerate(keys, start=1):
            sender.send(number, key=key)
        sender.producer.flush(PATIENCE_SECONDS)
        old = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="old")
        held = take(old, 40, ack=False)
        new = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="new")
        for number, key in enumerate(keys, start=41):
            sender.send(number, key=key)
        sender.producer.flush(PATIENCE_SECONDS)

        assert list(new.receive(at_most=40, timeout=adapter.quiet_seconds)) == []
        old.ack(held)
        old_got, new_got = take_from_each([old, new], 40)
        assert sorted(payloads([*old_got, *new_got]), key=int) == numbers(41, 80)
        assert new_got

    def test_failover_has_one_consumer_at_a_time(self, adapter: Adapter, topic: str) -> None:
        sender = Sender(adapter.open().producer(topic, name="a"))
        first = adapter.open().subscribe([topic], name="s", kind=FAILOVER, consumer="c1")
        second = adapter.open().subscribe([topic], name="s", kind=FAILOVER, consumer="c2")
        sender.send_all(*range(1, 11))

        got = take_from_each([first, second], 10)

        assert sorted(map(len, got)) == [0, 10]

    def test_failover_passes_on_when_the_active_one_leaves(self, adapter: Adapter, topic: str) -> None:
        sender = Sender(adapter.open().producer(topic, name="a"))
        first = adapter.open().subscribe([topic], name="s", kind=FAILOVER, consumer="c1")
        sender.send_all(*range(1, 11))
        take(first, 4)
        take(first, 3, ack=False)
        second = adapter.open().subscribe([topic], name="s", kind=FAILOVER, consumer="c2")
        first.close()

        assert payloads(take(second, 6)) == numbers(5, 10)

    def test_what_is_acknowledged_does_not_come_back(self, adapter: Adapter, topic: str) -> None:
        Sender(adapter.open().producer(topic, name="a")).send_all(*range(1, 11))
        first = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c1")
        take(first, 6)
        first.close()

        second = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c2")
        assert payloads(take(second, 4)) == numbers(7, 10)

    def test_what_is_not_acknowledged_comes_back_in_order(self, adapter: Adapter, topic: str) -> None:
        Sender(adapter.open().producer(topic, name="a")).send_all(*range(1, 11))
        first = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c1")
        given = take(first, 10, ack=False)
        first.ack(given[:2])
        first.close()

        second = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c2")
        assert payloads(take(second, 8)) == numbers(3, 10)

    def test_a_nack_brings_a_message_back_and_counts(self, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1)
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        subscription.nack(take(subscription, 1, ack=False))

        (again,) = take(subscription, 1)

        assert again.message.payload == b"1"
        assert again.redeliveries >= 1

    def test_a_nack_does_not_hold_up_other_keys(self, broker: Broker, topic: str) -> None:
        sender = Sender(broker.producer(topic, name="a"))
        sender.send_all(1, key="bad")
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        subscription.nack(take(subscription, 1, ack=False))
        sender.send_all(2, key="good")

        assert sorted(payloads(take(subscription, 2))) == ["1", "2"]

    def test_a_dead_letter_keeps_everything_and_says_why(self, broker: Broker, topic: str) -> None:
        place = dead_letter_topic(topic, "s")
        broker.ensure_subscription(place, "people")
        sent = Message(
            key="k",
            payload=b"\xff not a protobuf",
            properties={"event_id": "e1"},
            event_time=datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        )
        producer = broker.producer(topic, name="a")
        producer.send(sent, sequence_id=1, done=lambda _: None)
        producer.flush(PATIENCE_SECONDS)
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        (bad,) = take(subscription, 1, ack=False)

        subscription.dead_letter(bad, error="cannot be decoded")

        (dead,) = take(broker.subscribe([place], name="people", kind=FAILOVER, consumer="p"), 1)
        assert (dead.message.key, dead.message.payload) == (sent.key, sent.payload)
        assert dead.message.event_time == sent.event_time
        assert dead.message.properties["event_id"] == "e1"
        assert dead.message.properties[DEAD_LETTER_ERROR] == "cannot be decoded"
        assert dead.message.properties[DEAD_LETTER_TOPIC] == topic

    def test_a_dead_letter_does_not_come_back(self, adapter: Adapter, topic: str) -> None:
        Sender(adapter.open().producer(topic, name="a")).send_all(1, 2)
        first = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c1")
        bad, _ = take(first, 2, ack=False)
        first.dead_letter(bad, error="bad")
        first.close()

        second = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c2")
        assert payloads(take(second, 1)) == ["2"]
        assert list(second.receive(at_most=1, timeout=adapter.quiet_seconds)) == []

    def test_dead_letters_are_read_without_being_consumed(self, broker: Broker, topic: str) -> None:
        as_dead_letter = bury(broker, topic, count=3)

        for _ in range(2):
            assert [one.delivery.message for one in letters_in(broker, topic)] == as_dead_letter
        assert len({one.id for one in letters_in(broker, topic)}) == 3
        assert not any(set(one.id) & set(string.whitespace) for one in letters_in(broker, topic))

    def test_a_dead_letter_is_dropped_alone_and_for_good(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        as_dead_letter = bury(broker, topic, count=3)
        before = letters_in(broker, topic)
        with closing(broker.dead_letters(dead_letter_topic(topic, "s"))) as letters:
            letters.drop([one for one in letters.read() if one.id == before[1].id])

        left = letters_in(adapter.open(), topic)

        assert [one.id for one in left] == [before[0].id, before[2].id]
        assert [one.delivery.message for one in left] == [as_dead_letter[0], as_dead_letter[2]]

    def test_dead_letters_outlive_who_buried_and_who_read_them(self, adapter: Adapter, topic: str) -> None:
        first, second = adapter.open(), adapter.open()
        as_dead_letter = bury(first, topic, count=2)
        first.close()
        letters_in(second, topic)
        second.close()

        assert [one.delivery.message for one in letters_in(adapter.open(), topic)] == as_dead_letter

    def test_a_place_without_dead_letters_has_none(self, broker: Broker, topic: str) -> None:
        assert letters_in(broker, topic) == []

        bury(broker, topic, count=1)
        place = dead_letter_topic(topic, "s")
        with closing(broker.dead_letters(place)) as letters:
            letters.drop(list(letters.read()))

        assert letters_in(broker, topic) == []

    def test_a_replayed_message_that_dies_again_lies_beside_the_others(self, broker: Broker, topic: str) -> None:
        as_dead_letter = bury(broker, topic, count=1)
        place = replay_topic(topic, "s")
        broker.ensure_subscription(place, "s")
        producer = broker.producer(place, name="people")
        producer.send(original_message(as_dead_letter[0]), sequence_id=1, done=lambda _: None)
        producer.flush(PATIENCE_SECONDS)
        subscription = broker.subscribe([topic, place], name="s", kind=KEY_SHARED, consumer="again")

        (replayed,) = take(subscription, 1, ack=False)
        subscription.dead_letter(replayed, error="bad again")

        first, second = (one.delivery.message for one in letters_in(broker, topic))
        assert (first, original_message(second)) == (as_dead_letter[0], original_message(first))
        assert second.properties[DEAD_LETTER_TOPIC] == topic

    def test_a_topic_is_kept_for_who_claimed_it_first(self, adapter: Adapter, topic: str) -> None:
        first, second = adapter.open(), adapter.open()
        for _ in range(2):
            first.claim(topic, owner="cluster-1")

        with pytest.raises(TopicTaken, match="cluster-1"):
            second.claim(topic, owner="cluster-2")
        second.claim(topic, owner="cluster-1")

    def test_a_released_topic_may_be_claimed_anew(self, adapter: Adapter, topic: str) -> None:
        first, second = adapter.open(), adapter.open()
        assert not first.release(topic)
        first.claim(topic, owner="cluster-1")

        assert second.release(topic)
        second.claim(topic, owner="cluster-2")
        with pytest.raises(TopicTaken, match="cluster-2"):
            first.claim(topic, owner="cluster-1")

    def test_a_claimed_topic_is_found_and_another_is_free(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        other = adapter.topic("claimed")
        broker.claim(topic, owner="cluster-1")
        broker.claim(other, owner="cluster-2")

        assert list(adapter.open().topics(other)) == [other]

    def test_what_comes_in_front_of_the_first_unacknowledged_message_is_acknowledged(
        self, broker: Broker, topic: str
    ) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1, 2, 3)
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        first, second, third = take(subscription, 3, ack=False)
        assert (is_before(broker, first), is_before(broker, second)) == (True, False)

        subscription.ack([second])
        until(lambda: not is_before(broker, second) and not is_before(broker, third))
        subscription.ack([first])

        until(lambda: is_before(broker, third))
        assert not acknowledged(broker, topic).everything()
        subscription.ack([third])
        until(acknowledged_all(broker, topic))

    def test_what_is_given_back_is_not_acknowledged(self, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1, 2)
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        first, second = take(subscription, 2, ack=False)
        subscription.ack([second])
        subscription.nack([first])
        assert not is_before(broker, second)

        (again,) = take(subscription, 1)

        assert again.position == first.position
        until(acknowledged_all(broker, topic))

    def test_what_another_consumer_gets_again_has_its_place(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1, 2)
        first = adapter.open().subscribe([topic], name="s", kind=KEY_SHARED, consumer="c1")
        given = take(first, 2, ack=False)
        first.close()

        again = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c2"), 2, ack=False)

        assert [one.position for one in again] == [one.position for one in given]
        assert not is_before(broker, again[1])

    def test_a_dead_letter_is_acknowledged_and_its_key_is_known(self, broker: Broker, topic: str) -> None:
        place = dead_letter_topic(topic, "s")

        def keys() -> set[str]:
            known = broker.dead_letter_keys(place)
            assert known is not None
            return set(known)

        assert keys() == set()
        bury(broker, topic, count=3)

        until(acknowledged_all(broker, topic))
        assert keys() == {"key-1", "key-2", "key-3"}
        with closing(broker.dead_letters(place)) as letters:
            read = list(letters.read())
            assert keys() == {"key-1", "key-2", "key-3"}
            letters.drop([read[1]])
        until(lambda: keys() == {"key-1", "key-3"})
        with closing(broker.dead_letters(place)) as letters:
            letters.drop(list(letters.read()))
        until(lambda: keys() == set())

    def test_nothing_is_known_of_the_positions_of_another_broker(self, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1)
        (given,) = take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 1)
        until(acknowledged_all(broker, topic))

        known, others = acknowledged(broker, topic), "7" if ":" in given.position else "7:1"
        assert known.before(given.position)
        assert [position for position in ("", others, "7:-1", "x") if known.before(position)] == []

    def test_each_subscription_acknowledges_for_itself(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        Sender(broker.producer(topic, name="a")).send_all(1)
        take(broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c"), 1)

        until(acknowledged_all(broker, topic))
        assert not acknowledged(broker, topic, "t").everything()
        assert acknowledged(broker, adapter.topic("nobody-used")).everything()

    def test_what_a_topic_retains_is_known(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        nothing = Retained(messages=0, oldest=None, subscribed=False, backlog=0, oldest_in_backlog=None)
        assert broker.retained(adapter.topic("nobody-used"), "s") == nothing
        assert broker.retained(topic, "s") == replace(nothing, subscribed=True)
        Sender(broker.producer(topic, name="a")).send_all(*range(1, 6))
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        given = take(subscription, 5, ack=False)
        first, *_, last = (delivery.published_at for delivery in given)
        untouched = Retained(messages=5, oldest=first, subscribed=True, backlog=5, oldest_in_backlog=first)
        assert broker.retained(topic, "s") == untouched
        assert broker.retained(topic, "t") == replace(untouched, subscribed=False)

        subscription.ack([given[0], given[2]])
        until(lambda: broker.retained(topic, "s").backlog == 3)
        assert broker.retained(topic, "s") == replace(untouched, backlog=3, oldest_in_backlog=given[1].published_at)
        subscription.ack([given[1], given[3]])
        until(lambda: broker.retained(topic, "s") == replace(untouched, backlog=1, oldest_in_backlog=last))
        subscription.ack(given[4:])
        until(lambda: broker.retained(topic, "s") == replace(untouched, backlog=0, oldest_in_backlog=None))

    def test_a_topic_is_read_whatever_was_consumed(self, adapter: Adapter, broker: Broker, topic: str) -> None:
        sender = Sender(broker.producer(topic, name="a"))
        sender.send_all(*range(1, 8))
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        taken = take(subscription, 4)
        with closing(broker.reader(topic)) as reader:
            read = [*reader.read(at_most=3), *reader.read(at_most=5)]
            assert list(reader.read(at_most=1)) == []
            sender.send_all(8)
            until(lambda: payloads(reader.read(at_most=5)) == ["8"])

        assert payloads(read) == numbers(1, 7)
        fields = ("topic", "message", "producer", "published_at", "position")
        assert [[getattr(delivery, name) for name in fields] for delivery in read[:4]] == [
            [getattr(delivery, name) for name in fields] for delivery in taken
        ]
        assert payloads(take(subscription, 4)) == numbers(5, 8)
        assert broker.reader(adapter.topic("nobody-used")).read(at_most=1) in ([], ())

    def test_a_topic_is_read_from_a_time_on(self, broker: Broker, topic: str) -> None:
        sender = Sender(broker.producer(topic, name="a"))
        for number in range(1, 6):
            sender.send_all(number)
            time.sleep(0.005)
        with closing(broker.reader(topic)) as reader:
            times = [delivery.published_at for delivery in reader.read(at_most=9)]

        for number, since in enumerate(times, start=1):
            with closing(broker.reader(topic, since=since)) as reader:
                assert payloads(reader.read(at_most=9)) == numbers(number, 5)
        with closing(broker.reader(topic, since=times[0] - timedelta(days=1))) as reader:
            assert payloads(reader.read(at_most=9)) == numbers(1, 5)
        with closing(broker.reader(topic, since=datetime.now(UTC) + timedelta(hours=1))) as reader:
            assert list(reader.read(at_most=9)) == []

    def test_topics_are_found_by_prefix_sorted(self, adapter: Adapter, broker: Broker) -> None:
        first, second = sorted([adapter.topic("x-one"), adapter.topic("x-two")])
        for name in (second, first):
            broker.ensure_subscription(name, "s")

        found = broker.topics("")

        assert [name for name in found if name in {first, second}] == [first, second]
        assert list(found) == sorted(found)
        assert list(broker.topics(first)) == [first]

    def test_a_broker_that_is_there_answers(self, broker: Broker) -> None:
        broker.ping()

    def test_closing_twice_is_closing_once(self, broker: Broker, topic: str) -> None:
        producer = broker.producer(topic, name="a")
        subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="c")
        for _ in range(2):
            producer.close()
            subscription.close()

    def test_a_closed_producer_sends_nothing(self, broker: Broker, topic: str) -> None:
        sender = Sender(broker.producer(topic, name="a"))
        sender.producer.close()

        assert isinstance(_last_result(sender, 1), BrokerError)


def until(reached: Callable[[], bool]) -> None:
    """Wait for it: an acknowledgement takes a moment to be known."""
    given_up = time.monotonic() + PATIENCE_SECONDS
    while not reached():
        assert time.monotonic() < given_up
        time.sleep(0.05)


def acknowledged(broker: Broker, topic: str, subscription: str = "s") -> Acknowledged:
    known = broker.acknowledged(topic, subscription)
    assert known is not None
    return known


def acknowledged_all(broker: Broker, topic: str) -> Callable[[], bool]:
    return lambda: acknowledged(broker, topic).everything()


def is_before(broker: Broker, delivery: Delivery) -> bool:
    """Whether everything in front of it is acknowledged."""
    return acknowledged(broker, delivery.topic).before(delivery.position)


def bury(broker: Broker, topic: str, *, count: int) -> list[Message]:
    """Let messages die in a topic; gives what is kept of them."""
    producer = broker.producer(topic, name="a")
    first = max(producer.last_sequence_id(), 0) + 1
    for number in range(first, first + count):
        sent = Message(
            key=f"key-{number}",
            payload=b"\xff" + str(number).encode(),
            properties={"event_id": f"e{number}"},
            event_time=datetime(2026, 1, 2, 3, 4, number % 60, tzinfo=UTC),
        )
        producer.send(sent, sequence_id=number, done=lambda _: None)
    producer.flush(PATIENCE_SECONDS)
    producer.close()
    subscription = broker.subscribe([topic], name="s", kind=KEY_SHARED, consumer="burying")
    dead = take(subscription, count, ack=False)
    for one in dead:
        subscription.dead_letter(one, error=f"bad {one.message.key}")
    subscription.close()
    return [as_dead_letter(one, subscription="s", error=f"bad {one.message.key}") for one in dead]


def letters_in(broker: Broker, topic: str) -> list[DeadLetter]:
    """What is dead of the subscription ``s`` of a topic."""
    with closing(broker.dead_letters(dead_letter_topic(topic, "s"))) as letters:
        return list(letters.read())


def _in_order_by_key(deliveries: Sequence[Delivery]) -> bool:
    by_key: dict[str, list[int]] = {}
    for one in deliveries:
        by_key.setdefault(one.message.key, []).append(int(one.message.payload))
    return all(order == sorted(order) for order in by_key.values())


def _last_result(sender: Sender, sequence: int) -> Result:
    """How a send ended that may be refused at once or later."""
    try:
        return sender.send_all(sequence)[-1]
    except BrokerError as error:
        return error
