"""``failctl lookout rebuild-rollups``: finds counts that are not those of the rows, and counts again."""

import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from sqlalchemy import text

from agent.console.exits import Exit, UnreachableError
from agent.console.options import Form
from agent.ctl.lookout.connect import LookoutAddress
from agent.ctl.lookout.rollups import RebuildRequest, rebuild_rollups
from agent.lookout.store import horizon
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.process import assert_counted, failures, rows, write_settings
from tests.scheduler.path import Place
from tests.store.databases import DATABASES
from tests.store.events import START


@pytest.fixture(params=DATABASES)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/lookout.db"
    found: str = request.getfixturevalue("postgres_store")
    return found


@pytest.fixture
def settings(url: str, tmp_path: Path) -> Path:
    """Settings of a Lookout with this database."""
    return write_settings(tmp_path, Place(broker_url=f"sqlite:///{tmp_path}/log.db", store_url=url))


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    """One with ninety failed runs."""
    with open_store(url) as opened:
        with opened.write() as connection:
            record(connection, failures(90))
        yield opened


def asked(settings: Path, *, check: bool = False, output: Form = "table") -> tuple[Exit, str]:
    out = io.StringIO()
    request = RebuildRequest(where=LookoutAddress(settings=settings), check=check, output=output)
    return rebuild_rollups(request, environ={}, out=out), out.getvalue()


def change(store: Store, statement: str) -> None:
    with store.write() as connection:
        connection.execute(text(statement))


def test_counts_that_are_right_stay(store: Store, settings: Path) -> None:
    before = rows(store)
    for check in (True, False):
        assert asked(settings, check=check) == (Exit.FINE, "All counts are those of the rows.\n")
        assert asked(settings, check=check, output="json") == (Exit.FINE, "[]\n")
    assert rows(store) == before


def test_counts_that_are_wrong_are_found_and_then_right(store: Store, settings: Path) -> None:
    before = rows(store)
    change(store, "UPDATE rollup_hour SET runs = runs + 5, failures = 1")
    change(store, "DELETE FROM rollup_node_day")
    wrong = rows(store)

    code, said = asked(settings, check=True)
    assert code is Exit.FINDING
    assert said.splitlines() == [
        "Counts that differ from the rows: 3",
        "ROLLUP           OF                                             COUNT           ROWS",
        "rollup_hour      2026-11-21 12:00 oom - unknown ml east  65, 1 failed  60, 60 failed",
        "rollup_hour      2026-11-21 13:00 oom - unknown ml east  35, 1 failed  30, 30 failed",
        "rollup_node_day  2026-11-21 00:00 east node-1             0, 0 failed  90, 90 failed",
    ]
    assert rows(store) == wrong

    code, said = asked(settings, output="json")
    assert code is Exit.FINE
    assert json.loads(said)[2] == {
        "rollup": "rollup_node_day",
        "key": {"day": "2026-11-21T00:00:00+00:00", "cluster": "east", "node": "node-1"},
        "stored": {"runs": 0, "failures": 0},
        "counted": {"runs": 90, "failures": 90},
    }
    assert rows(store) == before
    assert asked(settings, check=True)[0] is Exit.FINE


def test_counts_from_before_the_horizon_are_neither_compared_nor_changed(store: Store, settings: Path) -> None:
    with store.write() as connection:
        horizon.move(connection, START + timedelta(days=1))
    change(store, "DELETE FROM job_run")
    before = rows(store)

    assert asked(settings, check=True) == (Exit.FINE, "All counts are those of the rows.\n")
    assert asked(settings)[0] is Exit.FINE
    assert rows(store) == before


def test_it_waits_for_whoever_stores(store: Store, settings: Path) -> None:
    change(store, "UPDATE rollup_hour SET runs = 7")
    writes, ended = Event(), Event()

    def write() -> None:
        with store.write() as connection:
            record(connection, failures(10, first=90))
            writes.set()
            ended.wait(0.3)

    writer = Thread(target=write)
    writer.start()
    writes.wait()
    code, said = asked(settings)
    writer.join()

    assert (code, said.splitlines()[0]) == (Exit.FINE, "Counts that differed from the rows, and changed: 2")
    assert_counted(store)


def test_a_database_that_does_not_exist_is_said(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match=r"there is no store at .*; correct database\.url"):
        asked(write_settings(tmp_path, Place.in_files(tmp_path)))
