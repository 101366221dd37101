"""Stores again what the topics still have, through the same handler as the process."""

import heapq
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice, takewhile
from operator import attrgetter
from typing import Final, Self

from agent.broker.consume.consumer import NewerVersionNeeded, TransientError
from agent.broker.port import Broker, Delivery, TopicReader
from agent.lookout.changes import Changes
from agent.lookout.ingest.handler import ingest
from agent.lookout.ingest.topics import consumed_topics
from agent.lookout.upkeep.counts import repair
from agent.store.store import Store

__all__ = ["LeftOut", "Replay", "TransientError", "first_messages", "history"]

_BATCH: Final = 500
_PAGE: Final = 100
_PAGES: Final = 5_000
"""Messages of a topic that are in memory at a time, and of all topics: each may be megabytes."""

LeftOut = Callable[[Delivery, str], None]
"""Called for each message that cannot be stored, with the reason."""


@contextmanager
def history(broker: Broker, *, since: datetime | None) -> Iterator[Iterator[Delivery]]:
    """What all topics retain that was published at ``since`` or later, in the order of publication.

    So everything from before the last one was given already, as far as producers' clocks go alike. Raises BrokerError.
    """
    with ExitStack() as stack:
        names = consumed_topics(broker)
        at_most = max(1, min(_PAGE, _PAGES // max(len(names), 1)))
        readers = [stack.enter_context(closing(broker.reader(name, since=since))) for name in names]
        yield heapq.merge(*(_messages(reader, at_most) for reader in readers), key=attrgetter("published_at"))


def _messages(reader: TopicReader, at_most: int) -> Iterator[Delivery]:
    while page := reader.read(at_most=at_most):
        yield from page


def first_messages(broker: Broker, *, since: datetime | None) -> Iterator[tuple[str, datetime | None]]:
    """Each topic, and when the first message was published that ``history`` gives of it. Raises BrokerError."""
    for name in sorted(consumed_topics(broker)):
        with closing(broker.reader(name, since=since)) as reader:
            first = next(iter(reader.read(at_most=1)), None)
        yield name, None if first is None else first.published_at


@dataclass(kw_only=True)
class Replay:
    """Stores messages again, and counts. ``reached``: when the last of them was published.

    ``unreadable`` could not be read, or the database refused them. ``newer`` are those that only a later version can
    read. Neither is put anywhere: what the process could not handle is among its dead letters already. ``recounted``:
    counts that were different from the rows at the end, because somebody had deleted rows and not what they counted.
    """

    store: Store
    left_out: LeftOut
    changes: Changes = field(default_factory=Changes)
    messages: int = 0
    first: datetime | None = None
    reached: datetime | None = None
    unreadable: int = 0
    newer: int = 0
    too_old: int = 0
    changed: int = 0
    recounted: int = 0
    _until: datetime | None = None

    def run(self, broker: Broker, *, since: datetime | None) -> Iterator[Self]:
        """Store what all topics retain from ``since`` on; give control back after each batch.

        Raises TransientError if the database is unavailable, and BrokerError. What was stored stays.
        """
        with history(broker, since=since) as messages:
            yield from self.take(messages)
        if self._until is not None:
            yield from self._again(broker, since=since, until=self._until)
        self.recounted = len(repair(self.store))

    def _again(self, broker: Broker, *, since: datetime | None, until: datetime) -> Iterator[Self]:
        """Store what was too old at first, if the run or job that it is about has been stored since.

        A run is stored by the first message from after the horizon, and then takes also what is from before.
        """
        second = type(self)(store=self.store, left_out=_ignore)
        with history(broker, since=since) as messages:
            yield from second.take(takewhile(lambda delivery: delivery.published_at <= until, messages))
        self.too_old = second.too_old
        self.changed += second.changed

    def take(self, messages: Iterator[Delivery]) -> Iterator[Self]:
        """Store these messages; give control back after each batch."""
        while batch := list(islice(messages, _BATCH)):
            before = self.too_old
            self._store(batch)
            self.messages += len(batch)
            self.first = self.first or batch[0].published_at
            self.reached = batch[-1].published_at
            if self.too_old > before:
                self._until = self.reached
            yield self

    def _store(self, batch: Sequence[Delivery]) -> None:
        """Store a batch but for what cannot be stored, which is found by halves."""
        try:
            recorded = ingest(self.store, batch, self.changes)
        except TransientError:
            raise
        except NewerVersionNeeded as error:
            self._leave_out_newer(batch, error)
        except Exception as error:  # noqa: BLE001 - as in the process: whatever a message does, the others are stored
            if len(batch) == 1:
                self.unreadable += 1
                self.left_out(batch[0], str(error))
                return
            middle = len(batch) // 2
            self._store(batch[:middle])
            self._store(batch[middle:])
        else:
            self.too_old += recorded.too_old
            self.changed += recorded.changed

    def _leave_out_newer(self, batch: Sequence[Delivery], error: NewerVersionNeeded) -> None:
        newer = {id(delivery) for delivery in error.deliveries}
        self.newer += len(newer)
        if rest := [delivery for delivery in batch if id(delivery) not in newer]:
            self._store(rest)


def _ignore(_delivery: Delivery, _why: str) -> None:
    """It was said before."""
