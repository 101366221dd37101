"""Handles a batch of messages: decode, store, commit once. The consumer acknowledges."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from agent.broker.consume.consumer import NewerVersionNeeded, PoisonError, TransientError
from agent.broker.port import Delivery
from agent.core.job_event import JobEvent
from agent.core.run_event import RunEvent
from agent.lookout.changes import Changes
from agent.lookout.ingest.lag import Lag
from agent.lookout.ingest.messages import read
from agent.lookout.ingest.topics import kind_in
from agent.lookout.store.entries import Entry
from agent.lookout.store.fitting import fit
from agent.lookout.store.recording import Recorded, record
from agent.store import attempts
from agent.store.errors import StoreOutdated, StoreUnreachable
from agent.store.store import Store
from agent.telemetry import lookout_metrics as metrics
from agent.wire.error import TooNew, WireError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """Stores all messages of a batch or none. Storing one twice has the effect of once."""

    store: Store
    lag: Lag
    changes: Changes

    def handle(self, deliveries: Sequence[Delivery]) -> None:
        """Store what the batch says. Raises what ``ingest`` raises."""
        try:
            with self.lag.storing(deliveries):
                recorded = ingest(self.store, deliveries, self.changes)
        except TransientError:
            metrics.STORE_RETRIES.inc()
            raise
        metrics.FAILURES.inc(recorded.failures)
        metrics.RUNS.inc(recorded.runs)
        metrics.TOO_OLD.inc(recorded.too_old)
        for kind, number in Counter(kind_in(delivery.topic) for delivery in deliveries).items():
            metrics.STORED.labels(kind).inc(number)


def ingest(store: Store, deliveries: Sequence[Delivery], changes: Changes) -> Recorded:
    """Store what these messages say, all of them or none, and report which jobs they are about.

    Raises PoisonError if a message cannot be read, NewerVersionNeeded if only a later version can, TransientError if
    the database is unavailable, RowRefused if it refuses a row.
    """
    entries = _read_all(deliveries)
    try:
        with metrics.STORE_SECONDS.time(), _writing(store, entries, changes) as connection:
            return record(connection, entries)
    except (StoreUnreachable, StoreOutdated) as error:
        # Outdated: a process of a later version has migrated. This one waits, unready, until it is replaced.
        raise TransientError(f"the database does not take anything: {error}") from error


def _writing(store: Store, entries: Sequence[Entry], changes: Changes) -> AbstractContextManager[Connection]:
    """A transaction. Heartbeats change nothing of a job, and come all the time: they are not reported."""
    jobs = frozenset(job for entry in entries if (job := _job(entry)) is not None)
    return changes.writing(store, jobs) if jobs else store.write()


def _job(entry: Entry) -> str | None:
    """The job that an entry is about, by the name it is stored with."""
    match entry:
        case RunEvent():
            return fit("job_id", entry.identity.job_id)
        case JobEvent():
            return fit("job_id", entry.job_id)
        case _:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAttempts:
    """Counts failed attempts in the database; fits ``agent.broker.consume.batch.Attempts``."""

    store: Store
    clock: Callable[[], datetime]

    def failed(self, fingerprint: str, *, error: str) -> int:
        """Raises StoreError."""
        with self.store.write() as connection:
            return attempts.failed(connection, fingerprint, error=error, now=self.clock())

    def forget(self, fingerprint: str) -> None:
        """Raises StoreError."""
        with self.store.write() as connection:
            attempts.forget(connection, fingerprint)

    def dies(self, delivery: Delivery, *, subscription: str) -> None:
        """Nothing is kept of it: rows say what messages said, and this one is among the dead letters."""


def _read_all(deliveries: Sequence[Delivery]) -> list[Entry]:
    """Raises PoisonError and NewerVersionNeeded."""
    entries, newer = [], {}
    for place, delivery in enumerate(deliveries):
        try:
            entry = read(delivery)
        except TooNew as error:
            newer[place] = str(error)
        except WireError as error:
            # Counted once, when the consumer has narrowed the batch down to this message.
            if len(deliveries) == 1:
                metrics.UNREADABLE.inc()
            raise PoisonError(f"not a {kind_in(delivery.topic)}: {error}") from error
        else:
            entries += [] if entry is None else [entry]
    if newer:
        raise NewerVersionNeeded([deliveries[place] for place in newer], "; ".join(dict.fromkeys(newer.values())))
    return entries
