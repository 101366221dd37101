"""The spool: what the agent must not lose, on disk before any action on a pod.

This is the step ``spool`` of docs/protocol.md (docs/protocol.md: spooled-before-action).

Five kinds of memory in one file: the outbox of events for the broker, events held until their pod is removed, the
standby buffer of events that another replica publishes, the ids of events reported of pods that still exist, and the
known pods. One transaction changes all of them, and is on disk when it returns (WAL, synchronous FULL).
"""

import json
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

import structlog

from agent.broker.publish.outbox import OutboxRow
from agent.cluster.spool import outbox, standby, time_scale
from agent.cluster.spool.changes import EPOCH, MICROSECOND, remember
from agent.cluster.spool.entries import Known, RunList, SpoolEntry
from agent.cluster.spool.file import SpoolLock, damaged_spools, quarantine
from agent.cluster.spool.quota import Quota, SpoolFull
from agent.cluster.spool.schema import SpoolDamaged, SpoolError, open_database, read_meta, write_meta
from agent.open_file import OpenFile
from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

MAX_EVENTS: Final = 1_000_000
"""How many events that the broker does not have a spool takes by default."""

Settled = Callable[[frozenset[str]], None]
"""Called with the uids of pods of which every report is now with the broker, on the publisher's thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpoolState:
    """The state of the spool. Sequences are 0 before the first; ``oldest_waiting`` is when it was spooled.

    ``damaged``: how many damaged spools are next to it.
    """

    spool_id: str
    last_spooled: int
    last_acknowledged: int
    waiting: int
    oldest_waiting: datetime | None
    rejected: int
    buffered: int
    bytes: int
    damaged: int


class Spool:
    """A cluster's spool; also the ``Outbox`` of its publisher. Safe to use from several threads.

    If the disk refuses (full, or ``max_bytes`` reached) calls raise sqlite3.OperationalError and change nothing.
    """

    def __init__(self, connection: sqlite3.Connection, lock: SpoolLock, *, path: Path, keep: int, quota: Quota) -> None:
        self._connection = connection
        self._file_lock = lock
        self._path = path
        self._file = OpenFile.at(path)
        self._keep = keep
        self._quota = quota
        self._thread_lock = threading.RLock()
        self._settled: Settled = _ignore
        self._leads = True

    @classmethod
    def open(
        cls, path: Path, *, cluster: str, max_bytes: int, keep_acknowledged: int, max_events: int = MAX_EVENTS
    ) -> Self:
        """Open or make the spool of a cluster; a damaged one of ours is moved aside for a new one.

        Raises SpoolError if it cannot be used or another process uses it.
        """
        lock = SpoolLock.take(path)
        try:
            try:
                connection = open_database(path, cluster=cluster, max_bytes=max_bytes)
            except SpoolDamaged as damage:
                quarantine(path, damage, ours=lock.is_marked)
                connection = open_database(path, cluster=cluster, max_bytes=max_bytes)
            lock.mark()
        except SpoolError:
            lock.release()
            raise
        return cls(connection, lock, path=path, keep=keep_acknowledged, quota=Quota(at_most=max_events))

    def close(self) -> None:
        """Close the file and release its lock."""
        with self._thread_lock:
            self._connection.close()
        self._file_lock.release()

    def bind(self, cluster_id: str) -> None:
        """Bind the spool to the uid of a cluster. Raises SpoolError if it was bound to another."""
        with self._transaction() as db:
            known = read_meta(db, "cluster_id")
            if known is not None and known != cluster_id:
                raise SpoolError(f"{self._path}: the spool belongs to the cluster with id {known}, not {cluster_id}")
            write_meta(db, "cluster_id", cluster_id)

    def clock_was_right(self, *, now: datetime) -> bool:
        """Whether the clock of the last process was; if not, what it buffered counts as spooled ``now``."""
        with self._transaction() as db:
            if time_scale.was_right(db):
                return True
            time_scale.restamp(db, now_us=(now - EPOCH) // MICROSECOND)
        return False

    def mark_clock(self, *, right: bool) -> None:
        with self._transaction() as db:
            time_scale.mark(db, right=right)

    def on_settled(self, settled: Settled) -> None:
        """Call ``settled`` from now on."""
        self._settled = settled

    def commit(self, entries: Sequence[SpoolEntry], *, now: datetime) -> frozenset[str]:
        """Apply all entries in one transaction, in their order. Returns the ids of the events that are new.

        If there is no room, it drops what it can and tries again. Also raises SpoolFull.
        """
        try:
            return self._commit(entries, now=now)
        except SpoolFull:
            if not self._drop_lists():
                raise
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_FULL or not (self._drop_acknowledged() or self._drop_lists()):
                raise
        return self._commit(entries, now=now)

    def _drop_acknowledged(self) -> int:
        with self._transaction() as db:
            return outbox.drop_acknowledged(db)

    def _drop_lists(self) -> int:
        """Drop the pages that wait of a list of runs; there will be another one. Returns how many that was."""
        with self._transaction() as db:
            pages = outbox.drop_lists(db)
        if pages:
            metrics.RUN_LISTS_DROPPED.labels(metrics.ListDropped.SPOOL).inc()
            _log.warning("the spool is full, so a list of the pods of runs that waits in it is dropped", pages=pages)
        return pages

    def _commit(self, entries: Sequence[SpoolEntry], *, now: datetime) -> frozenset[str]:
        new: set[str] = set()
        with self._transaction() as db:
            if not self._leads:
                entries = [entry for entry in entries if not isinstance(entry, RunList)]
            self._quota.take(db, entries)
            last = outbox.last_sequence(db)
            for entry in entries:
                if (event_id := remember(db, entry, now=now)) is not None:
                    new.add(event_id)
            if not self._leads:  # first through the outbox, so that both roles run the same code for an entry
                standby.buffer(db, after=last)
        return frozenset(new)

    def become_leader(self) -> int:
        """Publish from now on, first the standby buffer. Returns how many events that was."""
        with self._transaction() as db:
            taken = standby.take_all(db)
            self._leads = True
        return taken

    def become_standby(self) -> None:
        """Put new messages into the standby buffer from now on, because another replica is the leader."""
        with self._thread_lock:
            self._leads = False

    def drop_published(self, *, before: datetime) -> int:
        """Drop from the standby buffer what was spooled before then, because the leader has published it."""
        with self._transaction() as db:
            return standby.drop_published(db, before_us=(before - EPOCH) // MICROSECOND)

    def known(self) -> Sequence[Known]:
        with self._thread_lock:
            rows = self._connection.execute("SELECT uid, entry FROM pod ORDER BY uid").fetchall()
        return [Known(uid=uid, entry=entry) for uid, entry in rows]

    def reported(self) -> Mapping[str, frozenset[str]]:
        """The ids of the events reported of each pod that still exists, by the pod's uid."""
        found: dict[str, set[str]] = {}
        with self._thread_lock:
            for uid, event_id in self._connection.execute("SELECT pod_uid, event_id FROM reported"):
                found.setdefault(uid, set()).add(event_id)
        return {uid: frozenset(event_ids) for uid, event_ids in found.items()}

    def settled(self, pod_uids: Collection[str]) -> frozenset[str]:
        """Those of these pods of which every report is with the broker and nothing is held."""
        wanted = json.dumps(list(pod_uids))
        with self._thread_lock:
            waiting = self._connection.execute(
                "SELECT pod_uid FROM reported JOIN outbox USING (event_id)"
                " WHERE acked = 0 AND pod_uid IN (SELECT value FROM json_each(?))"
                " UNION SELECT pod_uid FROM held WHERE pod_uid IN (SELECT value FROM json_each(?))"
                " UNION SELECT pod_uid FROM reported JOIN shelf USING (event_id)"
                " WHERE pod_uid IN (SELECT value FROM json_each(?))",
                (wanted, wanted, wanted),
            ).fetchall()
        return frozenset(pod_uids) - {uid for (uid,) in waiting}

    def held(self, event_id: str) -> bytes | None:
        """The payload that is held under this event id, if any."""
        with self._thread_lock:
            row = self._connection.execute("SELECT payload FROM held WHERE event_id = ?", (event_id,)).fetchone()
        return None if row is None else bytes(row[0])

    def state(self) -> SpoolState:
        with self._thread_lock:
            db = self._connection
            waiting, first = db.execute("SELECT count(*), min(seq) FROM outbox WHERE acked = 0").fetchone()
            oldest = db.execute("SELECT created_us FROM outbox WHERE seq = ?", (first,)).fetchone()
            last = outbox.last_sequence(db)
            return SpoolState(
                spool_id=self.spool_id(),
                last_spooled=last,
                last_acknowledged=last if first is None else first - 1,
                waiting=waiting,
                oldest_waiting=None if oldest is None else _time(oldest[0]),
                rejected=db.execute("SELECT count(*) FROM rejected").fetchone()[0],
                buffered=standby.buffered(db),
                bytes=sum(file.stat().st_size for file in self._files() if file.exists()),
                damaged=len(damaged_spools(self._path)),
            )

    def check(self) -> str | None:
        """Why nothing can be spooled durably now, checked by writing to the disk; ``None`` if spooling works.

        A file that was deleted or replaced takes everything, and loses it when the process ends.
        """
        try:
            with self._transaction() as db:
                self._quota.check(db)
                write_meta(db, "checked", datetime.now(UTC).isoformat())
        except (SpoolFull, sqlite3.Error) as error:
            return f"the spool takes nothing: {error}"
        problem = self._file.problem()
        return None if problem is None else f"the spool {self._path} {problem}"

    def spool_id(self) -> str:
        """Names this numbering: sequences are unique within it, and the producer's name holds it."""
        with self._thread_lock:
            return read_meta(self._connection, "spool_id") or ""

    def highest_sent(self) -> int:
        """The highest sequence handed to the broker under this spool id; 0 if none was."""
        with self._thread_lock:
            return int(read_meta(self._connection, "highest_sent") or 0)

    def record_sent(self, sequence: int) -> None:
        """Remember that rows up to this one are handed to the broker."""
        with self._transaction() as db:
            write_meta(db, "highest_sent", str(max(sequence, self.highest_sent())))

    def unacknowledged(self, *, after: int, at_most: int) -> Sequence[OutboxRow]:
        """Rows the broker has not acknowledged whose sequence is above ``after``, lowest first."""
        with self._thread_lock:
            return outbox.unacknowledged(self._connection, after=after, at_most=at_most)

    def acknowledge(self, sequences: Sequence[int]) -> None:
        """The broker has stored these. The oldest are trimmed, lists at once; their numbers are never used again."""
        with self._transaction() as db:
            uids = outbox.acknowledge(db, sequences, keep=self._keep)
        self._settled(self.settled(uids))

    def acknowledge_through(self, sequence: int) -> int:
        """The broker has stored every row up to this one. Returns how many were not acknowledged yet."""
        with self._thread_lock:
            rows = self._connection.execute("SELECT seq FROM outbox WHERE acked = 0 AND seq <= ?", (sequence,))
            sequences = [seq for (seq,) in rows.fetchall()]
            if sequences:
                self.acknowledge(sequences)
        return len(sequences)

    def reject(self, sequence: int, *, error: str) -> None:
        """The broker never accepts this one: keep it forever in ``rejected``, with the error. Its pod is released."""
        with self._transaction() as db:
            uids = outbox.pods_of(db, [sequence])
            outbox.reject(db, sequence, error=error)
        self._settled(self.settled(uids))

    def renumber(self, spool_id: str) -> None:
        """Begin a new numbering: unacknowledged rows from 1 in their order, acknowledged ones dropped, none sent."""
        with self._transaction() as db:
            outbox.renumber(db, spool_id)

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._thread_lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _files(self) -> tuple[Path, Path]:
        return self._path, self._path.with_name(self._path.name + "-wal")


def _ignore(pod_uids: frozenset[str]) -> None:
    del pod_uids


def _time(microseconds: int) -> datetime:
    return EPOCH + microseconds * MICROSECOND
