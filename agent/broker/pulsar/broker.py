"""Apache Pulsar: topics, producers and consumers of one namespace, over one client."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Final, Self

import pulsar

from agent.broker.dead_letters import as_dead_letter
from agent.broker.port import BrokerError, DeadLetters, Delivery, Retained, SubscriptionKind, TopicReader
from agent.broker.pulsar.address import Address, Names
from agent.broker.pulsar.admin import NotFound
from agent.broker.pulsar.client import Endpoint, close_client, open_client
from agent.broker.pulsar.content import content_of, published_at
from agent.broker.pulsar.dead_letter_keys import DeadLetterKeys
from agent.broker.pulsar.dead_letters import NoDeadLetters, PulsarDeadLetters
from agent.broker.pulsar.errors import translated
from agent.broker.pulsar.namespace import check_namespace
from agent.broker.pulsar.ping import Ping
from agent.broker.pulsar.positions import EMPTY, Position, PulsarAcknowledged
from agent.broker.pulsar.producer import WINDOW, PulsarProducer
from agent.broker.pulsar.reach import explanation, reach
from agent.broker.pulsar.reader import NoMessages, PulsarTopicReader
from agent.broker.pulsar.registry import REGISTRY, REGISTRY_SUBSCRIPTION, Registry
from agent.broker.pulsar.retention import NOTHING, retained
from agent.broker.pulsar.statistics import Statistics
from agent.broker.pulsar.subscription import PulsarSubscription
from agent.broker.topics import DEAD_LETTER_READER, dead_letter_topic
from agent.settings.pulsar import PulsarSettings, Subscriptions

_NACK_MS: Final = 1000
_QUEUE: Final = 500
_QUEUES: Final = 5000
"""Messages prefetched for one topic, and for all: what is prefetched here cannot go to another consumer."""
_TOPIC_READER_QUEUE: Final = 100
"""Prefetched for who reads a whole topic, and may read hundreds at a time."""
_READER_QUEUE: Final = 10
"""Prefetched where only keys are read: each message may be megabytes."""

_TYPES: Final[Mapping[SubscriptionKind, pulsar.ConsumerType]] = {
    SubscriptionKind.KEY_SHARED: pulsar.ConsumerType.KeyShared,
    SubscriptionKind.FAILOVER: pulsar.ConsumerType.Failover,
}


class PulsarBroker:
    """Fits ``agent.broker.port.Broker``. Connects on first use."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._names = Names(endpoint.address.namespace)
        self._client = open_client(endpoint)
        can_be_reached = partial(reach, endpoint)
        self._explain = partial(explanation, can_be_reached)
        self._registry = Registry(_RegistryTopic(self._client, self._names), explain=self._explain)
        self._ping = Ping(
            endpoint.address.service_url,
            ask=self._ask,
            explain=partial(explanation, can_be_reached, self.check_namespace),
        )
        self._lock = Lock()
        self._dead_letter_producers: dict[str, pulsar.Producer] = {}
        self._dead_letter_keys: dict[str, DeadLetterKeys] = {}
        self._statistics = _statistics(endpoint)
        self._closed = False

    @classmethod
    def open(cls, url: str, settings: PulsarSettings | None = None) -> Self:
        """Prepare a client; connects on first use. Raises BadAddress for a wrong address or an unreadable file."""
        given = settings or PulsarSettings()
        return cls(Endpoint(address=Address.parse(url, namespace=given.namespace), settings=given))

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> PulsarProducer:
        doing = f"opening a producer of {topic}"
        self._registry.announce(topic)
        with translated(doing, explain=self._explain):
            self._refuse_partitions(topic)
            opened = self._client.create_producer(
                self._names.full(topic),
                producer_name=name,
                access_mode=_access(exclusive=exclusive),
                batching_enabled=False,
                send_timeout_millis=0,  # the library must not give up on a message that it may still have sent
                max_pending_messages=2 * WINDOW,
                block_if_queue_full=False,
            )
        return PulsarProducer(opened, topic, patience=self._endpoint.patience)

    def subscribe(
        self, topics: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str
    ) -> PulsarSubscription:
        with translated(f"subscribing to {', '.join(topics)} as {name}", explain=self._explain):
            opened = self._client.subscribe(
                [self._names.full(topic) for topic in topics],
                name,
                consumer_type=_TYPES[kind],
                consumer_name=consumer,
                initial_position=pulsar.InitialPosition.Earliest,
                negative_ack_redelivery_delay_ms=_NACK_MS,
                receiver_queue_size=max(1, min(_QUEUE, _QUEUES // len(topics))),
            )
        return PulsarSubscription(
            opened,
            self._names,
            send_dead_letter=partial(self._send_dead_letter, name),
            patience=self._endpoint.patience,
        )

    def ensure_subscription(self, topic: str, name: str) -> None:
        """Create the topic and the subscription, unless settings say that an operator creates them."""
        self._registry.announce(topic)
        if self._endpoint.settings.subscriptions is Subscriptions.ENSURE:
            with translated(f"creating subscription {name} of {topic}", explain=self._explain):
                _ensure(self._client, self._names.full(topic), name)

    def claim(self, topic: str, *, owner: str) -> None:
        self._registry.claim(topic, owner=owner)

    def release(self, topic: str) -> bool:
        """Remove the topic from the registry, and its owner with it; it is found again when somebody uses it."""
        return self._registry.release(topic)

    def full_name(self, topic: str) -> str:
        """The name of our topic in Pulsar and its tools."""
        return self._names.full(topic)

    def dead_letters(self, topic: str) -> DeadLetters:
        """Open the dead letters in a topic; one that was never announced has none. Raises Busy."""
        if topic not in self._registry.topics():
            return NoDeadLetters()
        with translated(f"opening the dead letters in {topic}"):
            return PulsarDeadLetters(
                _DeadLetterTopic(self._client, self._names.full(topic)), self._names, patience=self._endpoint.patience
            )

    def dead_letter_keys(self, topic: str) -> frozenset[str] | None:
        """The keys of the dead letters in a topic; ``None`` without the admin API, which says what was dropped."""
        dropped = self.acknowledged(topic, DEAD_LETTER_READER)
        if dropped is None:
            return None
        with self._lock:
            if topic not in self._dead_letter_keys:
                opened = partial(self._reader, topic)
                self._dead_letter_keys[topic] = DeadLetterKeys(opened, patience=self._endpoint.patience)
            return self._dead_letter_keys[topic].look(dropped)

    def acknowledged(self, topic: str, subscription: str) -> PulsarAcknowledged | None:
        """How far a subscription has acknowledged a topic; ``None`` if the admin API, which says so, is not known."""
        if self._statistics is None:
            return None
        try:
            return PulsarAcknowledged.read(self._statistics.of(topic), subscription)
        except NotFound:
            # A topic that was announced exists: then this is the admin API of another broker.
            if topic in self._registry.topics():
                raise
            return EMPTY

    def retained(self, topic: str, subscription: str) -> Retained:
        """What a topic retains; without the admin API only when its oldest message was published."""
        if topic not in self._registry.topics():
            return NOTHING
        with translated(f"reading the first messages of {topic}", explain=self._explain):
            stats = None if self._statistics is None else self._statistics.of(topic)
            return retained(stats, subscription, first_behind=partial(self._first_behind, topic))

    def reader(self, topic: str, *, since: datetime | None = None) -> TopicReader:
        if topic not in self._registry.topics():
            return NoMessages()
        with translated(f"reading {topic}", explain=self._explain):
            opened = self._client.create_reader(
                self._names.full(topic), pulsar.MessageId.earliest, receiver_queue_size=_TOPIC_READER_QUEUE
            )
        return PulsarTopicReader(opened, self._names, since=since, patience=self._endpoint.patience)

    def _first_behind(self, topic: str, after: Position) -> datetime | None:
        """When the first message behind a position was published."""
        with closing(self._reader(topic, after)) as reader:
            if not reader.has_message_available():
                return None
            return published_at(reader.read_next(timeout_millis=self._endpoint.patience * 1000))

    def _reader(self, topic: str, after: Position) -> pulsar.Reader:
        start = pulsar.MessageId(-1, after.ledger, after.entry, -1)
        return self._client.create_reader(self._names.full(topic), start, receiver_queue_size=_READER_QUEUE)

    def topics(self, prefix: str) -> Sequence[str]:
        return [topic for topic in self._registry.topics() if topic.startswith(prefix)]

    def check_namespace(self) -> None:
        """Raise CheckFailure where our namespace does not exist, or our role has no permission in it."""
        check_namespace(self._client, self._names)

    def ping(self) -> None:
        """Raise Unreachable, with the reason if it can be found, unless the broker answers within 2 s."""
        self._ping.ping()

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            close_client(self._client)
            self._ping.close()

    def _ask(self) -> object:
        with translated("looking up the registry topic"):
            return self._client.get_topic_partitions(self._names.full(REGISTRY))

    def _send_dead_letter(self, subscription: str, delivery: Delivery, error: str) -> None:
        topic = dead_letter_topic(delivery.topic, subscription)
        with translated(f"sending a dead letter to {topic}"):
            self._dead_letter_producer(topic).send(
                **content_of(as_dead_letter(delivery, subscription=subscription, error=error))
            )

    def _dead_letter_producer(self, topic: str) -> pulsar.Producer:
        with self._lock:
            if topic not in self._dead_letter_producers:
                self.ensure_subscription(topic, DEAD_LETTER_READER)
                self._dead_letter_producers[topic] = self._client.create_producer(
                    self._names.full(topic), batching_enabled=False
                )
            return self._dead_letter_producers[topic]

    def _refuse_partitions(self, topic: str) -> None:
        full = self._names.full(topic)
        if self._client.get_topic_partitions(full) != [full]:
            raise BrokerError(
                f"{full} is partitioned, which breaks the order of messages and deduplication; delete it, "
                f"create it with pulsar-admin topics create, and have the namespace create non-partitioned topics"
            )


def _statistics(endpoint: Endpoint) -> Statistics | None:
    settings = endpoint.settings
    if settings.admin_url is None:
        return None
    return Statistics(settings.admin_url, settings, namespace=endpoint.address.namespace)


def _access(*, exclusive: bool) -> pulsar.ProducerAccessMode:
    modes = pulsar.ProducerAccessMode
    return modes.ExclusiveWithFencing if exclusive else modes.Shared


def _ensure(client: pulsar.Client, full: str, name: str) -> None:
    """Create a subscription by subscribing with a queue of 0, so that no message is taken from other consumers."""
    try:
        client.subscribe(
            full,
            name,
            consumer_type=pulsar.ConsumerType.Shared,
            receiver_queue_size=0,
            initial_position=pulsar.InitialPosition.Earliest,
        ).close()
    except pulsar.exceptions.ConsumerBusy:
        return  # somebody consumes it, so it exists


class _RegistryTopic:
    """Fits ``registry.RegistryTopic``."""

    def __init__(self, client: pulsar.Client, names: Names) -> None:
        self._client = client
        self._full = names.full(REGISTRY)

    def ensure(self) -> None:
        _ensure(self._client, self._full, REGISTRY_SUBSCRIPTION)

    def reader(self) -> pulsar.Reader:
        return self._client.create_reader(self._full, pulsar.MessageId.earliest)

    def producer(self) -> pulsar.Producer:
        return self._client.create_producer(self._full, batching_enabled=False)


class _DeadLetterTopic:
    """Fits ``dead_letters.DeadLetterTopic``."""

    def __init__(self, client: pulsar.Client, full: str) -> None:
        self._client = client
        self._full = full

    def consumer(self) -> pulsar.Consumer:
        return self._client.subscribe(
            self._full,
            DEAD_LETTER_READER,
            consumer_type=pulsar.ConsumerType.Exclusive,
            initial_position=pulsar.InitialPosition.Earliest,
        )

    def producer(self) -> pulsar.Producer:
        return self._client.create_producer(self._full, batching_enabled=False)
