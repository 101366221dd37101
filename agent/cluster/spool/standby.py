"""The shelf: what a replica that stands by would publish, if the one that leads did not (spool.py).

What lies here has no sequence number yet: numbers are given in the order of publishing.
"""

import sqlite3

_AT_ONCE = 500
_COLUMNS = "event_id, key, payload, properties, event_us, created_us"


def buffer(db: sqlite3.Connection, *, after: int) -> None:
    """Put rows of the outbox above this sequence on the shelf."""
    db.execute(
        f"INSERT INTO shelf({_COLUMNS}) SELECT {_COLUMNS} FROM outbox WHERE seq > ? ORDER BY seq"  # noqa: S608 - ours
        " ON CONFLICT(event_id) DO NOTHING",
        (after,),
    )
    db.execute("DELETE FROM outbox WHERE seq > ?", (after,))


def take_all(db: sqlite3.Connection) -> int:
    """Put all that is on the shelf into the outbox, in the order it was shelved; how many rows that was.

    Rows leave the shelf before they come into the outbox, so that a full spool has room for them.
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
    """Drop what was spooled before this time: the one that leads has published it. How many rows that was."""
    return db.execute("DELETE FROM shelf WHERE created_us < ?", (before_us,)).rowcount


def buffered(db: sqlite3.Connection) -> int:
    """How many rows are on the shelf."""
    return int(db.execute("SELECT count(*) FROM shelf").fetchone()[0])
