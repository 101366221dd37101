import multiprocessing
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from agent.store import migrate
from agent.store.errors import RowRefused, StoreError, StoreOutdated, StoreUnreachable
from agent.store.store import Store
from agent.store.tables import metadata


def open_and_count(url: str) -> int:
    """What each of several processes does at the same time."""
    with Store.open(url) as store, store.read() as connection:
        return len(connection.execute(text("SELECT version_num FROM alembic_version")).all())


def test_the_migrations_make_the_tables_that_the_code_works_with(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/new/store.db") as store, store.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), metadata) == []
        assert migrate.revision(connection) == migrate.head()


def test_a_store_opened_twice_keeps_what_it_holds(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Store.open(url) as store, store.write() as connection:
        connection.execute(text("INSERT INTO attempt VALUES ('f', 1, '', '2026-01-01 00:00:00')"))
    with Store.open(url) as store, store.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM attempt")) == 1


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store, store.write() as connection:
        pragmas = {name: connection.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous")}
        assert pragmas == {"journal_mode": "wal", "synchronous": 2}
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1


@pytest.mark.slow
def test_processes_that_start_together_make_the_tables_once(tmp_path: Path) -> None:
    urls = [f"sqlite:///{tmp_path}/store.db"] * 6
    with multiprocessing.get_context("spawn").Pool(len(urls)) as pool:
        assert pool.map(open_and_count, urls, chunksize=1) == [1] * len(urls)


def test_tables_of_a_later_version_are_left_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Store.open(url) as store, store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    for way in (Store.open, Store.attach):
        with pytest.raises(StoreOutdated, match="9999"):
            way(url)


def test_attaching_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="there is no store"):
        Store.attach(f"sqlite:///{tmp_path}/store.db")
    assert list(tmp_path.iterdir()) == []


def test_a_database_without_our_tables_is_no_store(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE other (x)")

    with pytest.raises(StoreOutdated, match="at revision none"):
        Store.attach(f"sqlite:///{tmp_path}/other.db")


def test_a_file_that_is_no_database_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_text("not a database, but long enough to be looked at" * 10)

    with pytest.raises(StoreError, match="not a database"):
        Store.open(f"sqlite:///{tmp_path}/store.db")


def test_a_place_that_cannot_be_written_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreUnreachable, match="cannot be opened"):
        Store.open(f"sqlite:///{tmp_path}/file/store.db")


@pytest.mark.parametrize("url", ["", "store.db", "mysql://h/d", "sqlite://", "sqlite:///:memory:"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(StoreError):
        Store.open(url)


def make_half(store: Store) -> None:
    with store.decide(["job-1"]) as connection:
        connection.execute(text("CREATE TABLE half (x PRIMARY KEY)"))
        connection.execute(text("INSERT INTO half VALUES (1), (1)"))


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        with pytest.raises(RowRefused):
            make_half(store)
        with store.read() as connection:
            assert connection.scalar(text("SELECT count(*) FROM sqlite_schema WHERE name = 'half'")) == 0


def test_two_that_decide_wait_for_each_other(tmp_path: Path) -> None:
    order: list[str] = []
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        inside, first_done = threading.Event(), threading.Event()

        def first() -> None:
            with store.decide(["job-1"]):
                inside.set()
                first_done.wait()
                order.append("first")

        def second() -> None:
            inside.wait()
            threading.Timer(0.1, first_done.set).start()
            with store.decide(["job-1"]):
                order.append("second")

        threads = [threading.Thread(target=act) for act in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert order == ["first", "second"]
