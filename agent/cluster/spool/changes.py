"""What each entry does to the tables of the spool, inside the caller's transaction."""

import json
import sqlite3
from datetime import UTC, datetime, timedelta
from typing import assert_never

from agent.cluster.spool.entries import (
    LISTS,
    Answer,
    Dropped,
    Forgotten,
    Held,
    Known,
    Released,
    Replaced,
    Report,
    RunList,
    SpoolEntry,
)

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def remember(db: sqlite3.Connection, entry: SpoolEntry, *, now: datetime) -> str | None:
    """Apply one entry. Returns the id of the event that it reports, if that is new; of a list its first page's."""
    match entry:
        case Report():
            return entry.event_id if _is_first(db, entry) and _publish(db, entry, now=now) else None
        case Answer(report=report):
            return report.event_id if _publish(db, report, now=now) else None
        case Held(report=report):
            return report.event_id if _is_first(db, report) and _hold(db, report) else None
        case Released(event_id=event_id):
            _release(db, event_id, now=now)
        case Replaced(event_id=event_id, report=report):
            db.execute("DELETE FROM held WHERE event_id = ?", (event_id,))
            _is_first(db, report)
            _publish(db, report, now=now)
        case Dropped(event_id=event_id):
            db.execute("DELETE FROM held WHERE event_id = ?", (event_id,))
            db.execute("DELETE FROM reported WHERE event_id = ?", (event_id,))
        case Known(uid=uid, entry=known):
            db.execute("INSERT OR REPLACE INTO pod(uid, entry) VALUES (?, ?)", (uid, known))
        case Forgotten(uid=uid):
            _forget(db, uid, now=now)
        case RunList(pages=pages):
            _forget(db, LISTS, now=now)
            new = [_is_first(db, page) and _publish(db, page, now=now) for page in pages]
            return pages[0].event_id if all(new) else None
        case _:
            assert_never(entry)
    return None


def _is_first(db: sqlite3.Connection, report: Report) -> bool:
    """Record the event as reported. Whether it was not before."""
    reported = db.execute(
        "INSERT INTO reported(event_id, pod_uid) VALUES (?, ?) ON CONFLICT DO NOTHING",
        (report.event_id, report.pod_uid),
    )
    return reported.rowcount == 1


def _publish(db: sqlite3.Connection, report: Report, *, now: datetime) -> bool:
    row = (report.event_id, report.key, report.payload, json.dumps(dict(report.properties)))
    stored = db.execute(
        "INSERT INTO outbox(event_id, key, payload, properties, event_us, created_us) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(event_id) DO NOTHING",
        (*row, _microseconds(report.event_time), _microseconds(now)),
    )
    return stored.rowcount == 1


def _hold(db: sqlite3.Connection, report: Report) -> bool:
    row = (report.event_id, report.pod_uid, report.key, report.payload, json.dumps(dict(report.properties)))
    held = db.execute(
        "INSERT INTO held(event_id, pod_uid, key, payload, properties, event_us) VALUES (?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(event_id) DO NOTHING",
        (*row, _microseconds(report.event_time)),
    )
    return held.rowcount == 1


def _release(db: sqlite3.Connection, event_id: str, *, now: datetime) -> None:
    db.execute(
        "INSERT INTO outbox(event_id, key, payload, properties, event_us, created_us)"
        " SELECT event_id, key, payload, properties, event_us, ? FROM held WHERE event_id = ?"
        " ON CONFLICT(event_id) DO NOTHING",
        (_microseconds(now), event_id),
    )
    db.execute("DELETE FROM held WHERE event_id = ?", (event_id,))


def _forget(db: sqlite3.Connection, uid: str, *, now: datetime) -> None:
    """Forget the pod, and publish what is held of it: it was held until the pod is gone."""
    held = db.execute("SELECT event_id FROM held WHERE pod_uid = ? ORDER BY event_id", (uid,)).fetchall()
    for (event_id,) in held:
        _release(db, event_id, now=now)
    db.execute("DELETE FROM pod WHERE uid = ?", (uid,))
    db.execute("DELETE FROM reported WHERE pod_uid = ?", (uid,))


def _microseconds(time: datetime) -> int:
    return (time - EPOCH) // MICROSECOND
