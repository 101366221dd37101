"""A producer: sequence ids are ours, nothing is batched, nothing times out in the library (reference/pulsar.md 2.1)."""

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
"""Messages in flight at most."""


@dataclass(slots=True)
class _Sent:
    sequence_id: int
    done: Done
    result: SendOutcome | BrokerError | None = None


class PulsarProducer:
    """Fits ``agent.broker.port.Producer``. ``patience``: seconds a full window is waited for."""

    def __init__(self, producer: pulsar.Producer, topic: str, *, patience: float) -> None:
        """``producer`` is new: asked later, the library may name a number the broker does not have."""
        self._producer = producer
        self._doing = f"sending to {topic}"
        self._patience = patience
        self._last = int(producer.last_sequence_id())
        self._flying: deque[_Sent] = deque()
        self._changed = Condition()
        self._over: BrokerError | None = None
        self._closed = False

    def last_sequence_id(self) -> int:
        """The highest sequence id that is known to be stored; -1 where none is."""
        with self._changed:
            return self._last

    def send(self, message: Message, *, sequence_id: int, done: Done) -> None:
        """Send without waiting, unless the window is full."""
        if sequence_id < 1:
            raise ValueError(f"sequence ids start at 1; the library takes {sequence_id} for none")
        sent = _Sent(sequence_id, done)
        self._take_off(sent)
        try:
            with translated(self._doing):
                self._producer.send_async(callback=self._landing(sent), sequence_id=sequence_id, **content_of(message))
        except BrokerError as error:
            self._land(sent, error)
        except (UnicodeEncodeError, ValueError, OverflowError) as error:
            self._land(sent, MessageTooLarge(f"{self._doing}: no encoding takes it: {error}"))

    def flush(self, timeout: float) -> None:
        """Wait until nothing is in flight."""
        with self._changed:
            if not self._changed.wait_for(lambda: not self._flying, timeout):
                raise Unreachable(f"{self._doing}: {len(self._flying)} not acknowledged within {timeout} s")

    def close(self) -> None:
        """Give the name back; what is in flight ends as Unreachable."""
        with self._changed:
            closed, self._closed = self._closed, True
            if self._over is None:
                self._over = Unreachable(f"{self._doing}: the producer is closed")
        if closed:
            return
        try:
            with translated(self._doing):
                self._producer.close()
        finally:
            self._end_all()

    def _take_off(self, sent: _Sent) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._over is not None or self._may_fly(sent), self._patience):
                raise Unreachable(f"{self._doing}: {len(self._flying)} messages wait to be acknowledged")
            if self._over is not None:
                raise self._over
            self._flying.append(sent)

    def _may_fly(self, sent: _Sent) -> bool:
        """A number sent beside a higher one makes the broker cut the connection: it cannot tell what it has."""
        rises = not self._flying or sent.sequence_id > self._flying[-1].sequence_id
        return rises and len(self._flying) < WINDOW

    def _landing(self, sent: _Sent) -> Callable[[Any, Any], None]:
        def landed(result: Any, message_id: Any) -> None:  # noqa: ANN401 - the library has no types
            if result != pulsar.Result.Ok:
                self._land(sent, outcome_error(self._doing, result))
            elif message_id.ledger_id() == -1:
                self._land(sent, SendOutcome.DUPLICATE)
            else:
                self._land(sent, SendOutcome.STORED)

        return landed

    def _land(self, sent: _Sent, result: SendOutcome | BrokerError) -> None:
        """Note how it ended, and tell of all that have ended with none before them still in flight."""
        with self._changed:
            if sent.result is not None:
                return
            sent.result = result
            while self._flying and (ended := self._flying[0]).result is not None:
                self._flying.popleft()
                self._note(ended.sequence_id, ended.result)
                ended.done(ended.result)
            self._changed.notify_all()

    def _note(self, sequence_id: int, result: SendOutcome | BrokerError) -> None:
        if not isinstance(result, BrokerError):
            self._last = max(self._last, sequence_id)
        elif not isinstance(result, MessageTooLarge) and self._over is None:
            self._over = result

    def _end_all(self) -> None:
        with self._changed:
            for sent in tuple(self._flying):
                self._land(sent, Unreachable(f"{self._doing}: the producer was closed before an answer came"))
