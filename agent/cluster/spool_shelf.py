"""The shelf: what a replica that stands by would publish, if the one that leads did not (spool.py).

What lies here has no sequence number yet: numbers are given in the order of publishing.
"""

import sqlite3

_COLUMNS = "event_id, key, payload, properties, event_us, created_us"


def shelve(db: sqlite3.Connection, *, after: int) -> None:
    """Put rows of the outbox above this sequence on the shelf."""
    db.execute(
        f"INSERT INTO shelf({_COLUMNS}) SELECT {_COLUMNS} FROM outbox WHERE seq > ? ORDER BY seq"  # noqa: S608 - ours
        " ON CONFLICT(event_id) DO NOTHING",
        (after,),
    )
    db.execute("DELETE FROM outbox WHERE seq > ?", (after,))


def take_down(db: sqlite3.Connection) -> int:
    """Put all that is on the shelf into the outbox, in the order it was shelved; how many rows that was."""
    taken = db.execute(
        f"INSERT INTO outbox({_COLUMNS}) SELECT {_COLUMNS} FROM shelf WHERE true ORDER BY place"  # noqa: S608 - ours
        " ON CONFLICT(event_id) DO NOTHING"
    ).rowcount
    db.execute("DELETE FROM shelf")
    return taken


def drop_told(db: sqlite3.Connection, *, before_us: int) -> int:
    """Drop what was spooled before this time: the one that leads has published it. How many rows that was."""
    return db.execute("DELETE FROM shelf WHERE created_us < ?", (before_us,)).rowcount


def shelved(db: sqlite3.Connection) -> int:
    """How many rows are on the shelf."""
    return int(db.execute("SELECT count(*) FROM shelf").fetchone()[0])
