"""Whether the times in the spool were taken from a clock that was right, as the last process left it."""

import sqlite3
from typing import Final

from agent.cluster.spool.schema import read_meta, write_meta

_CLOCK: Final = "clock"
_RIGHT: Final = "right"
_DOUBTED: Final = "doubted"
_DAY_US: Final = 86_400_000_000


def was_right(db: sqlite3.Connection) -> bool:
    """Whether the clock was right when it was last marked; no, if it never was."""
    return read_meta(db, _CLOCK) == _RIGHT


def mark(db: sqlite3.Connection, *, right: bool) -> None:
    """Note whether times that are written from now on are right."""
    write_meta(db, _CLOCK, _RIGHT if right else _DOUBTED)


def restamp(db: sqlite3.Connection, *, now_us: int) -> None:
    """Take the safe side for what was spooled at times that may be wrong.

    What is in the standby buffer counts as spooled now, so that it is not dropped as published before. What the broker
    does not have yet counts as a day old, so that no standby drops its copies: they go by how far behind the leader is.
    """
    db.execute("UPDATE shelf SET created_us = ?", (now_us,))
    db.execute("UPDATE outbox SET created_us = ? WHERE acked = 0", (now_us - _DAY_US,))
