"""Stores a batch of messages, in one transaction. Any order of messages and any repetition gives the same rows.

Several processes may store on Postgres. Whoever is about to merge a row holds the lock on its id, all take locks in the
same order, and write table after table in the order of the keys. So none reads what another is changing, and no two
wait for each other. On SQLite a writing transaction holds the whole file.

What no database stores is taken out of texts first, and texts that no index takes are cut (``fitting``): a message
that is stored in no other way would stop those behind it.
"""

from collections.abc import Sequence
from typing import Final

from sqlalchemy import Connection, text

from agent.lookout.store.entries import Entries, Entry, Recorded
from agent.lookout.store.fitting import storable
from agent.store.lock import lock_scopes

__all__ = ["Entry", "Recorded", "record"]

_PLAN_EACH_TIME: Final = text("SET LOCAL plan_cache_mode = force_custom_plan")
"""Otherwise the plan of a prepared statement is that of its sixth use: on a new database a search of whole tables."""


def record(connection: Connection, batch: Sequence[Entry]) -> Recorded:
    """Store a batch; the transaction is the caller's. 500 to 1,000 entries at once are fastest.

    What exists is read with one query a table, however large the batch is.
    """
    entries = Entries()
    for entry in batch:
        entries.add(*storable(entry))
    if connection.dialect.name == "postgresql":
        connection.execute(_PLAN_EACH_TIME)
    lock_scopes(connection, entries.scopes())
    return entries.write(connection)
