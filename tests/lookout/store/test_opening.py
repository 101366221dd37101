from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from agent.lookout.store.opening import HISTORY, attach_store, open_store
from agent.lookout.store.tables import metadata
from agent.lookout.store.text_index import POSTGRES_INDEX, RUNS
from agent.store import migrate
from agent.store.errors import StoreError, StoreOutdated, StoreUnreachable
from agent.store.store import Store
from tests.store.databases import new_store


def is_of_migrations(name: str | None, _kind: str, _parents: object) -> bool:
    """Whether migrations make it; the text index is made when the database is opened."""
    return not (name or "").startswith((RUNS, POSTGRES_INDEX))


def test_the_migrations_make_the_tables_that_the_code_works_with(database: Store) -> None:
    with database.read() as connection:
        options = {"version_table": HISTORY.version_table, "include_name": is_of_migrations}
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, metadata) == []
        assert migrate.revision(connection, HISTORY) == migrate.head(HISTORY)


def test_it_is_opened_again_and_attached_to(database_url: str) -> None:
    open_store(database_url).close()
    for use in (open_store, attach_store):
        with use(database_url) as store:
            store.check()


def test_attaching_makes_none(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="there is no store"):
        attach_store(f"sqlite:///{tmp_path}/none.db")


def test_a_schedulers_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="the database is a scheduler's store; use another one"):
        open_store(new_store(tmp_path))


def test_a_scheduler_refuses_the_database(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lookout.db"
    open_store(url).close()

    with pytest.raises(StoreError, match="the database is a Lookout's; use another one"):
        Store.open(url)


def test_tables_of_a_later_version_are_refused(database_url: str) -> None:
    with open_store(database_url) as store, store.write() as connection:
        connection.execute(text("UPDATE lookout_version SET version_num = '9999'"))

    with pytest.raises(StoreOutdated, match="at revision 9999, which this version does not know"):
        open_store(database_url)


def test_sqlite_keeps_pages_that_the_next_batches_change_again(tmp_path: Path) -> None:
    with open_store(f"sqlite:///{tmp_path}/lookout.db") as store, store.read() as connection:
        names = ("wal_autocheckpoint", "cache_size", "synchronous", "journal_mode")
        found = {name: connection.scalar(text(f"PRAGMA {name}")) for name in names}

    assert found == {"wal_autocheckpoint": 8000, "cache_size": -8000, "synchronous": 2, "journal_mode": "wal"}
