"""A broker in memory that does what a test tells it to, and an outbox that can be copied and killed."""

import sqlite3
from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from datetime import datetime

from agent.broker.port import (
    Acknowledged,
    Broker,
    BrokerError,
    DeadLetters,
    Done,
    Fenced,
    Message,
    MessageTooLarge,
    Producer,
    Retained,
    SendOutcome,
    Subscription,
    SubscriptionKind,
    TopicReader,
    Unreachable,
)
from agent.broker.publish.outbox import OutboxRow


@dataclass(kw_only=True)
class Weather:
    """What the next calls meet. ``sends``: one entry for each coming send; fine weather where none is left."""

    refuse_opens: int = 0
    sends: list[str] = field(default_factory=list)
    largest: int = 10_000_000
    forgetful: bool = False


class BreakableBroker(Broker):
    """Keeps messages in order, with Pulsar's dedup: the highest sequence of each producer name.

    A topic has one exclusive producer, the latest. Names of producers differ from topic to topic.
    """

    def __init__(self) -> None:
        self.weather = Weather()
        self.stored: list[tuple[str, int, Message]] = []
        self.highest: dict[str, int] = {}
        self.opened: list[str] = []
        self.holders: dict[str, BreakableProducer] = {}
        self._sequences: dict[str, list[int]] = {}

    def payloads(self) -> list[str]:
        return [message.payload.decode() for _, _, message in self.stored]

    def sequences(self, topic: str) -> list[int]:
        """The numbers of the messages of one topic."""
        return self._sequences.get(topic, [])

    def producer(self, topic: str, *, name: str, exclusive: bool = False) -> Producer:
        if self.weather.refuse_opens > 0:
            self.weather.refuse_opens -= 1
            raise Unreachable("nobody is there")
        self.opened.append(name)
        producer = BreakableProducer(self, topic, name)
        if exclusive:
            self.holders[topic] = producer
        return producer

    def store(self, topic: str, name: str, sequence: int, message: Message) -> SendOutcome:
        if sequence <= self.highest.get(name, -1):
            return SendOutcome.DUPLICATE
        self.highest[name] = sequence
        self.stored.append((name, sequence, message))
        self._sequences.setdefault(topic, []).append(sequence)
        return SendOutcome.STORED

    def subscribe(self, topics: Sequence[str], *, name: str, kind: SubscriptionKind, consumer: str) -> Subscription:
        raise NotImplementedError

    def ensure_subscription(self, topic: str, name: str) -> None:
        raise NotImplementedError

    def claim(self, topic: str, *, owner: str) -> None:
        raise NotImplementedError

    def release(self, topic: str) -> bool:
        raise NotImplementedError

    def dead_letters(self, place: str) -> DeadLetters:
        raise NotImplementedError

    def dead_letter_keys(self, topic: str) -> frozenset[str] | None:
        raise NotImplementedError

    def acknowledged(self, topic: str, subscription: str) -> Acknowledged | None:
        raise NotImplementedError

    def retained(self, topic: str, subscription: str) -> Retained:
        raise NotImplementedError

    def reader(self, topic: str, *, since: datetime | None = None) -> TopicReader:
        raise NotImplementedError

    def topics(self, prefix: str) -> Sequence[str]:
        raise NotImplementedError

    def ping(self) -> None:
        if self.weather.refuse_opens > 0:
            raise Unreachable("nobody is there")

    def close(self) -> None:
        self.holders.clear()


class BreakableProducer(Producer):
    """Sends in the weather that is set.

    ``fine``; ``lost`` fails and is not stored; ``stored`` fails although it is stored; ``silent`` never ends, nor
    does any later one; ``stray`` fails alone, later sends succeed; ``refused`` raises; ``fenced`` another producer
    took over.
    """

    def __init__(self, broker: BreakableBroker, topic: str, name: str) -> None:
        self._broker = broker
        self._topic = topic
        self._name = name
        self._ended_by: BrokerError | None = None
        self._hung = False

    def last_sequence_id(self) -> int:
        return -1 if self._broker.weather.forgetful else self._broker.highest.get(self._name, -1)

    def send(self, message: Message, *, sequence_id: int, done: Done) -> None:
        if self._ended_by is not None:
            raise self._ended_by
        if self._broker.holders.get(self._topic, self) is not self:
            raise Fenced("another producer took over")
        if len(message.payload) > self._broker.weather.largest:
            done(MessageTooLarge("too large"))
            return
        coming = self._broker.weather.sends
        if not self._hung:
            self._send(coming.pop(0) if coming else "fine", message, sequence_id, done)

    def flush(self, timeout: float) -> None:
        del timeout

    def close(self) -> None:
        self._ended_by = Unreachable("closed")

    def _send(self, weather: str, message: Message, sequence: int, done: Done) -> None:
        match weather:
            case "refused":
                raise self._end(Unreachable("connection lost"))
            case "fenced":
                raise self._end(Fenced("another producer took over"))
            case "lost":
                done(self._end(Unreachable("connection lost")))
            case "stored":
                self._broker.store(self._topic, self._name, sequence, message)
                done(self._end(Unreachable("connection lost")))
            case "silent":
                self._hung = True
            case "stray":
                done(BrokerError("the queue is full"))
            case _:
                done(self._broker.store(self._topic, self._name, sequence, message))

    def _end(self, error: BrokerError) -> BrokerError:
        self._ended_by = error
        return error


class MemoryOutbox:
    """An outbox in memory; ``break_next`` names a method that fails once, as a full disk would."""

    def __init__(self, spool_id: str = "spool-1") -> None:
        self.rows: dict[int, OutboxRow] = {}
        self.acknowledged: set[str] = set()
        self.rejected: dict[str, str] = {}
        self.break_next: str | None = None
        self._id = spool_id
        self._last = 0
        self._sent = 0

    def add(self, *payloads: str) -> None:
        for payload in payloads:
            self._last += 1
            self.rows[self._last] = OutboxRow(sequence=self._last, key="k", payload=payload.encode())

    def copy(self) -> "MemoryOutbox":
        """As a backup of the volume would be."""
        return deepcopy(self)

    def spool_id(self) -> str:
        return self._id

    def highest_sent(self) -> int:
        return self._sent

    def record_sent(self, sequence: int) -> None:
        self._break("record_sent")
        self._sent = max(self._sent, sequence)

    def unacknowledged(self, *, after: int, at_most: int) -> Sequence[OutboxRow]:
        self._break("unacknowledged")
        return [self.rows[number] for number in sorted(self.rows) if number > after][:at_most]

    def acknowledge(self, sequences: Sequence[int]) -> None:
        self._break("acknowledge")
        for sequence in sequences:
            self.acknowledged.add(self.rows.pop(sequence).payload.decode())

    def acknowledge_through(self, sequence: int) -> int:
        through = [number for number in self.rows if number <= sequence]
        self.acknowledge(through)
        return len(through)

    def reject(self, sequence: int, *, error: str) -> None:
        self.rejected[self.rows.pop(sequence).payload.decode()] = error

    def renumber(self, spool_id: str) -> None:
        self._break("renumber")
        waiting = [self.rows[number] for number in sorted(self.rows)]
        self.rows = {number: replace(row, sequence=number) for number, row in enumerate(waiting, start=1)}
        self._id, self._last, self._sent = spool_id, len(waiting), 0

    def _break(self, method: str) -> None:
        if self.break_next == method:
            self.break_next = None
            raise sqlite3.OperationalError("database or disk is full")
