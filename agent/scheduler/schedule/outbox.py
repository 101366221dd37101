"""The store's outbox of one topic, as the publisher takes it."""

import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from sqlalchemy import Connection

from agent.broker.publish.outbox import Outbox, OutboxRow, OutboxUnavailable
from agent.store import leader, outbox
from agent.store.errors import LeadershipLost, StoreOutdated, StoreUnreachable
from agent.store.outbox import NumberedMessage, Numbering
from agent.store.store import Store


def _new_spool_id() -> str:
    return uuid.uuid4().hex


class StoreOutbox(Outbox):
    """The outbox of a topic in one term of the leader.

    Every change checks the epoch. After the term, changes raise OutboxUnavailable and change nothing; so the publisher
    sends nothing new, because it records before it sends.
    """

    def __init__(
        self, store: Store, *, topic: str, epoch: int, new_spool_id: Callable[[], str] = _new_spool_id
    ) -> None:
        self._store = store
        self._topic = topic
        self._epoch = epoch
        self._new_spool_id = new_spool_id

    def spool_id(self) -> str:
        """Begins a numbering if the topic has none.

        Checks the epoch, because who asks opens a producer next, which would take the topic from the leader's.
        """
        with self._leading():
            pass
        return self._numbering().spool_id

    def highest_sent(self) -> int:
        return self._numbering().sent

    def record_sent(self, sequence: int) -> None:
        with self._leading() as connection:
            outbox.record_sent(connection, self._topic, sequence)

    def unacknowledged(self, *, after: int, at_most: int) -> Sequence[OutboxRow]:
        """Also numbers messages that have no number yet."""
        with self._reading() as connection:
            found = outbox.numbered(connection, self._topic, after=after, at_most=at_most)
            enough = len(found) >= at_most or not outbox.waits(connection, self._topic)
        return [_row(message) for message in (found if enough else self._number(after, at_most, at_most - len(found)))]

    def acknowledge(self, sequences: Sequence[int]) -> None:
        with self._leading() as connection:
            outbox.acknowledge(connection, self._topic, sequences)

    def acknowledge_through(self, sequence: int) -> int:
        with self._leading() as connection:
            return outbox.acknowledge_through(connection, self._topic, sequence)

    def reject(self, sequence: int, *, error: str) -> None:
        with self._leading() as connection:
            outbox.reject(connection, self._topic, sequence, error=error)

    def renumber(self, spool_id: str) -> None:
        with self._leading() as connection:
            outbox.renumber(connection, self._topic, spool_id)

    def _numbering(self) -> Numbering:
        with self._reading() as connection:
            found = outbox.numbering(connection, self._topic)
        return self._begin() if found is None else found

    def _begin(self) -> Numbering:
        with self._leading() as connection:
            return outbox.begin(connection, self._topic, self._new_spool_id())

    def _number(self, after: int, at_most: int, missing: int) -> Sequence[NumberedMessage]:
        with self._leading() as connection:
            outbox.number(connection, self._topic, at_most=missing)
            return outbox.numbered(connection, self._topic, after=after, at_most=at_most)

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with _available(), self._store.read() as connection:
            yield connection

    @contextmanager
    def _leading(self) -> Iterator[Connection]:
        with _available(), self._store.write() as connection:
            leader.check(connection, self._epoch)
            yield connection


@contextmanager
def _available() -> Iterator[None]:
    try:
        yield
    except (StoreUnreachable, StoreOutdated, LeadershipLost) as error:
        raise OutboxUnavailable(str(error)) from error


def _row(message: NumberedMessage) -> OutboxRow:
    return OutboxRow(
        sequence=message.sequence,
        key=message.key,
        payload=message.payload,
        properties=message.properties,
        event_time=message.written_at,
    )
