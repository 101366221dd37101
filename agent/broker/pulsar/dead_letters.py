"""Dead letters in Pulsar: one process reads them at a time, and dropping is acknowledging."""

import secrets
from collections.abc import Iterator, Sequence
from typing import Final, Protocol

import pulsar
from pulsar import exceptions

from agent.broker.port import DeadLetter, Unreachable
from agent.broker.pulsar.address import Names
from agent.broker.pulsar.content import delivery_of
from agent.broker.pulsar.errors import translated
from agent.broker.pulsar.positions import Position

_END: Final = "end-of-reading"


class DeadLetterTopic(Protocol):
    """Access to one topic of dead letters."""

    def consumer(self) -> pulsar.Consumer:
        """The only consumer of the subscription that keeps them. Raises Busy."""

    def producer(self) -> pulsar.Producer: ...


class PulsarDeadLetters:
    """Fits ``agent.broker.port.DeadLetters``.

    Pulsar does not say when a consumer has received everything, so ``read`` sends a marker message and reads up to it.
    """

    def __init__(self, topic: DeadLetterTopic, names: Names, *, patience: float) -> None:
        self._topic = topic
        self._names = names
        self._patience = patience
        self._consumer = topic.consumer()
        self._fresh = True

    def read(self) -> Iterator[DeadLetter]:
        if not self._fresh:
            # A new consumer gets again what was read and not acknowledged.
            self._consumer.close()
            self._consumer = self._topic.consumer()
        self._fresh = False
        marker = self._send_marker()
        while True:
            received = self._receive()
            end = received.properties().get(_END)
            if end is None:
                yield _dead_letter(received, self._names)
                continue
            with translated("reading dead letters"):
                self._consumer.acknowledge(received)
            if end == marker:
                return

    def drop(self, dead_letters: Sequence[DeadLetter]) -> None:
        with translated("dropping dead letters"):
            for dead_letter in dead_letters:
                self._consumer.acknowledge(dead_letter.delivery.token)

    def close(self) -> None:
        """Let others read. Closing sends the acknowledgements that are still waiting."""
        with translated("reading dead letters"):
            self._consumer.close()

    def _send_marker(self) -> str:
        marker = secrets.token_hex(8)
        with translated("reading dead letters"):
            producer = self._topic.producer()
            try:
                producer.send(b"", properties={_END: marker})
            finally:
                producer.close()
        return marker

    def _receive(self) -> pulsar.Message:
        try:
            return self._consumer.receive(timeout_millis=round(self._patience * 1000))
        except exceptions.Timeout as error:
            raise Unreachable(f"reading dead letters: no message arrived within {self._patience:.0f} s") from error


def is_marker(received: pulsar.Message) -> bool:
    """Whether a message is no dead letter, but marks the end of a reading."""
    return _END in received.properties()


class NoDeadLetters:
    """The dead letters in a topic that does not exist."""

    def read(self) -> Iterator[DeadLetter]:
        return iter(())

    def drop(self, dead_letters: Sequence[DeadLetter]) -> None: ...

    def close(self) -> None: ...


def _dead_letter(received: pulsar.Message, names: Names) -> DeadLetter:
    return DeadLetter(id=str(Position.of(received.message_id())), delivery=delivery_of(received, names))
