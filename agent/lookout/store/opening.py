"""Opens Lookout's database."""

from pathlib import Path
from typing import Final

from agent.lookout.store import text_index
from agent.store.migrate import History
from agent.store.store import Store

_PRAGMAS: Final = ("cache_size = -8000", "wal_autocheckpoint = 8000")
"""8 MB of pages in memory, and up to 32 MB of them in the log: a batch changes pages all over a score of indexes, and
the next ones change them again before they are written to their places."""

HISTORY: Final = History("agent.lookout.store", version_table="lookout_version", pragmas=_PRAGMAS)


def open_store(url: str, *, password_file: Path | None = None) -> Store:
    """Open the database and bring its tables to head; create it if it does not exist. It gets an index of texts.

    Raises what ``Store.open`` raises; StoreError for a scheduler's store, which has tables of the same names.
    """
    store = Store.open(url, password_file=password_file, history=HISTORY)
    try:
        _make_text_index(store)
    except BaseException:
        store.close()
        raise
    return store


def _make_text_index(store: Store) -> None:
    with store.read() as connection:
        if text_index.is_there(connection):
            return
    with store.write() as connection:
        text_index.make(connection)


def attach_store(url: str, *, password_file: Path | None = None) -> Store:
    """Open a database that the process has made, and migrate nothing; raises what ``Store.attach`` raises."""
    return Store.attach(url, password_file=password_file, history=HISTORY)
