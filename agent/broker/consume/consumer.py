"""Receive, handle, acknowledge: one consumer in one thread.

This is the step ``acknowledge`` of docs/protocol.md.
"""

import random
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event

import structlog

from agent.backoff import Backoff
from agent.broker.consume.batch import Attempts, Batch, BatchHandling, Handle, PoisonError, TransientError
from agent.broker.consume.newer import PAUSE, KeptMessages, NewerMessages, NewerVersionNeeded
from agent.broker.port import Broker, BrokerError, Delivery, Subscription, SubscriptionKind
from agent.broker.topics import is_consumed
from agent.telemetry import broker_metrics as metrics

__all__ = [
    "Attempts",
    "ConsumeLimits",
    "Consumer",
    "Handle",
    "NewerVersionNeeded",
    "PoisonError",
    "Source",
    "TransientError",
]

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsumeLimits:
    """How much is taken at once and how long to wait.

    A batch is ``batch`` messages, or what came within ``linger`` seconds of the first. ``attempts``: how often
    handling a message may fail before it becomes a dead letter. ``patience``: how often a batch is tried in place while
    something that the handler needs is unavailable, before it is given back. ``discover``: seconds between looks for
    new topics. ``idle``: seconds a receive waits. ``later_version``: seconds that messages which only a later version
    can handle are kept before they are given back, ``batch`` of them at a time.
    """

    batch: int = 500
    linger: float = 0.05
    attempts: int = 5
    patience: int = 8
    discover: float = 1.0
    idle: float = 0.2
    later_version: float = PAUSE
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a consumer subscribes to.

    ``topics`` is called again and again, so that new ones are found. Dead-letter topics, and replay topics of other
    subscriptions, are left out of what it returns.
    """

    topics: Callable[[], Sequence[str]]
    subscription: str
    kind: SubscriptionKind
    consumer: str


class Consumer:
    """Consumes every topic that its source names, in one thread, until asked to stop.

    A batch is handled, then acknowledged. If handling fails, the batch is halved until it contains only the failing
    message: a PoisonError makes it a dead letter, any other error is counted in ``attempts`` and the message is given
    back, up to a limit. A TransientError counts nothing: the batch is tried again after a pause. A message that only a
    later version can handle (NewerVersionNeeded) counts nothing either, and waits; others go on. When asked to stop,
    it finishes the current batch; what is not acknowledged is delivered again.
    """

    def __init__(
        self,
        broker: Broker,
        source: Source,
        handle: Handle,
        *,
        attempts: Attempts,
        limits: ConsumeLimits | None = None,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._broker = broker
        self._handle = handle
        self._source = source
        self._name = source.subscription
        self._attempts = attempts
        self._limits = limits or ConsumeLimits()
        self._jitter = jitter
        self._failures = 0
        self._problem: str | None = "not subscribed yet"
        self._newer = NewerMessages(self._name)
        metrics.show_subscription(self._name)

    def run(self, stop: Event) -> None:
        """Consume until ``stop`` is set."""
        while not stop.is_set():
            try:
                self._consume(stop)
            except Exception as error:  # noqa: BLE001 - unacknowledged messages come back; the next try may work
                self._failed(error)
                stop.wait(self._pause())

    def check(self) -> str | None:
        """``None`` while it consumes, else what is wrong, for readiness."""
        return self._problem or self._newer.problem()

    def _consume(self, stop: Event) -> None:
        topics = self._live_topics()
        if not topics:
            self._problem = None
            stop.wait(self._limits.discover)
            return
        subscription = self._broker.subscribe(
            topics, name=self._name, kind=self._source.kind, consumer=self._source.consumer
        )
        try:
            self._problem = None
            _log.info("consuming", subscription=self._name, topics=len(topics))
            self._follow(subscription, topics, stop)
        finally:
            with suppress(BrokerError):  # what was not acknowledged is delivered again
                subscription.close()

    def _live_topics(self) -> tuple[str, ...]:
        return tuple(topic for topic in self._source.topics() if is_consumed(topic, self._name))

    def _follow(self, subscription: Subscription, topics: tuple[str, ...], stop: Event) -> None:
        handling = BatchHandling(
            handle=self._handle,
            attempts=self._attempts,
            subscription=subscription,
            name=self._name,
            at_most_attempts=self._limits.attempts,
            newer=self._newer,
            kept=KeptMessages(pause=self._limits.later_version, at_most=self._limits.batch),
        )
        looked = time.monotonic()
        while not stop.is_set():
            if time.monotonic() - looked >= self._limits.discover:
                if self._live_topics() != topics:
                    # Neither broker can add a topic to an open subscription: the caller closes this one and reopens.
                    return
                looked = time.monotonic()
            handling.give_back_due()
            batch = self._take(subscription)
            if batch:
                self._settle(handling, batch, stop)

    def _take(self, subscription: Subscription) -> Sequence[Delivery]:
        batch = list(subscription.receive(at_most=self._limits.batch, timeout=self._limits.idle))
        until = time.monotonic() + self._limits.linger
        while batch and len(batch) < self._limits.batch and (left := until - time.monotonic()) > 0:
            batch += subscription.receive(at_most=self._limits.batch - len(batch), timeout=left)
        return batch

    def _settle(self, handling: BatchHandling, batch: Sequence[Delivery], stop: Event) -> None:
        metrics.BATCH_SIZE.labels(self._name).observe(len(batch))
        metrics.REDELIVERED.labels(self._name).inc(sum(1 for delivery in batch if delivery.redeliveries > 0))
        work = Batch(handling, batch)
        for tries in range(self._limits.patience):
            if self._settled(work):
                return
            stop.wait(self._limits.backoff.seconds(tries, jitter=self._jitter()))
            if stop.is_set():
                return
        work.give_back()

    def _settled(self, work: Batch) -> bool:
        try:
            with metrics.HANDLE_SECONDS.labels(self._name).time():
                work.settle()
        except TransientError as error:
            self._problem = f"waiting: {error}"
            _log.warning("handling failed for now; the batch is tried again", subscription=self._name, error=str(error))
            return False
        self._problem = None
        self._failures = 0
        return True

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        self._problem = f"{type(error).__name__}: {error}"
        if isinstance(error, BrokerError):
            _log.warning(
                "consuming failed; subscribing again",
                subscription=self._name,
                error=self._problem,
                failures=self._failures,
            )
        else:
            _log.error(
                "consuming failed unexpectedly; subscribing again",
                subscription=self._name,
                failures=self._failures,
                exc_info=error,
            )

    def _pause(self) -> float:
        return self._limits.backoff.seconds(max(self._failures - 1, 0), jitter=self._jitter())
