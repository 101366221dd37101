"""The publish protocol: rows of a durable outbox become messages in order, none lost."""

import random
import sqlite3
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Final

import structlog

from agent.backoff import Backoff
from agent.broker.port import Broker, BrokerError, Fenced, Producer, Unreachable
from agent.broker.publish.in_flight import RowsInFlight, SequenceConflict, Settled
from agent.broker.publish.outbox import Outbox, OutboxRow, OutboxUnavailable
from agent.telemetry import broker_metrics as metrics

__all__ = ["Outbox", "OutboxRow", "PublishLimits", "Publisher", "PublisherState"]

_log = structlog.get_logger(__name__)
_IDLE_SECONDS: Final = 0.2
"""The longest wait for a wake-up: bounds how late ``stop`` and a stalled producer are noticed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishLimits:
    """How much is in flight and how long it may take.

    ``window``: rows in flight at most. ``stalled``: seconds without any acknowledgement until the producer is
    reopened. ``drain``: seconds that rows in flight are given when asked to stop.
    """

    window: int = 500
    stalled: float = 30.0
    drain: float = 5.0
    backoff: Backoff = field(default_factory=Backoff)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublisherState:
    """What a publisher is doing, for readiness and people. Counts are since it was made."""

    connected: bool = False
    fenced: bool = False
    in_flight: int = 0
    last_error: str | None = None
    published: int = 0
    duplicates: int = 0
    recovered: int = 0
    rejected: int = 0
    renumbered: int = 0


class Publisher:
    """Publishes one outbox to one topic, in one thread, until asked to stop.

    ``source`` and the spool id make the producer's name: ``agent/<cluster>/<spool id>``. Set ``wake`` after adding
    rows. Any failure closes the producer; after a back-off it is opened again and goes on from the lowest row that
    is not acknowledged. An exclusive publisher that is fenced stops sending and keeps every row until ``resume``; one
    that is not exclusive tries again. Rows that no broker accepts are rejected to the outbox, so that they do not block
    the others. Delivery is at least once: consumers know a message by its event id.
    """

    def __init__(
        self,
        broker: Broker,
        outbox: Outbox,
        *,
        topic: str,
        source: str,
        exclusive: bool = True,
        limits: PublishLimits | None = None,
        jitter: Callable[[], float] = random.random,
        new_spool_id: Callable[[], str] = lambda: uuid.uuid4().hex,
    ) -> None:
        self.wake = Event()
        self.state = PublisherState()
        self._broker = broker
        self._outbox = outbox
        self._topic = topic
        self._source = source
        self._exclusive = exclusive
        self._limits = limits or PublishLimits()
        self._jitter = jitter
        self._new_spool_id = new_spool_id
        self._failures = 0
        metrics.show_topic(topic)

    def run(self, stop: Event) -> None:
        """Publish until ``stop`` is set, then wait for what is in flight; the rest stays in the outbox."""
        while not stop.is_set():
            if self.state.fenced:
                self._wait_for_wake()
                continue
            try:
                self._publish_or_renumber(stop)
            except Exception as error:  # noqa: BLE001 - whatever broke, the rows are safe and the next try may work
                self._failed(error)
                stop.wait(self._limits.backoff.seconds(self._failures - 1, jitter=self._jitter()))

    def resume(self) -> None:
        """Send again after being fenced: this process is the leader again."""
        self.state = replace(self.state, fenced=False, last_error=None)
        self.wake.set()

    def check(self) -> str | None:
        """``None`` while the producer is open, else what is wrong, for readiness."""
        if self.state.fenced:
            return f"another producer took over {self._topic}; nothing is sent, all messages are kept"
        if not self.state.connected:
            return f"not connected to {self._topic}: {self.state.last_error or 'not opened yet'}"
        return None

    def _publish_or_renumber(self, stop: Event) -> None:
        try:
            self._publish(stop)
        except SequenceConflict as conflict:
            self._renumber(conflict)

    def _publish(self, stop: Event) -> None:
        producer = self._open()
        rows = RowsInFlight(producer, self._outbox, source=self._source, arrived=self.wake.set)
        try:
            self._connected(rows.recover())
            self._pump(rows, stop)
            self._drain(rows)
        except BrokerError:
            # Closing ends every send in flight; those that were stored meanwhile are recorded before the retry.
            _close(producer)
            rows.settle()
            raise
        finally:
            _close(producer)
            self.state = replace(self.state, connected=False, in_flight=0)
            metrics.CONNECTED.labels(self._topic).set(0)
            metrics.IN_FLIGHT.labels(self._topic).set(0)

    def _open(self) -> Producer:
        name = f"{self._source}/{self._outbox.spool_id()}"
        return self._broker.producer(self._topic, name=name, exclusive=self._exclusive)

    def _pump(self, rows: RowsInFlight, stop: Event) -> None:
        last_progress = time.monotonic()
        while not stop.is_set():
            before = rows.in_flight
            room = self._limits.window - before
            if room > 0:
                self._rejected(rows.send(room))
            self._note_in_flight(rows)
            if rows.in_flight == before:
                self._wait_for_wake()
            settled = rows.settle()
            self._settled(settled)
            if settled.acknowledged or settled.rejected or rows.in_flight == 0:
                last_progress = time.monotonic()
            elif time.monotonic() - last_progress > self._limits.stalled:
                raise Unreachable(f"no acknowledgement within {self._limits.stalled} s")

    def _drain(self, rows: RowsInFlight) -> None:
        try:
            rows.flush(self._limits.drain)
        finally:
            self._settled(rows.settle())

    def _wait_for_wake(self) -> None:
        self.wake.wait(_IDLE_SECONDS)
        self.wake.clear()

    def _connected(self, recovered: int) -> None:
        self.state = replace(self.state, connected=True, last_error=None, recovered=self.state.recovered + recovered)
        metrics.CONNECTED.labels(self._topic).set(1)
        metrics.RECOVERED.labels(self._topic).inc(recovered)
        _log.info("publishing", topic=self._topic, recovered=recovered)

    def _settled(self, settled: Settled) -> None:
        self.state = replace(
            self.state,
            published=self.state.published + len(settled.stored),
            duplicates=self.state.duplicates + len(settled.duplicates),
        )
        metrics.PUBLISHED.labels(self._topic, "stored").inc(len(settled.stored))
        metrics.PUBLISHED.labels(self._topic, "duplicate").inc(len(settled.duplicates))
        self._rejected(settled.rejected)
        if settled.acknowledged:
            self._failures = 0
        if settled.failure is not None:
            raise settled.failure

    def _rejected(self, rejected: Mapping[int, str]) -> None:
        for sequence, error in rejected.items():
            _log.error(
                "message rejected: no broker accepts it; it is kept aside in the outbox",
                topic=self._topic,
                seq=sequence,
                error=error,
            )
        self.state = replace(self.state, rejected=self.state.rejected + len(rejected))
        metrics.REJECTED.labels(self._topic).inc(len(rejected))

    def _note_in_flight(self, rows: RowsInFlight) -> None:
        self.state = replace(self.state, in_flight=rows.in_flight)
        metrics.IN_FLIGHT.labels(self._topic).set(rows.in_flight)

    def _renumber(self, conflict: SequenceConflict) -> None:
        self._outbox.renumber(self._new_spool_id())
        self.state = replace(self.state, renumbered=self.state.renumbered + 1)
        metrics.RENUMBERED.labels(self._topic).inc()
        _log.warning("outbox renumbered", topic=self._topic, why=str(conflict), spool_id=self._outbox.spool_id())

    def _failed(self, error: Exception) -> None:
        self._failures += 1
        text = f"{type(error).__name__}: {error}"
        self.state = replace(self.state, last_error=text, fenced=self._exclusive and isinstance(error, Fenced))
        metrics.RESTARTS.labels(self._topic, type(error).__name__).inc()
        # The outbox may be a file, whose disk may be full for as long as nobody frees it.
        if isinstance(error, BrokerError | OutboxUnavailable | sqlite3.OperationalError):
            _log.warning(
                "publishing failed; messages are kept and sent again",
                topic=self._topic,
                error=text,
                failures=self._failures,
            )
        else:
            _log.error(
                "publishing failed unexpectedly; messages are kept and sent again",
                topic=self._topic,
                failures=self._failures,
                exc_info=error,
            )


def _close(producer: Producer) -> None:
    with suppress(BrokerError):  # what was not confirmed is sent again
        producer.close()
