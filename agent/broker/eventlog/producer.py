"""A producer of an event log: sends are queued, and a thread commits all that wait in one transaction."""

import sqlite3
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Condition, Lock, Thread, current_thread
from typing import Final

import structlog

from agent.broker.eventlog.database import Clock, Database, microseconds, translated
from agent.broker.eventlog.fencing import SendRight, acquire_topic
from agent.broker.eventlog.topics import StoredMessage, append
from agent.broker.port import BrokerError, Done, Message, MessageTooLarge, SendOutcome, Unreachable

_log = structlog.get_logger(__name__)

LARGEST_MESSAGE: Final = 5 * 1024 * 1024
"""Bytes of payload; Pulsar's default."""

_WINDOW: Final = 1000
_COMMIT_AT_MOST: Final = 500
"""Bounds how long one transaction holds the write lock of the whole log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Send:
    message: Message
    sequence: int
    done: Done


_Ended = tuple[_Send, SendOutcome | BrokerError]


class LogProducer:
    """Sends to one topic under one name; opened by ``open_producer``."""

    def __init__(
        self,
        database: Database,
        connection: sqlite3.Connection,
        *,
        right: SendRight,
        clock: Clock,
    ) -> None:
        self._database = database
        self._connection = connection
        self._right = right
        self._clock = clock
        self._using = Lock()
        self._changed = Condition()
        self._waiting: deque[_Send] = deque()
        self._in_flight = 0
        self._ended_by: BrokerError | None = None
        self._thread = Thread(target=self._run, name=f"producer {right.name}", daemon=True)
        self._thread.start()

    @property
    def closed(self) -> bool:
        """Whether its thread has ended, after ``close`` or after a failure."""
        return not self._thread.is_alive()

    def last_sequence_id(self) -> int:
        """The highest sequence id stored for this name and topic; -1 where none is."""
        with translated(self._database.path), self._using:
            return self._right.last_sequence(self._connection)

    def send(self, message: Message, *, sequence_id: int, done: Done) -> None:
        """Queue one message. Raises what ended this producer; ValueError for an id below 1 or a key with surrogates."""
        if sequence_id < 1:
            raise ValueError(f"sequence ids start at 1, not at {sequence_id}")
        message.key.encode()  # raises UnicodeEncodeError here, not on the thread that commits
        with self._changed:
            while self._in_flight >= _WINDOW and self._ended_by is None:
                self._changed.wait()
            if self._ended_by is not None:
                raise self._ended_by
            self._waiting.append(_Send(message=message, sequence=sequence_id, done=done))
            self._in_flight += 1
            self._changed.notify_all()

    def flush(self, timeout: float) -> None:
        with self._changed:
            if not self._changed.wait_for(lambda: self._in_flight == 0, timeout):
                raise Unreachable(f"{self._in_flight} sends have not ended within {timeout} s")

    def close(self) -> None:
        """Stop; sends that still wait end with Unreachable. Safe to call from a ``done`` callback."""
        self._end(Unreachable("the producer is closed"))
        if current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while batch := self._next():
            self._finish(self._store(batch))
        self._finish([(send, self._ended_by or Unreachable("closed")) for send in self._drop()])
        self._leave()

    def _next(self) -> Sequence[_Send]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._ended_by is not None)
            if self._ended_by is not None:
                return ()
            return [self._waiting.popleft() for _ in range(min(len(self._waiting), _COMMIT_AT_MOST))]

    def _drop(self) -> Sequence[_Send]:
        with self._changed:
            dropped = tuple(self._waiting)
            self._waiting.clear()
            return dropped

    def _store(self, batch: Sequence[_Send]) -> Sequence[_Ended]:
        try:
            with self._using, self._database.transaction(self._connection):
                return self._insert(batch)
        except Exception as error:  # noqa: BLE001 - nothing may be stored after a failure: the failed row would pass for a duplicate
            ended_by = error if isinstance(error, BrokerError) else BrokerError(f"{type(error).__name__}: {error}")
            self._end(ended_by)
            return [(send, ended_by) for send in batch]

    def _insert(self, batch: Sequence[_Send]) -> Sequence[_Ended]:
        self._right.check(self._connection)
        last = self._right.last_sequence(self._connection)
        published_us = microseconds(self._clock())
        ended: list[_Ended] = []
        for send in batch:
            outcome = _outcome(send, last)
            if outcome is SendOutcome.STORED:
                last = send.sequence
                self._append(send, published_us)
            ended.append((send, outcome))
        self._right.record(self._connection, last)
        return ended

    def _append(self, send: _Send, published_us: int) -> None:
        stored = StoredMessage(
            message=send.message, producer=self._right.name, sequence=send.sequence, published_us=published_us
        )
        append(self._connection, self._right.topic, stored)

    def _finish(self, ended: Sequence[_Ended]) -> None:
        for send, outcome in ended:
            _report(send, outcome)
        with self._changed:
            self._in_flight -= len(ended)
            self._changed.notify_all()

    def _end(self, error: BrokerError) -> None:
        with self._changed:
            self._ended_by = self._ended_by or error
            self._changed.notify_all()

    def _leave(self) -> None:
        with self._using:
            try:
                with self._database.transaction(self._connection):
                    self._right.release(self._connection)
            except BrokerError as error:
                _log.warning(
                    "the producer could not release its topic; it stays held until another takes over",
                    producer=self._right.name,
                    error=str(error),
                )
            finally:
                self._connection.close()


def _outcome(send: _Send, last: int) -> SendOutcome | BrokerError:
    size = len(send.message.payload)
    if size > LARGEST_MESSAGE:
        return MessageTooLarge(f"{size} bytes, at most {LARGEST_MESSAGE} are taken")
    return SendOutcome.DUPLICATE if send.sequence <= last else SendOutcome.STORED


def _report(send: _Send, outcome: SendOutcome | BrokerError) -> None:
    try:
        send.done(outcome)
    except Exception:  # noqa: BLE001 - a bug in one callback must not end the thread that serves all sends
        _log.exception("the callback of a send raised", sequence=send.sequence)


def open_producer(database: Database, topic: str, *, name: str, exclusive: bool, clock: Clock) -> LogProducer:
    """Open a producer, fencing every earlier one of its name and, if ``exclusive``, of its topic.

    Raises Fenced if ``exclusive`` is false and another producer holds the topic exclusively.
    """
    connection = database.connect(durable=True)
    try:
        with database.transaction(connection):
            right = acquire_topic(connection, topic, name=name, exclusive=exclusive)
    except BaseException:
        connection.close()
        raise
    return LogProducer(database, connection, right=right, clock=clock)
