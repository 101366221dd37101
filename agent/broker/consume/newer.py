"""Messages that only a later version of this program can handle: they wait for it, and it is said that they do."""

import time
from collections.abc import Callable, Sequence
from typing import Final

import structlog

from agent.broker.port import Delivery
from agent.telemetry import broker_metrics as metrics
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

PAUSE: Final = 30.0
"""Seconds that such a message is kept before it is given back: the broker would else deliver it again each second."""

_SHOWN: Final = 3 * PAUSE
"""Seconds for which it is said of the last one: until it comes again, there is a moment without any."""


class NewerVersionNeeded(Exception):
    """Only a later version can handle these messages; the error's text says what they are."""

    def __init__(self, deliveries: Sequence[Delivery], what: str) -> None:
        super().__init__(what)
        self.deliveries = deliveries


class NewerMessages:
    """Says in the log, for readiness and as a metric that messages of a subscription wait for a later version."""

    def __init__(self, subscription: str, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._subscription = subscription
        self._monotonic = monotonic
        self._repetition = Repetition(monotonic=monotonic)
        self._problem = ""
        self._until: float | None = None
        metrics.NEWER.labels(subscription).set_function(lambda: int(self.problem() is not None))

    def met(self, topic: str, what: str) -> None:
        """One has come, now or again."""
        self._problem = f"messages in {topic} wait for a later version of this program: {what}; upgrade it"
        self._until = self._monotonic() + _SHOWN
        if self._repetition.is_due(self._problem):
            _log.error("a message waits for a later version", subscription=self._subscription, topic=topic, error=what)

    def problem(self) -> str | None:
        """What waits, for readiness."""
        return self._problem if self._until is not None and self._monotonic() < self._until else None


class KeptMessages:
    """Messages of a subscription that are neither acknowledged nor given back for a while, ``at_most`` at a time."""

    def __init__(self, *, pause: float, at_most: int) -> None:
        self._pause = pause
        self._at_most = at_most
        self._kept: list[tuple[float, Delivery]] = []

    def keep(self, deliveries: Sequence[Delivery]) -> Sequence[Delivery]:
        """Keep these from now on; return those that there is no room for."""
        room = max(self._at_most - len(self._kept), 0)
        due = time.monotonic() + self._pause
        self._kept += [(due, delivery) for delivery in deliveries[:room]]
        return deliveries[room:]

    def due(self) -> Sequence[Delivery]:
        """Those that were kept for long enough, each once."""
        now = time.monotonic()
        due = [delivery for at, delivery in self._kept if at <= now]
        if due:
            self._kept = [(at, delivery) for at, delivery in self._kept if at > now]
        return due
