"""One open producer and the rows in flight on it; ended by the first failure (reference/pulsar.md 3.3)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from typing import Final

from agent.broker.port import BrokerError, Fenced, Message, MessageTooLarge, Producer, SendOutcome, Unreachable
from agent.broker.publish.outbox import Outbox, OutboxRow

SPOOL_ID: Final = "spool_id"
SEQUENCE: Final = "sequence"
"""Properties of every message: which outbox it is from, and its number there."""

LARGEST_PAYLOAD: Final = 5 * 1024 * 1024 - 64 * 1024
"""Bytes; Pulsar's default limit less room for properties (reference/pulsar.md 3.2)."""

_Result = tuple[int, SendOutcome | BrokerError]


class SequenceConflict(Exception):
    """The broker knows numbers of this producer that the outbox does not: sending on would drop rows unseen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What has ended since the last look. ``failure`` is the first error that sending again may cure."""

    stored: Sequence[int] = ()
    duplicates: Sequence[int] = ()
    rejected: Mapping[int, str] = field(default_factory=dict)
    failure: BrokerError | None = None

    @property
    def acknowledged(self) -> Sequence[int]:
        """What the broker has, whether by this send or an earlier one."""
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
        """Acknowledge what the broker has although we were never told; how many rows that was.

        Raises SequenceConflict where the broker has more than was ever sent from this outbox: it was restored from a
        copy, and its new rows would pass for old ones.
        """
        last = self._producer.last_sequence_id()
        if last > self._outbox.highest_sent():
            raise SequenceConflict(
                f"the broker has {last}, this outbox sent no more than {self._outbox.highest_sent()}"
            )
        self._sent = max(last, 0)
        return self._outbox.acknowledge_through(last) if last > 0 else 0

    def send(self, at_most: int) -> Mapping[int, str]:
        """Send the next rows; gives those too large to be sent at all, with why. Raises Fenced or Unreachable."""
        rows = self._outbox.unacknowledged(after=self._sent, at_most=at_most)
        if not rows:
            return {}
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
        """Take what has ended, and record it in the outbox.

        Raises SequenceConflict where a row failed and a later one was stored, or may have been: the earlier number is
        spent then, and sent again under it the row would pass for a duplicate.
        """
        settled = self._take()
        if settled.acknowledged:
            self._outbox.acknowledge(settled.acknowledged)
        for sequence, error in settled.rejected.items():
            self._outbox.reject(sequence, error=error)
        self._refuse_spent_number(settled)
        return settled

    def _refuse_spent_number(self, settled: Settled) -> None:
        if self._failed_at is None:
            return
        overtaken = any(number > self._failed_at for number in settled.stored)
        alone = settled.failure is not None and not isinstance(settled.failure, Unreachable | Fenced)
        if overtaken or (alone and self._sent > self._failed_at):
            raise SequenceConflict(f"{self._failed_at} failed and a later row may be stored: its number is spent")

    def flush(self, timeout: float) -> None:
        """Wait until everything in flight has ended; raises Unreachable after ``timeout`` seconds."""
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
        failures = [one for one in ended if isinstance(one[1], BrokerError) and not isinstance(one[1], MessageTooLarge)]
        if failures and self._failed_at is None:
            self._failed_at = failures[0][0]
        return Settled(
            stored=[number for number, result in ended if result is SendOutcome.STORED],
            duplicates=[number for number, result in ended if result is SendOutcome.DUPLICATE],
            rejected={number: str(result) for number, result in ended if isinstance(result, MessageTooLarge)},
            failure=next((result for _, result in failures if isinstance(result, BrokerError)), None),
        )


def _drain(results: SimpleQueue[_Result]) -> list[_Result]:
    ended: list[_Result] = []
    while True:
        try:
            ended.append(results.get_nowait())
        except Empty:
            return ended


def _oversize(row: OutboxRow) -> str:
    return f"{len(row.payload)} bytes are more than the {LARGEST_PAYLOAD} a broker takes"
