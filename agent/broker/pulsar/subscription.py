"""A consumer: receives with a time limit, acknowledges without a confirmation, which the library does not offer."""

import time
from collections.abc import Callable, Sequence
from typing import Final

import pulsar
from pulsar import exceptions

from agent.broker.port import Delivery, Unreachable
from agent.broker.pulsar.address import Names
from agent.broker.pulsar.content import delivery_of
from agent.broker.pulsar.errors import translated

_AT_ONCE_MS: Final = 500
"""The longest wait inside one call of the library, whose waits cannot be interrupted."""

SendDeadLetter = Callable[[Delivery, str], None]
"""Sends a message to its dead-letter topic, and returns when the broker has stored it."""


class PulsarSubscription:
    """Fits ``agent.broker.port.Subscription``. ``patience``: seconds to wait for a lost connection."""

    def __init__(
        self, consumer: pulsar.Consumer, names: Names, *, send_dead_letter: SendDeadLetter, patience: float
    ) -> None:
        self._consumer = consumer
        self._names = names
        self._send_dead_letter = send_dead_letter
        self._patience = patience
        self._doing = f"consuming as {consumer.subscription_name()}"
        self._connected = time.monotonic()
        self._closed = False

    def receive(self, *, at_most: int, timeout: float) -> Sequence[Delivery]:
        """Up to ``at_most`` deliveries. Raises Unreachable if the connection was lost and does not come back."""
        until = time.monotonic() + timeout
        got: list[Delivery] = []
        while len(got) < at_most:
            left = 0.0 if got else until - time.monotonic()
            if (delivery := self._receive_one(max(0, min(_AT_ONCE_MS, round(left * 1000))))) is not None:
                got.append(delivery)
            elif got or time.monotonic() >= until:
                break
        if not got:
            self._check_connection()
        return got

    def ack(self, deliveries: Sequence[Delivery]) -> None:
        with translated(self._doing):
            for delivery in deliveries:
                self._consumer.acknowledge(delivery.token)

    def nack(self, deliveries: Sequence[Delivery]) -> None:
        with translated(self._doing):
            for delivery in deliveries:
                self._consumer.negative_acknowledge(delivery.token)

    def dead_letter(self, delivery: Delivery, *, error: str) -> None:
        """Sent by our own producer: the library's loses event time and reason, and loops forever on Failover."""
        self._send_dead_letter(delivery, error)
        self.ack([delivery])

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        with translated(self._doing):
            self._consumer.close()

    def _receive_one(self, milliseconds: int) -> Delivery | None:
        try:
            with translated(self._doing):
                return delivery_of(self._received(milliseconds), self._names)
        except _NoMessage:
            return None

    def _received(self, milliseconds: int) -> pulsar.Message:
        try:
            return self._consumer.receive(timeout_millis=milliseconds)
        except exceptions.Timeout as error:
            raise _NoMessage from error

    def _check_connection(self) -> None:
        now = time.monotonic()
        if self._consumer.is_connected():
            self._connected = now
        elif now - self._connected > self._patience:
            raise Unreachable(f"{self._doing}: no connection for {now - self._connected:.0f} s")


class _NoMessage(Exception):
    """No message arrived in time."""
