"""The standby buffer (table ``shelf``): what a standby replica would publish if the leader did not.

Rows here have no sequence number yet: numbers are given in the order of publishing.
"""

import sqlite3

_AT_ONCE = 500
_COLUMNS = "event_id, key, payload, properties, event_us, created_us"


def buffer(db: sqlite3.Connection, *, after: int) -> None:
    """Move rows of the outbox above this sequence to the buffer."""
    db.execute(
        f"INSERT INTO shelf({_COLUMNS}) SELECT {_COLUMNS} FROM outbox WHERE seq > ? ORDER BY seq"  # noqa: S608 - ours
        " ON CONFLICT(event_id) DO NOTHING",
        (after,),
    )
    db.execute("DELETE FROM outbox WHERE seq > ?", (after,))


def take_all(db: sqlite3.Connection) -> int:
    """Move all rows of the buffer to the outbox, in the order they came. Returns how many rows that was.

    Rows are deleted here before they are inserted there, so that a full spool has room for them.
    """
    taken = 0
    while rows := db.execute(f"SELECT place, {_COLUMNS} FROM shelf ORDER BY place LIMIT ?", (_AT_ONCE,)).fetchall():  # noqa: S608 - ours
        db.execute("DELETE FROM shelf WHERE place <= ?", (rows[-1][0],))
        taken += db.executemany(
            f"INSERT INTO outbox({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT(event_id) DO NOTHING",  # noqa: S608 - ours
            [row[1:] for row in rows],
        ).rowcount
    return taken


def drop_published(db: sqlite3.Connection, *, before_us: int) -> int:
    """Drop what was spooled before this time, because the leader has published it. Returns how many rows that was."""
    return db.execute("DELETE FROM shelf WHERE created_us < ?", (before_us,)).rowcount


def buffered(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT count(*) FROM shelf").fetchone()[0])
