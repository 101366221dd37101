"""How much the spool takes: bounded in events here, in bytes by SQLite's max_page_count."""

import sqlite3
from collections.abc import Sequence
from typing import Final

from agent.cluster.spool.entries import Answer, Held, Report, RunList, SpoolEntry

_COUNT: Final = (
    "SELECT (SELECT count(*) FROM outbox WHERE acked = 0) + (SELECT count(*) FROM held) + (SELECT count(*) FROM shelf)"
)


class SpoolFull(Exception):
    """The limit of spooled events is reached; there is room again when the broker has acknowledged some."""


class Quota:
    """Room for at most ``at_most`` events that the broker does not have.

    A commit that begins below the bound is taken whole. Rows are counted only when the bound may be reached by what
    was taken since the last count, because counting a million rows takes a while.
    """

    def __init__(self, *, at_most: int) -> None:
        self._at_most = at_most
        self._left = 0

    def take(self, db: sqlite3.Connection, entries: Sequence[SpoolEntry]) -> None:
        """Take room for the events among these. Raises SpoolFull. Other entries always have room."""
        wanted = sum(map(_events, entries))
        if wanted == 0:
            return
        self.check(db)
        self._left -= wanted

    def check(self, db: sqlite3.Connection) -> None:
        """Raise SpoolFull where there is no room for one more event."""
        if self._left > 0:
            return
        self._left = self._at_most - int(db.execute(_COUNT).fetchone()[0])
        if self._left <= 0:
            raise SpoolFull(f"{self._at_most:,} events wait for the broker, the most that may (spool.maxEvents)")


def _events(entry: SpoolEntry) -> int:
    """How many events an entry adds."""
    return len(entry.pages) if isinstance(entry, RunList) else isinstance(entry, Report | Answer | Held)
