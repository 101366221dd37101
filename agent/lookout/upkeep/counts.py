"""Counts of runs, compared with the rows and made again from them. Those from before the horizon stay as they are."""

from collections.abc import Sequence

from agent.lookout.store import rollups
from agent.lookout.store.rollups import Difference
from agent.store.store import Store

__all__ = ["Difference", "differences", "rebuild", "repair"]


def differences(store: Store) -> Sequence[Difference]:
    """The counts that are not those of the rows, in one state of the database. Raises StoreError."""
    with store.read() as connection:
        return rollups.differences(connection)


def rebuild(store: Store) -> Sequence[Difference]:
    """Count the rows again; return the counts that were different. Raises StoreError.

    Whoever stores at the same time is waited for, and waits: on Postgres for the tables of the counts, on SQLite for
    the database.
    """
    with store.write() as connection:
        return rollups.rebuild(connection)


def repair(store: Store) -> Sequence[Difference]:
    """Count again only if a count is different, so that nobody waits if none is."""
    return rebuild(store) if differences(store) else ()
