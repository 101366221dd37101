"""Whether the times in the spool were taken from a clock that was right, as the last process left it."""

import sqlite3
from typing import Final

from agent.cluster.spool.schema import read_meta, write_meta

_CLOCK: Final = "clock"
_RIGHT: Final = "right"
_DOUBTED: Final = "doubted"


def was_right(db: sqlite3.Connection) -> bool:
    """Whether the clock was right when it was last marked; no, if it never was."""
    return read_meta(db, _CLOCK) == _RIGHT


def mark(db: sqlite3.Connection, *, right: bool) -> None:
    """Note whether times that are written from now on are right."""
    write_meta(db, _CLOCK, _RIGHT if right else _DOUBTED)


def restamp(db: sqlite3.Connection, *, now_us: int) -> None:
    """Let everything in the standby buffer count as spooled now, so that none of it is dropped as published before."""
    db.execute("UPDATE shelf SET created_us = ?", (now_us,))
