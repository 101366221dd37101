"""The outbox in the spool: rows the broker has not acknowledged yet, and their outcome."""

import json
import sqlite3
from collections.abc import Sequence
from typing import Final

from agent.broker.publish.outbox import OutboxRow
from agent.cluster.spool.changes import EPOCH, MICROSECOND
from agent.cluster.spool.entries import LISTS
from agent.cluster.spool.schema import read_meta, write_meta
from agent.json_reader.reader import read_value

_DROPPED: Final = "dropped"
"""The highest number of an acknowledged row that was dropped."""


def unacknowledged(db: sqlite3.Connection, *, after: int, at_most: int) -> Sequence[OutboxRow]:
    """Rows the broker has not acknowledged whose sequence is above ``after``, lowest first."""
    dropped = int(read_meta(db, _DROPPED) or 0)
    rows = db.execute(
        "SELECT seq, (SELECT max(earlier.seq) FROM outbox earlier WHERE earlier.seq < outbox.seq), key, payload,"
        " properties, event_us FROM outbox WHERE acked = 0 AND seq > ? ORDER BY seq LIMIT ?",
        (after, at_most),
    )
    return [
        OutboxRow(
            sequence=seq,
            previous=max(
                (number for number in (earlier, dropped) if number is not None and number < seq), default=seq - 1
            ),
            key=key,
            payload=payload,
            properties=read_value(properties.encode()),
            event_time=EPOCH + event_us * MICROSECOND,
        )
        for seq, earlier, key, payload, properties, event_us in rows.fetchall()
    ]


def acknowledge(db: sqlite3.Connection, sequences: Sequence[int], *, keep: int) -> frozenset[str]:
    """Mark these as stored by the broker; ``keep`` of them stay, none of a list. Returns the uids of their pods."""
    uids = pods_of(db, sequences)
    db.executemany("UPDATE outbox SET acked = 1 WHERE seq = ?", [(sequence,) for sequence in sequences])
    _drop_acknowledged(db, "seq <= ?", last_sequence(db) - keep)
    if LISTS in uids:
        _drop_acknowledged(db, "event_id IN (SELECT event_id FROM reported WHERE pod_uid = ?)", LISTS)
    return uids


def drop_acknowledged(db: sqlite3.Connection) -> int:
    """Drop what the broker has acknowledged; return how many rows that was."""
    return _drop_acknowledged(db, "seq <= ?", last_sequence(db))


def _drop_acknowledged(db: sqlite3.Connection, which: str, given: int | str) -> int:
    """Drop these of the acknowledged rows. Their numbers stay known: what comes next says which message it follows."""
    last = db.execute(f"SELECT max(seq) FROM outbox WHERE acked = 1 AND {which}", (given,)).fetchone()[0]  # noqa: S608 - ours
    if last is None:
        return 0
    write_meta(db, _DROPPED, str(max(last, int(read_meta(db, _DROPPED) or 0))))
    return db.execute(f"DELETE FROM outbox WHERE acked = 1 AND {which}", (given,)).rowcount  # noqa: S608 - ours


def drop_lists(db: sqlite3.Connection) -> int:
    """Drop the pages of lists that were not handed to the broker; return how many that was."""
    return db.execute(
        "DELETE FROM outbox WHERE acked = 0 AND seq > ? AND event_id IN"
        " (SELECT event_id FROM reported WHERE pod_uid = ?)",
        (int(read_meta(db, "highest_sent") or 0), LISTS),
    ).rowcount


def reject(db: sqlite3.Connection, sequence: int, *, error: str) -> None:
    """Move a row to the rejected ones, permanently, with the error."""
    db.execute(
        "INSERT OR REPLACE INTO rejected SELECT event_id, key, payload, properties, event_us, created_us, ?"
        " FROM outbox WHERE seq = ?",
        (error, sequence),
    )
    db.execute("DELETE FROM outbox WHERE seq = ?", (sequence,))


def renumber(db: sqlite3.Connection, spool_id: str) -> None:
    """Number unacknowledged rows from 1 in their order, and drop acknowledged ones. ``spool_id`` must be a new one."""
    db.execute("DELETE FROM outbox WHERE acked = 1")
    waiting = [seq for (seq,) in db.execute("SELECT seq FROM outbox ORDER BY seq").fetchall()]
    numbers = list(enumerate(waiting, start=1))
    # By way of negative numbers, because a new number may still belong to another row.
    db.executemany("UPDATE outbox SET seq = ? WHERE seq = ?", [(-new, old) for new, old in numbers])
    db.execute("UPDATE outbox SET seq = -seq")
    db.execute("UPDATE sqlite_sequence SET seq = ? WHERE name = 'outbox'", (len(waiting),))
    write_meta(db, "spool_id", spool_id)
    write_meta(db, "highest_sent", "0")
    write_meta(db, _DROPPED, "0")


def last_sequence(db: sqlite3.Connection) -> int:
    """The highest sequence ever given under this spool id; 0 if none was. Trimming rows does not lower it."""
    row = db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").fetchone()
    return 0 if row is None else int(row[0])


def pods_of(db: sqlite3.Connection, sequences: Sequence[int]) -> frozenset[str]:
    """The uids of the pods that these rows are about and that still exist."""
    rows = db.execute(
        "SELECT DISTINCT pod_uid FROM outbox JOIN reported USING (event_id)"
        " WHERE seq IN (SELECT value FROM json_each(?))",
        (json.dumps(list(sequences)),),
    )
    return frozenset(uid for (uid,) in rows)
