"""The traps of the client library and of the broker, one by one.

What the library does is shown on the library itself, so that a new version of it that does otherwise is noticed.
"""

import asyncio
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial

import pulsar
import pulsar.asyncio
import pytest

from agent.broker.port import (
    Broker,
    BrokerError,
    Fenced,
    Message,
    SendOutcome,
    Subscription,
    SubscriptionKind,
    Unreachable,
)
from agent.broker.topics import dead_letter_topic
from agent.settings.pulsar import PulsarSettings
from tests.broker.contract import Sender, numbers, payloads, take
from tests.broker.pulsar.adapter import opened, stored, url_of
from tests.child import PIPE, Child
from tests.servers.patience import until
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]

STORED, DUPLICATE = SendOutcome.STORED, SendOutcome.DUPLICATE
TOPIC = "events"


@contextmanager
def raw(namespace: PulsarNamespace) -> Iterator[pulsar.Client]:
    """The library as it is."""
    with closing(pulsar.Client(namespace.broker.url, logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Error))) as client:
        yield client


@contextmanager
def paused(broker: PulsarBroker) -> Iterator[None]:
    """The broker's connections are open, and nothing answers."""
    broker.process.pause()
    try:
        yield
    finally:
        broker.process.resume()


def holder(namespace: PulsarNamespace, what: str) -> Child:
    command = [sys.executable, "-m", "tests.broker.pulsar.holder", what, url_of(namespace), TOPIC]
    return Child(command, stdin=PIPE, stdout=PIPE)


def asked(process: Child, line: str) -> str:
    process.write(f"{line}\n")
    return answer(process)


def answer(process: Child) -> str:
    """Its next line; what the client logs is on its standard error."""
    return process.line().strip()


def test_batches_break_deduplication_and_ours_are_off(pulsar_namespace: PulsarNamespace) -> None:
    """With batching, the first of a batch stands for all: what is sent again is stored again."""
    with raw(pulsar_namespace) as client:
        client.subscribe(pulsar_namespace.topic("batched"), "s").close()
        for numbers_sent in (range(1, 11), range(5, 13)):
            producer = client.create_producer(
                pulsar_namespace.topic("batched"), "a", batching_enabled=True, batching_max_publish_delay_ms=200
            )
            for number in numbers_sent:
                producer.send_async(b"%d" % number, lambda *_: None, sequence_id=number)
            producer.flush()
            producer.close()
        reader = client.create_reader(pulsar_namespace.topic("batched"), pulsar.MessageId.earliest)
        batched = [reader.read_next(5000).data() for _ in iter(reader.has_message_available, False)]
    assert len(batched) > len(set(batched))

    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription(TOPIC, "s")
        first = broker.producer(TOPIC, name="a")
        assert Sender(first).send_all(*range(1, 11)) == [STORED] * 10
        first.close()
        again = Sender(broker.producer(TOPIC, name="a")).send_all(*range(5, 13))

    assert again == [DUPLICATE] * 6 + [STORED] * 2
    assert stored(pulsar_namespace, TOPIC, 12) == numbers(1, 12)


def test_number_0_is_none_to_the_library_and_refused_by_us(pulsar_namespace: PulsarNamespace) -> None:
    topic = pulsar_namespace.topic("zero")
    with raw(pulsar_namespace) as client:
        producer = client.create_producer(topic, "a")
        producer.send(b"11", sequence_id=11)
        lost = producer.send(b"0", sequence_id=0)
        assert lost.ledger_id() == -1, "it went out with the library's own number, and was dropped as a duplicate"
        assert producer.last_sequence_id() != 11, "and after it the library's word is worth nothing"

    with opened(url_of(pulsar_namespace)) as broker, pytest.raises(ValueError, match="start at 1"):
        broker.producer(TOPIC, name="a").send(Message(key="k", payload=b""), sequence_id=0, done=lambda _: None)


def test_an_initial_number_hides_the_brokers(pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace)) as broker:
        Sender(broker.producer(TOPIC, name="a")).send_all(16)
        with raw(pulsar_namespace) as client, pytest.raises(pulsar.exceptions.ProducerBusy):
            client.create_producer(pulsar_namespace.topic(TOPIC), "a")
    with raw(pulsar_namespace) as client:
        hidden = client.create_producer(pulsar_namespace.topic(TOPIC), "a", initial_sequence_id=2)
        assert hidden.last_sequence_id() == 2
        hidden.close()

    with opened(url_of(pulsar_namespace)) as broker:
        assert broker.producer(TOPIC, name="a").last_sequence_id() == 16


def test_the_highest_number_stays_the_highest_whatever_was_sent_since(pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace)) as broker:
        producer = broker.producer(TOPIC, name="a")
        Sender(producer).send_all(5, 3)

        assert producer.last_sequence_id() == 5


def test_a_cancelled_asyncio_receive_eats_messages_and_our_short_waits_do_not(
    pulsar_namespace: PulsarNamespace,
) -> None:
    topic = pulsar_namespace.topic("eaten")

    async def eat() -> list[bytes]:
        client = pulsar.asyncio.Client(pulsar_namespace.broker.url)
        consumer = await client.subscribe(topic, "s")
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(consumer.receive(), 0.05)
        producer = await client.create_producer(topic)
        for number in range(6):
            await producer.send(b"%d" % number)
        got = [(await asyncio.wait_for(consumer.receive(), 60)).data() for _ in range(3)]
        await client.close()
        return got

    assert asyncio.run(eat()) == [b"3", b"4", b"5"]

    with opened(url_of(pulsar_namespace)) as broker:
        subscription = broker.subscribe([TOPIC], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="c")
        for _ in range(3):
            assert list(subscription.receive(at_most=1, timeout=0.01)) == []
        Sender(broker.producer(TOPIC, name="a")).send_all(*range(1, 7))
        assert payloads(take(subscription, 6)) == numbers(1, 6)


def test_acknowledgements_are_not_confirmed_a_killed_consumer_gets_messages_again(
    pulsar_namespace: PulsarNamespace,
) -> None:
    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription(TOPIC, "s")
        Sender(broker.producer(TOPIC, name="a")).send_all(*range(1, 31))
        with holder(pulsar_namespace, "acknowledge") as process:
            assert process.wait() == -signal.SIGKILL

        subscription = broker.subscribe([TOPIC], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="next")
        again = take(subscription, 30)

    assert payloads(again) == numbers(1, 30), "each was acknowledged, and none of it arrived"


@pytest.mark.parametrize("kind", SubscriptionKind)
def test_dead_letters_are_ours_on_every_kind_of_subscription(
    pulsar_namespace: PulsarNamespace, kind: SubscriptionKind
) -> None:
    """The library's own have no event time and no reason, and on Failover there are none: it loops for ever."""
    sent = Message(key="k", payload=b"bad", event_time=datetime(2026, 1, 2, 3, 4, 5, 6000, tzinfo=UTC))
    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription(TOPIC, "s")
        producer = broker.producer(TOPIC, name="a")
        producer.send(sent, sequence_id=1, done=lambda _: None)
        producer.flush(20)
        subscription = broker.subscribe([TOPIC], name="s", kind=kind, consumer="c")
        (bad,) = take(subscription, 1, ack=False)
        subscription.dead_letter(bad, error="cannot be read: \ud800")
        subscription.close()

        with closing(broker.dead_letters(dead_letter_topic(TOPIC, "s"))) as letters:
            (letter,) = letters.read()
        after = broker.subscribe([TOPIC], name="s", kind=kind, consumer="d")
        assert list(after.receive(at_most=1, timeout=1)) == []

    assert letter.delivery.message.event_time == sent.event_time
    assert letter.delivery.message.properties["dead-letter-error"] == "cannot be read: \\ud800"


def test_a_holder_that_hangs_is_displaced_at_once_and_stores_nothing_more(pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace)) as broker, holder(pulsar_namespace, "hold") as hung:
        broker.ensure_subscription(TOPIC, "s")
        assert answer(hung) == "holding"
        assert asked(hung, "1") == STORED
        hung.send(signal.SIGSTOP)

        new = Sender(broker.producer(TOPIC, name="new", exclusive=True))
        assert new.send_all(10) == [STORED]

        hung.send(signal.SIGCONT)
        assert asked(hung, "2") == Fenced.__name__
        assert new.send_all(11) == [STORED]

    assert stored(pulsar_namespace, TOPIC, 3) == ["1", "10", "11"]


def test_a_broker_that_hangs_times_no_send_out(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    """A send that timed out may be stored all the same; ours are pending until they are."""
    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription(TOPIC, "s")
        sender = Sender(broker.producer(TOPIC, name="a"))
        sender.send_all(1)
        with paused(pulsar):
            sender.send(2, 3)
            with pytest.raises(Unreachable, match="2 not acknowledged"):
                sender.producer.flush(1)
            with pytest.raises(Unreachable, match="no answer"):
                broker.ping()
        sender.producer.flush(30)

    assert [result for _, result in sender.ended] == [STORED] * 3
    assert stored(pulsar_namespace, TOPIC, 3) == numbers(1, 3)


def test_closing_flushes_nothing_and_says_so(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace)) as broker:
        sender = Sender(broker.producer(TOPIC, name="a"))
        with paused(pulsar):
            sender.send(1, 2)
            with pytest.raises(Unreachable):
                sender.producer.close()

        assert [type(result) for _, result in sender.ended] == [Unreachable, Unreachable]


def test_a_full_window_rejects_none_in_the_middle(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    """The library's own queue refuses what does not fit and takes what comes after: an order with holes."""
    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription(TOPIC, "s")
        sender = Sender(broker.producer(TOPIC, name="a"))
        with paused(pulsar), pytest.raises(Unreachable, match="messages that wait to be acknowledged: 1000"):
            sender.send(*range(1, 2001))
        sender.producer.flush(30)

    assert sender.ended == [(number, STORED) for number in range(1, 1001)]
    assert stored(pulsar_namespace, TOPIC, 1000) == numbers(1, 1000)


def test_a_closed_ledger_nobody_subscribed_to_is_dropped_and_an_ensured_one_is_not(
    pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace
) -> None:
    """Without deduplication here: its own snapshot holds a ledger back, for a time that is no promise."""
    pulsar.admin.set_retention(pulsar_namespace.name, minutes=0, megabytes=0)
    pulsar.admin.set_deduplication(pulsar_namespace.name, enabled=False)
    with opened(url_of(pulsar_namespace)) as broker:
        broker.ensure_subscription("ensured", "s")
        for topic in ("forgotten", "ensured"):
            sender = Sender(broker.producer(topic, name="a"))
            sender.send_all(*range(1, 6))
            pulsar.admin.unload(pulsar_namespace.topic(topic))
            sender.send_all(6)
            pulsar.admin.do("POST", f"persistent/{pulsar_namespace.name}/{topic}/trim")
        until(lambda: ledgers(pulsar_namespace, "forgotten") == 1, "dropped")

        assert ledgers(pulsar_namespace, "ensured") == 2
    assert stored(pulsar_namespace, "ensured", 6) == numbers(1, 6)


def ledgers(namespace: PulsarNamespace, topic: str) -> int:
    return len(namespace.broker.admin.ledgers(namespace.topic(topic))["ledgers"])


def test_ensuring_a_subscription_takes_no_message_from_it(pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace)) as broker, opened(url_of(pulsar_namespace)) as other:
        broker.ensure_subscription(TOPIC, "s")
        Sender(broker.producer(TOPIC, name="a")).send_all(*range(1, 51))
        for _ in range(3):
            other.ensure_subscription(TOPIC, "s")
        consuming = broker.subscribe([TOPIC], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="c")
        other.ensure_subscription(TOPIC, "s")
        got = take(consuming, 50)

    assert payloads(got) == numbers(1, 50)
    assert {one.redeliveries for one in got} == {0}


def test_a_new_topic_is_found_at_once_without_the_admin_api(pulsar_namespace: PulsarNamespace) -> None:
    """The library's regular expressions find it after up to a minute, whatever period is asked for."""
    with opened(url_of(pulsar_namespace)) as publishing, opened(url_of(pulsar_namespace)) as looking:
        assert list(looking.topics("run-events-")) == []
        for name in ("run-events-a", "run-events-b"):
            publishing.ensure_subscription(name, "s")
            until(partial(is_found, looking, name), "found", seconds=20)


def is_found(broker: Broker, topic: str) -> bool:
    return topic in broker.topics("run-events-")


def test_a_partitioned_topic_is_refused(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    pulsar.admin.create_partitioned_topic(pulsar_namespace.topic(TOPIC), 3)
    with opened(url_of(pulsar_namespace)) as broker, pytest.raises(BrokerError, match=r"is partitioned.*pulsar-admin"):
        broker.producer(TOPIC, name="a")


@pytest.mark.timeout(240)  # what the library asks may be lost with the topic; it asks again after its timeout
def test_an_unloaded_topic_goes_on_in_order(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    with opened(url_of(pulsar_namespace), PulsarSettings(operation_timeout=timedelta(seconds=20))) as broker:
        broker.ensure_subscription(TOPIC, "s")
        sender = Sender(broker.producer(TOPIC, name="a", exclusive=True))
        for first in range(1, 301, 100):
            sender.send(*range(first, first + 100))
            pulsar.admin.unload(pulsar_namespace.topic(TOPIC))
        sender.producer.flush(180)

    assert {result for _, result in sender.ended} <= {STORED, DUPLICATE}
    assert stored(pulsar_namespace, TOPIC, 300) == numbers(1, 300)


def test_a_connection_that_stays_lost_ends_receiving(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    with opened(pulsar.proxied_url + f"/{pulsar_namespace.name}") as broker, pulsar.network() as network:
        subscription = broker.subscribe([TOPIC], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="c")
        network.refuse()
        network.cut()
        with pytest.raises(Unreachable, match="no connection"):
            receive_until(subscription, seconds=30)


def receive_until(subscription: Subscription, *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        subscription.receive(at_most=1, timeout=0.2)
