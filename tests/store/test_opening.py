import logging
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from traceback import format_exception

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import MetaData, inspect, make_url, text
from structlog.testing import capture_logs

import agent.store
from agent.store import migrate
from agent.store.engine import make_engine, parse
from agent.store.errors import RowRefused, StoreError, StoreOutdated, StoreUnreachable
from agent.store.metadata import metadata
from agent.store.store import Store
from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.servers.postgres_server import PostgresServer

OPEN_AND_COUNT = """
import sys
from sqlalchemy import text
from agent.store.store import Store
with Store.open(sys.argv[1]) as store, store.read() as connection:
    print(len(connection.execute(text("SELECT version_num FROM alembic_version")).all()))
"""


@pytest.fixture
def declared() -> MetaData:
    """Every table that a module of the store declares."""
    for module in walk_packages(agent.store.__path__, "agent.store."):
        if not module.name.startswith("agent.store.migrations."):
            import_module(module.name)
    return metadata


def test_the_migrations_make_the_tables_that_the_code_works_with(store: Store, declared: MetaData) -> None:
    with store.read() as connection:
        assert compare_metadata(MigrationContext.configure(connection), declared) == []
        assert migrate.revision(connection) == migrate.head()


def test_a_file_and_its_folder_are_made(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/new/store.db"):
        assert (tmp_path / "new/store.db").is_file()


def test_a_store_whose_file_was_moved_away_is_unreachable_and_not_made_again(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        (tmp_path / "store.db").rename(tmp_path / "moved.db")

        for use in (store.check, store.write().__enter__, store.read().__enter__):
            with pytest.raises(StoreUnreachable, match=r"the store .*/store.db was deleted or moved while it was open"):
                use()

        assert not (tmp_path / "store.db").exists()
        (tmp_path / "moved.db").rename(tmp_path / "store.db")
        store.check()


def test_nothing_is_committed_to_a_file_that_is_moved_away_meanwhile(tmp_path: Path) -> None:
    def write_and_move(store: Store) -> None:
        with store.write() as connection:
            connection.execute(text("INSERT INTO attempt VALUES ('f', 1, '', '2026-01-01 00:00:00')"))
            (tmp_path / "store.db").rename(tmp_path / "moved.db")

    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        with pytest.raises(StoreUnreachable, match="was deleted or moved"):
            write_and_move(store)

        (tmp_path / "moved.db").rename(tmp_path / "store.db")
        with store.read() as connection:
            assert connection.scalar(text("SELECT count(*) FROM attempt")) == 0


def test_a_migration_is_reported_once_and_a_check_reports_nothing(
    store_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)

    with capture_logs() as logged, Store.open(store_url) as store:
        caplog.clear()
        store.check()
        with store.write():
            pass
    with Store.open(store_url):
        pass

    events = [(line["event"], line["before"], line["after"]) for line in logged]
    assert events == [("the store's tables were migrated", "none", migrate.head())]
    assert [record.name for record in caplog.records if record.name.startswith("alembic")] == []


def test_a_store_opened_twice_keeps_what_it_holds(store_url: str) -> None:
    with Store.open(store_url) as store, store.write() as connection:
        connection.execute(text("INSERT INTO attempt VALUES ('f', 1, '', '2026-01-01 00:00:00')"))
    with Store.open(store_url) as store, store.read() as connection:
        assert connection.scalar(text("SELECT count(*) FROM attempt")) == 1


def test_sqlite_is_set_to_lose_nothing(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store, store.write() as connection:
        pragmas = {name: connection.scalar(text(f"PRAGMA {name}")) for name in ("journal_mode", "synchronous")}
        assert pragmas == {"journal_mode": "wal", "synchronous": 2}
        assert connection.scalar(text("PRAGMA foreign_keys")) == 1


@pytest.mark.slow
def test_processes_that_start_together_make_the_tables_once(start: Callable[..., Child], store_url: str) -> None:
    opening = [start([sys.executable, "-c", OPEN_AND_COUNT, store_url], cwd=ROOT, stdout=PIPE) for _ in range(3)]

    counted = [process.rest()[0].splitlines()[-1] for process in opening]

    assert counted == ["1"] * 3
    assert [process.returned() for process in opening] == [0] * 3


def test_tables_of_a_later_version_are_left_alone(store_url: str) -> None:
    with Store.open(store_url) as store, store.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

    for way in (Store.open, Store.attach):
        with pytest.raises(StoreOutdated, match="9999"):
            way(store_url)


def test_nothing_is_written_after_another_version_has_migrated(store_url: str) -> None:
    with Store.open(store_url) as store:
        with store.write() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))

        with pytest.raises(StoreOutdated, match="9999"), store.decide(["job-1"]):
            pytest.fail("it may not write")


def test_a_name_too_long_for_a_file_is_no_store() -> None:
    with pytest.raises(StoreUnreachable, match="there is no store"):
        Store.attach(f"sqlite:///{'x' * 300}.db")


def test_a_store_that_is_not_there_is_named_with_its_whole_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(StoreUnreachable, match=f"^there is no store at {tmp_path}/store.db$"):
        Store.attach("sqlite:///store.db")


def test_attaching_makes_nothing(tmp_path: Path) -> None:
    with pytest.raises(StoreUnreachable, match="there is no store"):
        Store.attach(f"sqlite:///{tmp_path}/store.db")
    assert list(tmp_path.iterdir()) == []


def test_a_database_without_our_tables_is_no_store(store_url: str) -> None:
    engine = make_engine(parse(store_url))
    with engine.begin() as connection:
        connection.execute(text("CREATE TABLE other (x INTEGER)"))
    engine.dispose()

    with pytest.raises(StoreOutdated, match="at revision none"):
        Store.attach(store_url)


def test_a_file_that_is_no_database_is_no_store(tmp_path: Path) -> None:
    (tmp_path / "store.db").write_text("not a database, but long enough to be looked at" * 10)

    with pytest.raises(StoreError, match="not a database"):
        Store.open(f"sqlite:///{tmp_path}/store.db")


def test_a_place_that_cannot_be_written_is_unreachable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreUnreachable, match="cannot be opened"):
        Store.open(f"sqlite:///{tmp_path}/file/store.db")


@pytest.mark.parametrize(
    "url", ["", "store.db", "mysql://h/d", "sqlite://", "sqlite:///:memory:", "postgresql+gone://h/d"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(StoreError):
        Store.open(url)


def make_half(store: Store) -> None:
    with store.decide(["job-1"]) as connection:
        connection.execute(text("CREATE TABLE half (x INTEGER PRIMARY KEY)"))
        connection.execute(text("INSERT INTO half VALUES (1), (1)"))


def test_a_failed_transaction_leaves_nothing(store: Store) -> None:
    with pytest.raises(RowRefused):
        make_half(store)
    with store.read() as connection:
        assert not inspect(connection).has_table("half")


class TwoAtOnce:
    """A transaction that decides one scope and waits inside, and another that decides another, in threads."""

    def __init__(self, store: Store, first: Sequence[str], second: Sequence[str]) -> None:
        self.order: list[str] = []
        self.may_end = threading.Event()
        self._inside = threading.Event()
        self._store = store
        acts = (lambda: self._first(first), lambda: self._second(second))
        self.threads = [threading.Thread(target=act, daemon=True) for act in acts]
        for thread in self.threads:
            thread.start()

    def join(self) -> list[str]:
        self.may_end.set()
        for thread in self.threads:
            thread.join(60)
        return self.order

    def _first(self, scopes: Sequence[str]) -> None:
        with self._store.decide(scopes):
            self._inside.set()
            self.may_end.wait(60)
            self.order.append("first")

    def _second(self, scopes: Sequence[str]) -> None:
        self._inside.wait(60)
        with self._store.decide(scopes):
            self.order.append("second")


def test_two_that_decide_one_scope_wait_for_each_other(store: Store) -> None:
    two = TwoAtOnce(store, ["job-1", "job-2"], ["job-2", "job-3"])
    two.threads[1].join(0.2)

    assert two.join() == ["first", "second"]


@pytest.mark.slow
def test_two_that_decide_other_scopes_do_not_wait_on_postgres(postgres_store: str) -> None:
    with Store.open(postgres_store) as store:
        two = TwoAtOnce(store, ["job-1", "job-2"], ["job-3", "job-4"])
        two.threads[1].join(60)

        assert two.join() == ["second", "first"]


@pytest.mark.slow
def test_scopes_named_in_any_order_never_wait_in_a_circle(postgres_store: str) -> None:
    scopes = [f"job-{number}" for number in range(20)]
    with Store.open(postgres_store) as store:

        def decide(order: Sequence[str]) -> None:
            for _ in range(20):
                with store.decide(order) as connection:
                    connection.execute(text("SELECT 1"))

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(decide, [scopes, scopes[::-1], scopes[7:] + scopes[:7], scopes[::2]]))


@pytest.mark.slow
def test_a_server_that_is_not_there_is_unreachable_and_its_password_unsaid(postgres_store: str) -> None:
    there = make_url(postgres_store)
    for wrong, said in ((there.set(port=1), "port 1 failed"), (there.set(database="gone"), "does not exist")):
        with pytest.raises(StoreUnreachable, match=said) as raised:
            Store.open(wrong.render_as_string(hide_password=False))
        assert str(there.password) not in "".join(format_exception(raised.value))


@pytest.mark.slow
def test_a_scope_that_somebody_keeps_is_not_waited_for_without_end(postgres_store: str) -> None:
    impatient = f"{postgres_store}?options=-c%20lock_timeout%3D100ms"
    with Store.open(postgres_store) as keeper, Store.open(impatient) as store, keeper.decide(["job-1"]):
        with pytest.raises(StoreUnreachable, match="lock timeout"), store.decide(["job-1"]):
            pytest.fail("two decide one scope")
        with store.decide(["job-2"]):
            pass


def freeze_while_deciding(frozen: Store, other: Store) -> None:
    with frozen.decide(["job-1"]) as connection:
        with other.decide(["job-1"]):
            pass
        connection.execute(text("SELECT 1"))


@pytest.mark.slow
def test_a_process_that_freezes_while_it_decides_loses_its_scopes(postgres_store: str) -> None:
    freezing = f"{postgres_store}?options=-c%20idle_in_transaction_session_timeout%3D100ms"
    # The other makes the tables: on a busy machine that takes longer than this one may be idle between two statements.
    with Store.open(postgres_store) as store, Store.attach(freezing) as frozen:
        with pytest.raises(StoreUnreachable, match="idle-in-transaction"):
            freeze_while_deciding(frozen, store)

        frozen.check()


def test_a_transaction_that_reads_sees_one_state(store: Store) -> None:
    row = text("INSERT INTO attempt VALUES ('f', 1, '', '2026-01-01 00:00:00')")
    count = text("SELECT count(*) FROM attempt")
    with store.read() as reading:
        before = reading.scalar(count)
        with store.write() as writing:
            writing.execute(row)
        during = reading.scalar(count)
    with store.read() as reading:
        assert (before, during, reading.scalar(count)) == (0, 0, 1)


@pytest.mark.slow
def test_the_password_may_be_in_a_file_and_may_change(postgres: PostgresServer, tmp_path: Path) -> None:
    with_password = make_url(postgres.store_url("postgres"))
    url, password = with_password._replace(password=None).render_as_string(), tmp_path / "password"
    password.write_text("wrong\n")
    with pytest.raises(StoreUnreachable, match="password authentication failed"):
        Store.attach(url, password_file=password)

    password.write_text(f"{with_password.password}\n")
    with pytest.raises(StoreOutdated, match="at revision none"):
        Store.attach(url, password_file=password)

    password.unlink()
    with pytest.raises(StoreUnreachable, match="the secret cannot be read"):
        Store.attach(url, password_file=password)


@pytest.mark.slow
def test_a_store_whose_server_was_restarted_goes_on(postgres: PostgresServer, postgres_store: str) -> None:
    with Store.open(postgres_store) as store:
        postgres.kill()
        with pytest.raises(StoreUnreachable):
            store.check()
        postgres.mend()

        store.check()
