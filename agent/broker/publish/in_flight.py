"""The rows in flight on one open producer, which ends with the first failure.

The broker keeps only the highest sequence id of a producer (PIP-6). If rows behind a failed one were stored, it would
drop the failed one as a duplicate when it is sent again.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final

from agent.broker.port import BrokerError, Fenced, Message, MessageTooLarge, Producer, SendOutcome, Unreachable
from agent.broker.publish.outbox import Outbox, OutboxRow

SPOOL_ID: Final = "spool_id"
SEQUENCE: Final = "sequence"
"""Properties of every message: which outbox it is from, and its number there."""

PREVIOUS: Final = "previous"
"""Property of messages whose outbox knows it: the number of the message before it, so that lost ones are noticed."""

LARGEST_PAYLOAD: Final = 5 * 1024 * 1024 - 64 * 1024
"""Bytes: Pulsar's default limit (``maxMessageSize`` in broker.conf), less room for properties."""

_Result = tuple[int, SendOutcome | BrokerError]


class SequenceConflict(Exception):
    """The broker knows sequence ids of this producer that the outbox does not: it would drop new rows as duplicates."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The sends that ended since the last call. ``failure`` is the first error after which sending again may work."""

    stored: Sequence[int] = ()
    duplicates: Sequence[int] = ()
    rejected: Mapping[int, str] = field(default_factory=dict)
    failure: BrokerError | None = None

    @property
    def acknowledged(self) -> Sequence[int]:
        """Rows that the broker has, from this send or an earlier one."""
        return (*self.stored, *self.duplicates)


class RowsInFlight:
    """Rows in flight on one producer. Used by one thread; results may arrive on another."""

    def __init__(self, producer: Producer, outbox: Outbox, *, source: str, arrived: Callable[[], None]) -> None:
        self._producer = producer
        self._outbox = outbox
        self._spool_id = outbox.spool_id()
        self._source = source
        self._arrived = arrived
        self._results: SimpleQueue[_Result] = SimpleQueue()
        self._failed_at: int | None = None
        self._sent = 0
        self.in_flight = 0

    def recover(self) -> int:
        """Acknowledge rows that the broker has although no acknowledgement reached us; return how many.

        Raises SequenceConflict if the broker has more than this outbox ever sent: the outbox was restored from a copy,
        and the broker would take its new rows for old ones.
        """
        last = self._producer.last_sequence_id()
        if last > self._outbox.highest_sent():
            sent = self._outbox.highest_sent()
            raise SequenceConflict(f"the broker has sequence {last}, this outbox sent no more than {sent}")
        self._sent = max(last, 0)
        return self._outbox.acknowledge_through(last) if last > 0 else 0

    def send(self, at_most: int) -> Mapping[int, str]:
        """Send the next rows; return those too large for any broker, with the reason. Raises Fenced or Unreachable."""
        rows = self._outbox.unacknowledged(after=self._sent, at_most=at_most)
        if not rows:
            return {}
        # Durable before the first send: after a crash, recover() must know the highest number the broker may hold.
        self._outbox.record_sent(rows[-1].sequence)
        too_large = {row.sequence: _oversize(row) for row in rows if len(row.payload) > LARGEST_PAYLOAD}
        for sequence, error in too_large.items():
            self._outbox.reject(sequence, error=error)
        for row in rows:
            self._sent = row.sequence
            if row.sequence not in too_large:
                self._send(row)
        return too_large

    def settle(self) -> Settled:
        """Record in the outbox the sends that have ended.

        Raises SequenceConflict if a row failed and a later one was stored, or may have been: the broker would take the
        failed row for a duplicate if it were sent again under its number.
        """
        settled = self._take()
        if settled.acknowledged:
            self._outbox.acknowledge(settled.acknowledged)
        for sequence, error in settled.rejected.items():
            self._outbox.reject(sequence, error=error)
        self._refuse_overtaken(settled)
        return settled

    def _refuse_overtaken(self, settled: Settled) -> None:
        if self._failed_at is None:
            return
        overtaken = any(number > self._failed_at for number in settled.stored)
        # After Unreachable or Fenced nothing later was stored (the port says so); any other error leaves that open.
        alone = settled.failure is not None and not isinstance(settled.failure, Unreachable | Fenced)
        if overtaken or (alone and self._sent > self._failed_at):
            raise SequenceConflict(
                f"sequence {self._failed_at} failed and a later one may be stored, so that it cannot be sent again"
            )

    def flush(self, timeout: float) -> None:
        """Wait until every send has ended; raises Unreachable after ``timeout`` seconds."""
        self._producer.flush(timeout)

    def _send(self, row: OutboxRow) -> None:
        message = Message(
            key=row.key,
            payload=row.payload,
            properties={
                **row.properties,
                "source": self._source,
                SPOOL_ID: self._spool_id,
                SEQUENCE: str(row.sequence),
                **({} if row.previous is None else {PREVIOUS: str(row.previous)}),
            },
            event_time=row.event_time,
        )
        self._producer.send(message, sequence_id=row.sequence, done=self._done(row.sequence))
        self.in_flight += 1

    def _done(self, sequence: int) -> Callable[[SendOutcome | BrokerError], None]:
        def done(result: SendOutcome | BrokerError) -> None:
            self._results.put((sequence, result))
            self._arrived()

        return done

    def _take(self) -> Settled:
        ended = _drain(self._results)
        self.in_flight -= len(ended)
        failures = [
            (number, result)
            for number, result in ended
            if isinstance(result, BrokerError) and not isinstance(result, MessageTooLarge)
        ]
        if failures and self._failed_at is None:
            self._failed_at = failures[0][0]
        return Settled(
            stored=[number for number, result in ended if result is SendOutcome.STORED],
            duplicates=[number for number, result in ended if result is SendOutcome.DUPLICATE],
            rejected={number: str(result) for number, result in ended if isinstance(result, MessageTooLarge)},
            failure=next((result for _, result in failures), None),
        )


def _drain(results: SimpleQueue[_Result]) -> list[_Result]:
    ended: list[_Result] = []
    while True:
        try:
            ended.append(results.get_nowait())
        except Empty:
            return ended


def _oversize(row: OutboxRow) -> str:
    return f"{len(row.payload)} bytes are more than the {LARGEST_PAYLOAD} that a broker accepts"
