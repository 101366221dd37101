"""The registry: a topic in which each of our topics is announced, with its owner.

Programs that look for topics read it. So the admin API is not needed, nor the library's subscriptions by regular
expression, which find a new topic only after a minute. The order of its entries decides who claimed a topic first. A
subscription that nobody reads keeps all of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Final, Protocol

import pulsar
from pulsar import exceptions

from agent.broker.port import TopicTaken
from agent.broker.pulsar.errors import translated

REGISTRY: Final = "failure-agent-topics"
REGISTRY_SUBSCRIPTION: Final = "registry"
"""The subscription that keeps the registry."""

_TOPIC: Final = "topic"
_OWNER: Final = "owner"
_RELEASED: Final = "released"
_DOING: Final = "reading the registry of topics"
_READ_MS: Final = 10_000


@dataclass(slots=True)
class RegistryState:
    """What the entries read so far amount to: topics by name, each with its owner, ``""`` if nobody claimed it."""

    owners: dict[str, str] = field(default_factory=dict)

    def apply(self, properties: Mapping[str, str]) -> None:
        """Apply one entry: the first claim of a topic holds until the topic is released."""
        topic, owner = properties.get(_TOPIC, ""), properties.get(_OWNER, "")
        if not topic:
            return
        if _RELEASED in properties:
            self.owners.pop(topic, None)
        elif not self.owners.get(topic):
            self.owners[topic] = owner


class RegistryTopic(Protocol):
    """Access to the registry's topic."""

    def ensure(self) -> None:
        """Create the topic and the subscription that keeps it."""

    def reader(self) -> pulsar.Reader:
        """A reader from the first entry on."""

    def producer(self) -> pulsar.Producer: ...


class Registry:
    """The registry of one namespace; may be used by several threads."""

    def __init__(self, topic: RegistryTopic, *, explain: Callable[[], str | None]) -> None:
        self._topic = topic
        self._explain = explain
        self._lock = Lock()
        self._reader: pulsar.Reader | None = None
        self._known = RegistryState()

    def topics(self) -> Sequence[str]:
        """Topics announced and not released. Asks the broker on the first call only; later, reads what has arrived."""
        with self._lock, translated(_DOING, explain=self._explain):
            if self._reader is None:
                self._catch_up()
            else:
                self._drain(self._reader)
            return sorted(self._known.owners)

    def announce(self, topic: str) -> None:
        """Make the topic known to others."""
        with self._lock, translated(f"announcing {topic}", explain=self._explain):
            self._catch_up()
            if topic not in {REGISTRY, *self._known.owners}:
                self._publish({_TOPIC: topic})

    def claim(self, topic: str, *, owner: str) -> None:
        """Raises TopicTaken if it has another owner. The registry is read again after the claim: the first wins."""
        with self._lock, translated(f"claiming {topic}", explain=self._explain):
            self._catch_up()
            if not self._known.owners.get(topic):
                self._publish({_TOPIC: topic, _OWNER: owner})
            if (first := self._known.owners.get(topic)) != owner:
                raise TopicTaken(topic, first or "nobody")

    def release(self, topic: str) -> bool:
        """Forget the topic and its owner; false if it had none."""
        with self._lock, translated(f"releasing {topic}", explain=self._explain):
            self._catch_up()
            if topic not in {REGISTRY, *self._known.owners}:
                return False
            claimed = self._known.owners[topic] != ""
            self._publish({_TOPIC: topic, _RELEASED: "true"})
            return claimed

    def _publish(self, properties: Mapping[str, str]) -> None:
        producer = self._topic.producer()
        try:
            producer.send(b"", properties=dict(properties), partition_key=properties[_TOPIC])
        finally:
            producer.close()
        self._catch_up()

    def _catch_up(self) -> None:
        if self._reader is None:
            self._topic.ensure()
            self._reader = self._topic.reader()
        while self._reader.has_message_available():
            self._known.apply(self._reader.read_next(timeout_millis=_READ_MS).properties())

    def _drain(self, reader: pulsar.Reader) -> None:
        while True:
            try:
                self._known.apply(reader.read_next(timeout_millis=0).properties())
            except exceptions.Timeout:
                return
