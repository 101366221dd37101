"""The leader finds out which messages of clusters were lost, by the numbers that are missing."""

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import structlog
from sqlalchemy import Connection

from agent.broker.port import Acknowledged, Broker, BrokerError
from agent.scheduler.consume.handler import SUBSCRIPTION
from agent.scheduler.schedule.slices import Fence
from agent.store import sequences
from agent.store.sequences import Gap
from agent.store.store import Store
from agent.telemetry import scheduler_metrics as metrics
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

OVERDUE: Final = timedelta(minutes=15)
"""How long a missing message may be late where the broker does not say what it still has.

One that is given back comes again within seconds. Only one that waits for a newer scheduler takes longer.
"""

KEPT: Final = timedelta(days=7)
"""How long a gap is shown, and suspends conclusions about the runs of before."""

SILENT: Final = timedelta(days=30)
"""How long a spool is known from which nothing comes any more."""

_EVERY: Final = 5.0
_FORGET_EVERY: Final = 3600.0


class Gaps:
    """Joins the numbers that consumers add, and marks as lost what the broker does not have any more.

    A number is missing while its message is on its way, too: another scheduler has it, or it was given back. So a gap
    is lost only if everything in front of the message behind it is acknowledged, and it is still there.
    """

    def __init__(
        self,
        store: Store,
        broker: Broker,
        *,
        clock: Callable[[Connection], datetime],
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._broker = broker
        self._clock = clock
        self._elapsed = elapsed
        self._due = self._forget_due = 0.0
        self._failures: dict[str, Repetition] = defaultdict(Repetition)

    def run(self, fence: Fence) -> None:
        """Look, if it is time. Raises LeadershipLost, StoreError."""
        elapsed = self._elapsed()
        if elapsed < self._due:
            return
        self._due = elapsed + _EVERY
        self._join(fence)
        with self._store.read() as connection:
            now, there = self._clock(connection), sequences.gaps(connection)
        if lost := self._lost([gap for gap in there if gap.lost_at is None], now):
            self._mark(lost, fence)
        if elapsed >= self._forget_due:
            self._forget_due = elapsed + _FORGET_EVERY
            self._forget(fence)
        with self._store.read() as connection:
            metrics.GAPS.set(sum(gap.lost_at is not None for gap in sequences.gaps(connection)))

    def _join(self, fence: Fence) -> None:
        while self._any_added():
            with self._store.write() as connection:
                fence(connection)
                sequences.join(connection)

    def _any_added(self) -> bool:
        """Asked without the write lock of SQLite, for which consumers would wait."""
        with self._store.read() as connection:
            return sequences.any_added(connection)

    def _lost(self, missing: Sequence[Gap], now: datetime) -> list[Gap]:
        """Those whose messages the broker has no more, or that are overdue if it does not say."""
        known: dict[str, Acknowledged | None] = {}
        for gap in missing:
            if gap.topic not in known:
                known[gap.topic] = self._acknowledged(gap.topic)
        return [gap for gap in missing if _is_lost(gap, known, now)]

    def _acknowledged(self, topic: str) -> Acknowledged | None:
        try:
            return self._broker.acknowledged(topic, SUBSCRIPTION)
        except BrokerError as error:
            if self._failures[topic].is_due(str(error)):
                _log.warning("the broker does not say what it still has; asking again", topic=topic, error=str(error))
            return None

    def _mark(self, lost: list[Gap], fence: Fence) -> None:
        with self._store.write() as connection:
            fence(connection)
            # What was acknowledged before the broker answered was committed before, too: now it is seen.
            while sequences.join(connection):
                pass
            marked = sequences.mark_lost(connection, lost, now=self._clock(connection))
        for gap in marked:
            metrics.LOST.inc(gap.through - gap.after)
            _log.error(
                "messages of a cluster were lost; nothing is concluded from lists about runs of before",
                topic=gap.topic,
                spool=gap.spool_id,
                first=gap.first,
                last=gap.through,
                sent_before=gap.noticed_at.isoformat(),
            )

    def _forget(self, fence: Fence) -> None:
        with self._store.write() as connection:
            fence(connection)
            now = self._clock(connection)
            forgotten = sequences.forget(connection, lost_before=now - KEPT, silent_since=now - SILENT)
        for gap in forgotten:
            _log.warning(
                "a gap is no longer shown, and suspends nothing any more",
                topic=gap.topic,
                spool=gap.spool_id,
                first=gap.first,
                last=gap.through,
            )


def _is_lost(gap: Gap, known: Mapping[str, Acknowledged | None], now: datetime) -> bool:
    acknowledged = known[gap.topic]
    if acknowledged is None or not gap.position:
        return now - gap.noticed_at >= OVERDUE
    return acknowledged.before(gap.position)
