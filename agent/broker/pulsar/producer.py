"""A producer with our own sequence ids, no batching and no time limit in the library.

Batches break deduplication: the broker records one number for all of a batch. A send that times out may be stored
anyway. tests/broker/pulsar/test_traps.py shows what the library does.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from threading import Condition
from typing import Any, Final

import pulsar

from agent.broker.port import BrokerError, Done, Message, MessageTooLarge, SendOutcome, Unreachable
from agent.broker.pulsar.content import content_of
from agent.broker.pulsar.errors import outcome_error, translated

WINDOW: Final = 1000
"""Most messages in flight."""


@dataclass(slots=True)
class _Sent:
    sequence_id: int
    done: Done
    result: SendOutcome | BrokerError | None = None


class PulsarProducer:
    """Fits ``agent.broker.port.Producer``. ``patience``: seconds that ``send`` waits while the window is full."""

    def __init__(self, producer: pulsar.Producer, topic: str, *, patience: float) -> None:
        """``producer`` must be new: later, its last sequence id may be one that the broker does not have."""
        self._producer = producer
        self._doing = f"sending to {topic}"
        self._patience = patience
        self._last = int(producer.last_sequence_id())
        self._in_flight: deque[_Sent] = deque()
        self._changed = Condition()
        self._ended_by: BrokerError | None = None
        self._closed = False

    def last_sequence_id(self) -> int:
        """The highest sequence id known to be stored; -1 if none is."""
        with self._changed:
            return self._last

    def send(self, message: Message, *, sequence_id: int, done: Done) -> None:
        if sequence_id < 1:
            raise ValueError(f"sequence ids start at 1; the library would take {sequence_id} as unset")
        sent = _Sent(sequence_id, done)
        self._enqueue(sent)
        try:
            with translated(self._doing):
                self._producer.send_async(callback=self._callback(sent), sequence_id=sequence_id, **content_of(message))
        except BrokerError as error:
            self._complete(sent, error)
        except (UnicodeEncodeError, ValueError, OverflowError) as error:
            self._complete(sent, MessageTooLarge(f"{self._doing}: it cannot be encoded: {error}"))

    def flush(self, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: not self._in_flight, timeout):
                raise Unreachable(f"{self._doing}: {len(self._in_flight)} not acknowledged within {timeout} s")

    def close(self) -> None:
        """Release the name; what is in flight ends with Unreachable."""
        with self._changed:
            closed, self._closed = self._closed, True
            if self._ended_by is None:
                self._ended_by = Unreachable(f"{self._doing}: the producer is closed")
        if closed:
            return
        try:
            with translated(self._doing):
                self._producer.close()
        finally:
            self._fail_all()

    def _enqueue(self, sent: _Sent) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._ended_by is not None or self._may_send(sent), self._patience):
                raise Unreachable(f"{self._doing}: messages that wait to be acknowledged: {len(self._in_flight)}")
            if self._ended_by is not None:
                raise self._ended_by
            self._in_flight.append(sent)

    def _may_send(self, sent: _Sent) -> bool:
        """With a lower id in flight behind a higher one, the broker cannot tell duplicates and cuts the connection."""
        rises = not self._in_flight or sent.sequence_id > self._in_flight[-1].sequence_id
        return rises and len(self._in_flight) < WINDOW

    def _callback(self, sent: _Sent) -> Callable[[Any, Any], None]:
        def completed(result: Any, message_id: Any) -> None:  # noqa: ANN401 - the library has no types
            if result != pulsar.Result.Ok:
                self._complete(sent, outcome_error(self._doing, result))
            elif message_id.ledger_id() == -1:  # how a broker reports that it dropped a duplicate
                self._complete(sent, SendOutcome.DUPLICATE)
            else:
                self._complete(sent, SendOutcome.STORED)

        return completed

    def _complete(self, sent: _Sent, result: SendOutcome | BrokerError) -> None:
        """Record how a send ended, and report every send that has ended with none before it in flight."""
        with self._changed:
            if sent.result is not None:
                return
            sent.result = result
            while self._in_flight and (ended := self._in_flight[0]).result is not None:
                self._in_flight.popleft()
                self._record(ended.sequence_id, ended.result)
                ended.done(ended.result)
            self._changed.notify_all()

    def _record(self, sequence_id: int, result: SendOutcome | BrokerError) -> None:
        if not isinstance(result, BrokerError):
            self._last = max(self._last, sequence_id)
        elif not isinstance(result, MessageTooLarge) and self._ended_by is None:
            self._ended_by = result

    def _fail_all(self) -> None:
        with self._changed:
            for sent in tuple(self._in_flight):
                self._complete(sent, Unreachable(f"{self._doing}: the producer was closed before an answer came"))
