"""Stores a batch of messages, in one transaction. Any order of messages and any repetition gives the same rows.

Several processes may store on Postgres. Whoever is about to merge a row holds the lock on its id, all take locks in the
same order, and write table after table in the order of the keys. So none reads what another is changing, and no two
wait for each other. On SQLite a writing transaction holds the whole file.

A message from before the ``horizon`` about a run that is not stored is left out: the run was pruned, and this may be
all that the topics still have of it.

Texts that no index takes are cut (``fitting``): a message that is stored in no other way would stop those behind it.
What no database stores, NUL and halves of surrogate pairs, the readers of ``agent.wire`` refuse.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from sqlalchemy import Connection, text

from agent.lookout.store import horizon
from agent.lookout.store.entries import Entries, Entry, Recorded
from agent.store.lock import lock_scopes

__all__ = ["Entry", "Recorded", "record"]

_PLAN_EACH_TIME: Final = text("SET LOCAL plan_cache_mode = force_custom_plan")
"""Otherwise the plan of a prepared statement is that of its sixth use: on a new database a search of whole tables."""


def record(connection: Connection, batch: Sequence[Entry]) -> Recorded:
    """Store a batch; the transaction is the caller's. 500 to 1,000 entries at once are fastest.

    What exists is read with one query a table, however large the batch is.
    """
    entries = _gathered(batch)
    plan_each_time(connection)
    lock_scopes(connection, entries.scopes())
    # Only now: the pruner moves the horizon before it takes these locks, so what it deleted is older than what is read.
    since = horizon.read(connection)
    if since is None or not (pruned := entries.pruned(connection, since)):
        return entries.write(connection, since)
    kept = [entry for entry in batch if not pruned.concerns(entry)]
    recorded = _gathered(kept).write(connection, since)
    return replace(recorded, too_old=len(batch) - len(kept))


def plan_each_time(connection: Connection) -> None:
    """Have Postgres plan each statement of this transaction by what the tables hold now."""
    if connection.dialect.name == "postgresql":
        connection.execute(_PLAN_EACH_TIME)


def _gathered(batch: Iterable[Entry]) -> Entries:
    entries = Entries()
    for entry in batch:
        entries.add(entry)
    return entries
