"""The real Postgres does what tests need of it."""

import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.servers.patience import until
from tests.servers.postgres import CopyPostgres, StartPostgres
from tests.servers.postgres_server import PostgresEndedError, PostgresServer
from tests.servers.process import alive
from tests.servers.sockets import listening

pytestmark = pytest.mark.slow


def ask(server: PostgresServer, question: str) -> object:
    with psycopg.connect(server.url(), autocommit=True) as connection:
        row = connection.execute(question.encode()).fetchone()
        assert row is not None
        return row[0]


def test_it_syncs_to_the_disk(postgres: PostgresServer) -> None:
    assert (ask(postgres, "SHOW fsync"), ask(postgres, "SHOW synchronous_commit")) == ("on", "on")


def test_it_listens_on_loopback_only(postgres: PostgresServer) -> None:
    assert listening([postgres.process.pid]) == {"127.0.0.1"}


def test_who_has_not_the_password_is_not_let_in(postgres: PostgresServer) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(f"postgresql://postgres:guess@127.0.0.1:{postgres.port}/postgres")


def test_a_store_is_empty_and_goes_with_the_test(postgres: PostgresServer, postgres_store: str) -> None:
    with psycopg.connect(postgres_store.replace("+psycopg", "")) as connection:
        tables = connection.execute("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'").fetchone()
    name = postgres_store.rpartition("/")[2]
    postgres.drop_database(name)

    assert tables == (0,)
    assert name not in str(ask(postgres, "SELECT string_agg(datname, ' ') FROM pg_database")).split()


def test_a_copy_has_what_was_made_once_for_all(postgres_copy: CopyPostgres) -> None:
    made: list[str] = []

    @contextmanager
    def opened(url: str) -> Iterator[None]:
        made.append(url)
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS seven")
        yield

    first, second = (postgres_copy(opened).replace("+psycopg", "") for _ in range(2))
    with psycopg.connect(first) as connection:
        connection.execute("DELETE FROM kept")
    with psycopg.connect(second) as connection:
        rows = connection.execute("SELECT seven FROM kept").fetchall()

    assert (len(made), rows) == (1, [(7,)])


def test_killed_and_mended_it_has_its_data_and_its_address(postgres: PostgresServer) -> None:
    before, url = postgres.process.pid, postgres.url()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 7 AS seven")
    postgres.kill()
    with pytest.raises(psycopg.OperationalError, match="refused"):
        psycopg.connect(url)

    postgres.mend()

    assert (postgres.process.pid != before, postgres.url()) == (True, url)
    assert ask(postgres, "SELECT seven FROM kept") == 7


def test_stopped_in_order_it_can_be_started(start_postgres: StartPostgres) -> None:
    own = start_postgres(max_connections="7")
    own.stop()
    assert not own.lives()

    own.start()

    assert ask(own, "SHOW max_connections") == "7"
    assert "was not properly shut down" not in (own.folder / "postgres.log").read_text()


def test_gone_it_leaves_nothing(postgres_program: Path) -> None:
    with PostgresServer(postgres_program) as own:
        folder, pid = own.folder, own.process.pid
        assert (folder / "data" / "PG_VERSION").exists()
        assert not (folder / "password").exists()

    assert not folder.exists()
    assert alive([pid]) == []


def test_one_that_cannot_start_says_why(start_postgres: StartPostgres) -> None:
    with pytest.raises(PostgresEndedError, match=r"(?s)Postgres ended:.*no_such_setting"):
        start_postgres(no_such_setting="1")


START_AND_WAIT = """
import sys, time
from pathlib import Path
from tests.servers.postgres_server import PostgresServer
with PostgresServer(Path(sys.argv[1])) as it:
    print(it.process.pid, it.folder, flush=True)
    time.sleep(600)
"""


def test_it_dies_with_who_started_it(start: Callable[..., Child], postgres_program: Path) -> None:
    command = [sys.executable, "-c", START_AND_WAIT, str(postgres_program)]
    starter = start(command, cwd=ROOT, stdout=PIPE)
    pid, folder = starter.line().split()
    assert alive([int(pid)]) == [int(pid)]

    starter.kill()

    until(lambda: alive([int(pid)]) == [], "dead")
    shutil.rmtree(folder)


@pytest.mark.usefixtures("postgres_program")
def test_people_can_run_it_in_the_foreground() -> None:
    command = [sys.executable, "-m", "tests.servers", "run", "postgres"]
    with Child(command, cwd=ROOT, stdout=PIPE) as running:
        prepared, ready, where = (running.line() for _ in range(3))
        with psycopg.connect(ready.removeprefix("Postgres at ").partition(",")[0]) as connection:
            answered = connection.execute("SELECT 7").fetchone()
        running.send(signal.SIGTERM)
        rest, _ = running.rest()

    assert (prepared, answered) == ("postgres: prepared\n", (7,))
    assert (running.returned(), rest) == (0, "")
    assert not Path(where.removeprefix("Its log is in ").partition(". Ctrl-C")[0]).exists()
