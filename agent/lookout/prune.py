"""Prunes the database, in a thread of its own: at start, every hour, and at once when the settings change."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Event
from typing import Final

import structlog

from agent.lookout.changes import Changes
from agent.lookout.store.pruning import TABLES, OtherPruner, Past, prune, time_of
from agent.process.clock import elapsed_time
from agent.settings.lookout import LookoutSettings
from agent.store.errors import StoreError
from agent.store.store import Store
from agent.telemetry import lookout_metrics as metrics

_log = structlog.get_logger(__name__)

_EVERY: Final = timedelta(hours=1)
_AFTER_ERROR: Final = timedelta(minutes=1)
_POLL: Final = timedelta(seconds=1)
"""How often changed settings are looked for."""
_LEAST_PAUSE: Final = 0.01
"""Seconds between two batches: SQLite has no queue of writers, so who stores needs the time to get in."""
_FIRST: Final = datetime.fromtimestamp(0, UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ages:
    """How old what is kept may be: ends of logs, and the rest."""

    logs: timedelta
    rest: timedelta

    @classmethod
    def of(cls, settings: LookoutSettings) -> "Ages":
        return cls(logs=settings.log_retention, rest=settings.retention)

    def past(self, now: datetime) -> Past:
        """What is past; nothing, if the age is longer than all time."""
        logs, rest = (now - min(age, now - _FIRST) for age in (self.logs, self.rest))
        return Past(logs=logs, rest=rest)


class Pruner:
    """Prunes what is past by ``ages``, which may change at any time. Errors of the database are tried again."""

    def __init__(self, store: Store, ages: Ages, changes: Changes, *, clock: Callable[[], datetime]) -> None:
        self.ages = ages
        self._store = store
        self._changes = changes
        self._clock = clock
        metrics.show_tables(*(table.name for table in TABLES))

    def run(self, stop: Event) -> None:
        """Until ``stop`` is set; a batch that has begun ends first."""
        while not stop.is_set():
            by = self.ages
            left = self.prune(by, stop)
            while left > timedelta(0) and self.ages == by and not stop.wait(_POLL.total_seconds()):
                left -= _POLL

    def prune(self, ages: Ages, stop: Event) -> timedelta:
        """Prune all that is past now; return after which time to do so again."""
        try:
            past = ages.past(time_of(self._store, self._clock))
            done = self._in_batches(past, stop)
        except OtherPruner:
            _log.debug("another process prunes")
        except StoreError as error:
            metrics.PRUNE_FAILURES.inc()
            _log.warning("pruning failed; will try again", error=str(error), seconds=_AFTER_ERROR.total_seconds())
            return _AFTER_ERROR
        else:
            if done:
                metrics.PRUNED_AT.set(self._clock().timestamp())
        return _EVERY

    def _in_batches(self, past: Past, stop: Event) -> bool:
        """Return whether all is done."""
        began, found = elapsed_time(), False
        for deleted in prune(self._store, past):
            found = found or any(deleted.values())
            for table, rows in deleted.items():
                metrics.PRUNED.labels(table).inc(rows)
            if stop.wait(max(elapsed_time() - began, _LEAST_PAUSE)):
                return False
            began = elapsed_time()
        if found:
            self._report()
        return True

    def _report(self) -> None:
        """Report that something has gone: once, when it all has."""
        with self._changes.writing(self._store, None):
            pass
