"""Handle a batch, then acknowledge it; if it fails, find the failing message and let the others through."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import structlog

from agent.broker.consume.newer import KeptMessages, NewerMessages, NewerVersionNeeded
from agent.broker.port import Delivery, Subscription
from agent.telemetry import broker_metrics as metrics
from agent.telemetry.broker_metrics import DeadLetterReason

_log = structlog.get_logger(__name__)


class Attempts(Protocol):
    """Failed attempts by message, and dead letters, kept in the handler's store so that they outlive a process.

    Rows older than the longest outage may be forgotten. An error raised here means that the store is unavailable: the
    message is given back and nothing is counted.
    """

    def failed(self, fingerprint: str, *, error: str) -> int:
        """Record one more failed attempt of this message; return how many there were, this one included."""

    def dies(self, delivery: Delivery, *, subscription: str) -> None:
        """The message is about to become a dead letter of this subscription; it may be said more than once."""

    def forget(self, fingerprint: str) -> None:
        """Delete the count: the message became a dead letter, and starts at 0 if it is replayed."""


def fingerprint(delivery: Delivery) -> str:
    """Identifies a message: 64 hex digits, the same for each delivery of it and on each broker."""
    message = delivery.message
    # Redeliveries, times and the broker's message id are left out: they differ between deliveries and brokers.
    parts = [delivery.topic, delivery.producer, message.key]
    parts += [part for name in sorted(message.properties) for part in (name, message.properties[name])]
    digest = hashlib.sha256()
    for part in [*(part.encode() for part in parts), message.payload]:
        # The length before each part keeps ("ab", "c") and ("a", "bc") apart.
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    return digest.hexdigest()


Handle = Callable[[Sequence[Delivery]], None]
"""Handles all or none; when it returns, the effect is stored. Twice is the same as once.

Raises PoisonError where a message can never be handled, TransientError where nothing is wrong with the messages, and
NewerVersionNeeded with those that only a later version can handle.
Any other error is counted against the message, when it is known which one it is.
"""


class PoisonError(Exception):
    """This message can never be handled. The error's text is kept with the dead letter."""


class TransientError(Exception):
    """Something that the handler needs is unavailable; trying the same messages later may work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchHandling:
    """How one consumer settles what it receives."""

    handle: Handle
    attempts: Attempts
    subscription: Subscription
    name: str
    at_most_attempts: int
    newer: NewerMessages
    kept: KeptMessages

    def give_back_due(self) -> None:
        """Have those delivered again that were kept for long enough."""
        self.give_back(self.kept.due())

    def wait_for_later_version(self, error: NewerVersionNeeded) -> None:
        """Keep what only a later version can handle for a while, then give it back; it never becomes a dead letter."""
        self.newer.met(error.deliveries[0].topic, str(error))
        self.give_back(self.kept.keep(error.deliveries))

    def give_back(self, deliveries: Sequence[Delivery]) -> None:
        """Have these delivered again later; nothing is counted against them."""
        if deliveries:
            self.subscription.nack(deliveries)
            metrics.RETURNED.labels(self.name).inc(len(deliveries))

    def done(self, deliveries: Sequence[Delivery]) -> None:
        self.subscription.ack(deliveries)
        metrics.CONSUMED.labels(self.name).inc(len(deliveries))

    def failed(self, delivery: Delivery, error: Exception) -> bool:
        """Settle one message that could not be handled: dead-letter it or give it back. True if it will come again."""
        if isinstance(error, PoisonError):
            self._dead_letter(delivery, error=str(error), reason=DeadLetterReason.UNREADABLE)
            return False
        text = f"{type(error).__name__}: {error}"
        tries = self._count(delivery, text)
        _log.error("message could not be handled", subscription=self.name, attempts=tries, exc_info=error)
        if tries < self.at_most_attempts:
            self.give_back([delivery])
            return True
        self._dead_letter(delivery, error=f"{text} (after {tries} attempts)", reason=DeadLetterReason.ATTEMPTS)
        return False

    def _count(self, delivery: Delivery, error: str) -> int:
        try:
            return self.attempts.failed(fingerprint(delivery), error=error)
        except Exception as problem:
            # Without a count the limit could never be reached, so the whole batch waits for the store instead.
            raise TransientError(f"a failed attempt could not be counted: {problem}") from problem

    def _dead_letter(self, delivery: Delivery, *, error: str, reason: DeadLetterReason) -> None:
        self._dies(delivery)
        self.subscription.dead_letter(delivery, error=error)
        metrics.DEAD_LETTERS.labels(self.name, reason).inc()
        _log.error("message moved to the dead letters", subscription=self.name, topic=delivery.topic, error=error)
        self._forget(delivery)

    def _dies(self, delivery: Delivery) -> None:
        try:
            self.attempts.dies(delivery, subscription=self.name)
        except Exception as problem:
            # Said first, because after it is a dead letter nothing would say it again. So it waits for the store.
            raise TransientError(f"a dead letter could not be recorded: {problem}") from problem

    def _forget(self, delivery: Delivery) -> None:
        try:
            self.attempts.forget(fingerprint(delivery))
        except Exception:  # noqa: BLE001 - the message is settled; a count left behind changes nothing until a replay
            _log.exception("the count of attempts of a dead letter could not be deleted", subscription=self.name)


class Batch:
    """One batch while it is settled, in order. A message that is given back holds back only later ones of its key."""

    def __init__(self, handling: BatchHandling, deliveries: Sequence[Delivery]) -> None:
        self._handling = handling
        self._parts: list[Sequence[Delivery]] = [deliveries]
        self._held: set[str] = set()

    def settle(self) -> None:
        """Settle what is left of the batch. Raises TransientError; what was settled before stays settled."""
        while self._parts:
            self._give_back_held()
            part = self._parts[0]
            try:
                settled = not part or self._settled(part)
            except NewerVersionNeeded as error:
                self._leave_out(error)
                continue
            if settled:
                del self._parts[0]
            else:
                middle = len(part) // 2
                self._parts[:1] = [part[:middle], part[middle:]]

    def give_back(self) -> None:
        """Have what is not settled delivered again."""
        self._handling.give_back([delivery for part in self._parts for delivery in part])
        self._parts.clear()

    def _give_back_held(self) -> None:
        if self._held:
            part = self._parts[0]
            self._parts[0] = [delivery for delivery in part if delivery.message.key not in self._held]
            self._handling.give_back([delivery for delivery in part if delivery.message.key in self._held])

    def _leave_out(self, error: NewerVersionNeeded) -> None:
        """Take the messages that wait for a later version out of the batch, and those of their keys behind them.

        Messages of their keys in later batches may overtake them, on a broker that does not hold them back. They are
        then late, as every message may be: in the model of the lifecycle (tests/core/lifecycle/replica_moves.py) a
        message that cannot be handled is delayed behind any others, and no promise breaks. What is concluded from lists
        needs everything in front of them acknowledged, so that nothing is concluded while they wait.
        """
        waiting = {id(delivery) for delivery in error.deliveries}
        keys: set[str] = set()
        behind: list[Delivery] = []
        for place, part in enumerate(self._parts):
            left: list[Delivery] = []
            for delivery in part:
                if id(delivery) in waiting:
                    keys.add(delivery.message.key)
                else:
                    (behind if delivery.message.key in keys else left).append(delivery)
            self._parts[place] = left
        self._handling.wait_for_later_version(error)
        self._handling.give_back(behind)

    def _settled(self, part: Sequence[Delivery]) -> bool:
        try:
            self._handling.handle(part)
        except (TransientError, NewerVersionNeeded):
            raise
        except Exception as error:  # noqa: BLE001 - any error is counted against the message that makes it
            if len(part) > 1:
                return False
            if self._handling.failed(part[0], error):
                self._held.add(part[0].message.key)
            return True
        self._handling.done(part)
        return True
