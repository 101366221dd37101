"""How often a message could not be handled, counted by ourselves: a broker's count may reset (pulsar.md 3.5)."""

import hashlib
from typing import Protocol

from agent.broker.port import Delivery


class Attempts(Protocol):
    """Failed attempts by message, kept in the handler's store so that they outlive a process.

    Rows older than the longest outage may be forgotten. An error raised here counts as a store that is away: the
    message is brought back later and nothing is counted.
    """

    def failed(self, fingerprint: str, *, error: str) -> int:
        """Record one more failed attempt of this message; gives how many there were, this one included."""

    def forget(self, fingerprint: str) -> None:
        """Drop the count: the message went to the dead letters, and starts at none if it is replayed."""


def fingerprint(delivery: Delivery) -> str:
    """Names a message: the same for every delivery of it and under every broker; 64 hex digits."""
    message = delivery.message
    parts = [delivery.topic, delivery.producer, message.key]
    parts += [part for name in sorted(message.properties) for part in (name, message.properties[name])]
    digest = hashlib.sha256()
    for part in [*(part.encode() for part in parts), message.payload]:
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()
