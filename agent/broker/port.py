"""The port: what a durable log must offer, whichever it is (design 1, 4; reference/pulsar.md 3).

Everything blocks; each producer and each subscription is used by one thread only. Delivery is
at-least-once. Correctness rests on the stores of both sides, not on the broker's dedup.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class BrokerError(Exception):
    """The broker did not do what it was asked. Unless a subclass says otherwise, trying again may help."""


class Unreachable(BrokerError):
    """Nobody answers at the broker's address, or the connection was lost."""


class Fenced(BrokerError):
    """Another producer of this topic has taken over; stop sending and keep the spool."""


class Busy(BrokerError):
    """Somebody else has it open, and only one may."""


class TopicTaken(BrokerError):
    """The topic is another owner's. Trying again helps only once that one has given it up."""

    def __init__(self, topic: str, owner: str) -> None:
        super().__init__(
            f"{topic} was first used by {owner}, and is kept for it: take another name, or, if that one is no more, "
            f"let go of it with `failctl broker release {topic}`"
        )
        self.topic = topic
        self.owner = owner


class MessageTooLarge(BrokerError):
    """The message is larger than the broker takes; trying again cannot help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is sent. ``key`` orders: messages of one key reach one consumer, in order."""

    key: str
    payload: bytes
    properties: Mapping[str, str] = field(default_factory=dict)
    event_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """What is received. ``redeliveries`` counts from 0 and may reset; ``token`` is the adapter's own."""

    topic: str
    message: Message
    producer: str
    published_at: datetime
    redeliveries: int
    token: object


class SendOutcome(StrEnum):
    """How a send ended. A duplicate is stored already: as good as stored."""

    STORED = "stored"
    DUPLICATE = "duplicate"


Done = Callable[[SendOutcome | BrokerError], None]
"""Called once for each send, in order, possibly on another thread; must return at once and never raise."""


class Producer(Protocol):
    """Sends to one topic under one name. Sequence ids rise from 1 and are never mixed with automatic ones.

    Once a send has ended with Unreachable or Fenced, none after it is stored: the producer is of no more use. Any
    other error may be about that one message.
    """

    def last_sequence_id(self) -> int:
        """The highest sequence id the broker has stored for this name and topic; -1 where it knows none."""

    def send(self, message: Message, *, sequence_id: int, done: Done) -> None:
        """Send without waiting. Blocks only while the adapter's window is full. Raises Fenced or Unreachable."""

    def flush(self, timeout: float) -> None:
        """Wait until every send has ended; raises Unreachable if that takes longer than ``timeout`` seconds."""

    def close(self) -> None:
        """Give the name back. Does not flush."""


class SubscriptionKind(StrEnum):
    """Key-shared: all consumers receive, one per key. Failover: one receives, the others wait."""

    KEY_SHARED = "key-shared"
    FAILOVER = "failover"


class Subscription(Protocol):
    """Receives from topics under a subscription's name. Call ack only after the effect is stored."""

    def receive(self, *, at_most: int, timeout: float) -> Sequence[Delivery]:
        """Up to ``at_most`` deliveries; waits at most ``timeout`` seconds for the first, and may return none."""

    def ack(self, deliveries: Sequence[Delivery]) -> None:
        """These are done. Unconfirmed: a crash may bring them back."""

    def nack(self, deliveries: Sequence[Delivery]) -> None:
        """Bring these back later; order within a key may be lost."""

    def dead_letter(self, delivery: Delivery, *, error: str) -> None:
        """Move one to the dead letters as ``agent.broker.dead_letters.buried`` makes it, then ack it.

        Before the first is sent, the subscription ``DEAD_LETTER_READER`` of its place is ensured.
        """

    def close(self) -> None:
        """Leave; what was received and not acknowledged is delivered again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A dead letter as it is kept. ``id`` names it among all of the broker, without blanks, whenever it is read."""

    id: str
    delivery: Delivery


class DeadLetters(Protocol):
    """The dead letters of one place, kept until they are dropped. A broker may let one at a time have them."""

    def read(self) -> Iterator[DeadLetter]:
        """Every letter that is kept now, oldest first. What is read and not dropped stays."""

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        """Forget these, read from here before, for good."""

    def close(self) -> None:
        """Let others have them; what was dropped is gone for good once this returns."""


class Broker(Protocol):
    """A durable log with named topics and subscriptions."""

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> Producer:
        """Open a producer. ``exclusive`` fences every other producer of the topic."""

    def subscribe(self, topics: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str) -> Subscription:
        """Open a consumer named ``consumer`` on subscription ``name`` of each topic, from the earliest message on."""

    def ensure_subscription(self, topic: str, name: str) -> None:
        """Make the topic and the subscription if they are not there, so that nothing published is dropped."""

    def claim(self, topic: str, *, owner: str) -> None:
        """Make the topic ``owner``'s, until it is released. Raises TopicTaken where it is another's."""

    def release(self, topic: str) -> bool:
        """Let anybody claim the topic; whether somebody had."""

    def dead_letters(self, place: str) -> DeadLetters:
        """Open the dead letters of a place that ``dead_letter_topic`` names. Raises Busy."""

    def topics(self, prefix: str) -> Sequence[str]:
        """The topics whose name starts with ``prefix``, sorted."""

    def ping(self) -> None:
        """Raise Unreachable unless the broker answers."""

    def close(self) -> None:
        """Close everything opened through this broker."""


class BadAddress(BrokerError):
    """The address, or what settings say beside it, names no broker that can be opened; trying again cannot help."""
