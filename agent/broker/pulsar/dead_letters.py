"""Dead letters in Pulsar: one that reads has them alone, and what is dropped is acknowledged."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import pulsar
from pulsar import exceptions

from agent.broker.port import DeadLetter, Unreachable
from agent.broker.pulsar.content import delivery_of
from agent.broker.pulsar.errors import translated
from agent.broker.pulsar.names import Names

_END: Final = "end-of-reading"


class DeadLetterTopic(Protocol):
    """Where letters are: how a topic of them is read, and written to."""

    def consumer(self) -> pulsar.Consumer:
        """The only consumer of the subscription that keeps them. Raises Busy."""

    def producer(self) -> pulsar.Producer:
        """A producer of the topic."""


class PulsarDeadLetters:
    """Fits ``agent.broker.port.DeadLetters``.

    Pulsar does not tell a consumer when it has received all there is, so a mark of our own is sent and read up to.
    """

    def __init__(self, topic: DeadLetterTopic, names: Names, *, patience: float) -> None:
        self._topic = topic
        self._names = names
        self._patience = patience
        self._consumer = topic.consumer()
        self._fresh = True

    def read(self) -> Iterator[DeadLetter]:
        """Every letter that is kept now, oldest first."""
        if not self._fresh:
            self._consumer.close()
            self._consumer = self._topic.consumer()
        self._fresh = False
        mark = self._send_mark()
        while True:
            received = self._receive()
            end = received.properties().get(_END)
            if end is None:
                yield _letter(received, self._names)
                continue
            with translated("reading dead letters"):
                self._consumer.acknowledge(received)
            if end == mark:
                return

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        """Acknowledge these."""
        with translated("dropping dead letters"):
            for one in letters:
                self._consumer.acknowledge(one.delivery.token)

    def close(self) -> None:
        """Let others read; what was dropped is with the broker then."""
        with translated("reading dead letters"):
            self._consumer.close()

    def _send_mark(self) -> str:
        mark = secrets.token_hex(8)
        with translated("reading dead letters"):
            producer = self._topic.producer()
            try:
                producer.send(b"", properties={_END: mark})
            finally:
                producer.close()
        return mark

    def _receive(self) -> pulsar.Message:
        try:
            return self._consumer.receive(timeout_millis=round(self._patience * 1000))
        except exceptions.Timeout as error:
            raise Unreachable(f"reading dead letters: none came within {self._patience:.0f} s") from error


class NoDeadLetters:
    """The dead letters of a place that is not there."""

    def read(self) -> Iterator[DeadLetter]:
        """None."""
        return iter(())

    def drop(self, letters: Sequence[DeadLetter]) -> None:
        """There is nothing to drop."""

    def close(self) -> None:
        """Nothing is open."""


def _letter(received: pulsar.Message, names: Names) -> DeadLetter:
    at = received.message_id()
    return DeadLetter(id=f"{at.ledger_id()}:{at.entry_id()}", delivery=delivery_of(received, names))
