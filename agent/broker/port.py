"""The port: what every broker must offer.

Every call blocks. Each producer and each subscription is used by one thread only. Delivery is at least once:
correctness rests on the stores on both sides, not on the broker's deduplication.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol


class BrokerError(Exception):
    """The broker did not do what it was asked. Unless a subclass says otherwise, trying again may help."""


class Unreachable(BrokerError):
    """The broker does not answer, or the connection was lost."""


class Fenced(BrokerError):
    """Another producer has taken over this topic: stop sending, and keep what is not acknowledged."""


class Busy(BrokerError):
    """Another process has it open, and only one may."""


class TopicTaken(BrokerError):
    """The topic belongs to another owner. Trying again helps only after it was released."""

    def __init__(self, topic: str, owner: str) -> None:
        super().__init__(
            f"{topic} belongs to {owner}, which used it first: choose another name, or, if that owner is gone, "
            f"release the topic with `failctl broker release {topic}`"
        )
        self.topic = topic
        self.owner = owner


class MessageTooLarge(BrokerError):
    """The message is larger than the broker accepts; trying again cannot help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message to send. Messages with the same ``key`` reach one consumer, in order."""

    key: str
    payload: bytes
    properties: Mapping[str, str] = field(default_factory=dict)
    event_time: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A received message. ``redeliveries`` counts from 0 and may reset; ``token`` is for the broker that gave it.

    ``position`` is the message's place in its topic, the same for each delivery. Only its broker can compare two.
    """

    topic: str
    message: Message
    producer: str
    published_at: datetime
    redeliveries: int
    position: str
    token: object


class SendOutcome(StrEnum):
    """How a send ended. A duplicate was stored by an earlier send, so it is as safe as a stored one."""

    STORED = "stored"
    DUPLICATE = "duplicate"


Done = Callable[[SendOutcome | BrokerError], None]
"""Called once for each send, in order, possibly on another thread; must return at once and never raise."""


class Producer(Protocol):
    """Sends to one topic under one name. Sequence ids rise from 1 and are always given by the caller.

    After a send has ended with Unreachable or Fenced, no later send is stored: close the producer. Any other error
    may concern that one message only.
    """

    def last_sequence_id(self) -> int:
        """The highest sequence id the broker has stored for this name and topic; -1 where it knows none."""

    def send(self, message: Message, *, sequence_id: int, done: Done) -> None:
        """Send without waiting for the result; block while too many are in flight. Raises Fenced or Unreachable."""

    def flush(self, timeout: float) -> None:
        """Wait until every send has ended; raises Unreachable if that takes longer than ``timeout`` seconds."""

    def close(self) -> None:
        """Release the name and, if exclusive, the topic. Does not flush."""


class SubscriptionKind(StrEnum):
    """Key-shared: every consumer receives some of the keys. Failover: one receives everything, others are standby."""

    KEY_SHARED = "key-shared"
    FAILOVER = "failover"


class Subscription(Protocol):
    """Receives from topics under a subscription's name. Acknowledge only after the effect is stored."""

    def receive(self, *, at_most: int, timeout: float) -> Sequence[Delivery]:
        """Up to ``at_most`` deliveries; waits at most ``timeout`` seconds for the first, and may return none."""

    def ack(self, deliveries: Sequence[Delivery]) -> None:
        """Mark these as handled. Not confirmed by the broker: after a crash they may be delivered again."""

    def nack(self, deliveries: Sequence[Delivery]) -> None:
        """Have these delivered again later; order within a key may be lost."""

    def dead_letter(self, delivery: Delivery, *, error: str) -> None:
        """Store it in its dead-letter topic, made by ``agent.broker.dead_letters.as_dead_letter``; then acknowledge.

        Before the first is sent, ensure the subscription ``DEAD_LETTER_READER`` there: it keeps dead letters.
        """

    def close(self) -> None:
        """Stop consuming; what was received and not acknowledged is delivered again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeadLetter:
    """A dead letter as it is kept. ``id`` is unique in its topic, has no blanks, and is the same at every read."""

    id: str
    delivery: Delivery


class DeadLetters(Protocol):
    """The dead letters in one topic, kept until they are dropped. A broker may allow one reader at a time."""

    def read(self) -> Iterator[DeadLetter]:
        """Every dead letter that is kept now, oldest first. Reading one does not drop it."""

    def drop(self, dead_letters: Sequence[DeadLetter]) -> None:
        """Delete these permanently; they were read from here before."""

    def close(self) -> None:
        """Let others read; when this returns, the deletions are permanent."""


class Acknowledged(Protocol):
    """How far a subscription had acknowledged a topic at one moment. What was acknowledged then still is later.

    Messages that were given back, or are on their way, are not acknowledged; dead letters are.
    """

    def before(self, position: str) -> bool:
        """Whether it had acknowledged everything in front of the message at this position of the topic.

        Not in front of a position that another broker gave: the address of the broker may have changed meanwhile.
        """

    def everything(self) -> bool:
        """Whether it had acknowledged all that the topic had."""


class TopicReader(Protocol):
    """Reads what a topic retains, whoever has consumed it.

    It has no subscription: no message is kept for it, none is taken from others, and nothing is left of it when its
    process ends, however it ends.
    """

    def read(self, *, at_most: int) -> Sequence[Delivery]:
        """The next messages, in the order of the topic; none when it has no more."""

    def close(self) -> None:
        """Stop reading."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """What a topic retains, and how much of it is in the backlog of a subscription. ``None``: not known.

    ``oldest`` and ``oldest_in_backlog`` are times of publication, ``None`` also if there is no message. All is in the
    backlog of a subscription that does not exist.
    """

    messages: int | None
    oldest: datetime | None
    subscribed: bool | None
    backlog: int | None
    oldest_in_backlog: datetime | None


class Broker(Protocol):
    """A durable log with named topics and subscriptions."""

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> Producer:
        """Open a producer. ``exclusive`` fences every other producer of the topic, also those opened before."""

    def subscribe(self, topics: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str) -> Subscription:
        """Open a consumer named ``consumer`` on subscription ``name`` of each topic, from the earliest message on."""

    def ensure_subscription(self, topic: str, name: str) -> None:
        """Create the topic and the subscription if they do not exist, so that nothing published is dropped."""

    def claim(self, topic: str, *, owner: str) -> None:
        """Make ``owner`` the owner of the topic until it is released. Raises TopicTaken if it has another owner."""

    def release(self, topic: str) -> bool:
        """Let anybody claim the topic; true if it had an owner."""

    def dead_letters(self, topic: str) -> DeadLetters:
        """Open the dead letters in a topic that ``dead_letter_topic`` names. Raises Busy."""

    def dead_letter_keys(self, topic: str) -> frozenset[str] | None:
        """The keys of the dead letters in a topic, read without keeping others from them; ``None``: not known."""

    def acknowledged(self, topic: str, subscription: str) -> Acknowledged | None:
        """How far a subscription has acknowledged a topic; ``None``: not known. A topic that does not exist is empty.

        The answer may lag behind acknowledgements, and never runs ahead of them.
        """

    def retained(self, topic: str, subscription: str) -> Retained:
        """What a topic retains, and how much of it a subscription has not acknowledged. No topic retains nothing."""

    def reader(self, topic: str, *, since: datetime | None = None) -> TopicReader:
        """Read a topic from the first message that it retains, or the first that was published at ``since`` or later.

        A topic that does not exist is empty.
        """

    def topics(self, prefix: str) -> Sequence[str]:
        """The topics whose name starts with ``prefix``, sorted."""

    def ping(self) -> None:
        """Raise Unreachable unless the broker answers."""

    def close(self) -> None:
        """Close every producer and subscription opened through this broker too."""


class BadAddress(BrokerError):
    """The address, or a setting that goes with it, names no broker that can be opened; trying again cannot help."""
