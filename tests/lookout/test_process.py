"""Lookout as a process: readiness, being stopped, and kept from its database; hostile messages."""

import json
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from agent.broker.port import Message
from agent.broker.topics import dead_letter_topic
from agent.lookout.store import rollups
from agent.lookout.store.opening import open_store
from agent.store.store import Store
from tests.child import run
from tests.lookout.process import (
    LookoutProcess,
    command,
    count,
    failures,
    messages,
    rows,
    write_settings,
)
from tests.scheduler.path import TOPIC, Place, publish, wait_until
from tests.scheduler.process import environment

pytestmark = pytest.mark.slow

REFUSED = "changed settings or files cannot be used; the last valid ones stay in effect"
REFUSE = """
    CREATE TRIGGER refuse BEFORE INSERT ON job_run WHEN NEW.run_id = 'run-13'
    BEGIN SELECT RAISE(ABORT, 'refused'); END
"""


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.in_files(tmp_path)


@pytest.fixture
def started() -> Iterator[list[LookoutProcess]]:
    """Every process a test starts; they end with it."""
    processes: list[LookoutProcess] = []
    yield processes
    for process in processes:
        process.end()


@pytest.fixture
def lookout(place: Place, started: list[LookoutProcess], tmp_path: Path) -> LookoutProcess:
    """One that is ready."""
    process = LookoutProcess(write_settings(tmp_path, place), log=tmp_path / "log")
    started.append(process)
    wait_until(process.is_ready)
    return process


def test_it_stores_says_that_it_is_ready_and_stops_when_asked(lookout: LookoutProcess, place: Place) -> None:
    with closing(place.open_log()) as log:
        publish(log, messages(failures(10)))
    with open_store(place.store_url) as store:
        wait_until(lambda: count(store) == 10)

    checks = json.loads(lookout.ask("/readyz")[1])["checks"]
    assert {name for name, check in checks.items() if check["ok"]} == {"broker", "database", "consumer", "lag"}
    assert lookout.ask("/healthz")[0] == 200
    for line in ('stored_total{kind="run-event"} 10.0', "runs_total 10.0", "failures_total 10.0"):
        wait_until(partial(shows, lookout, f"failure_agent_lookout_{line}"))
    assert lookout.terminate() == 0
    assert [line["event"] for line in lookout.logged()][-1] == "stopped"


def shows(lookout: LookoutProcess, metric: str) -> bool:
    return metric in lookout.ask("/metrics")[1]


def test_a_second_one_of_a_file_says_who_writes_it(lookout: LookoutProcess, place: Place, tmp_path: Path) -> None:
    ended = run(command(write_settings(tmp_path, place)), cwd=tmp_path, env=environment())

    assert ended.returncode == 1
    assert f"another failure-agent lookout writes this database (process {lookout.pid})" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_what_is_hostile_is_a_dead_letter_and_holds_nobody_back(lookout: LookoutProcess, place: Place) -> None:
    hostile = [b"", b"\xff" * 1000, b"{}"]
    with closing(place.open_log()) as log, open_store(place.store_url) as store:
        with store.write() as connection:
            connection.exec_driver_sql(REFUSE)
        told = messages(failures(40))
        publish(log, [*told[:20], *(Message(key="job-1", payload=payload) for payload in hostile), *told[20:]])
        wait_until(lambda: count(store) == 39)
        wait_until(lambda: len(letters(place)) == 4)

    assert "run-13" not in {row[0] for row in rows(store)["job_run"]}
    assert {*hostile, told[13].payload} == {*letters(place)}
    wait_until(partial(shows, lookout, "failure_agent_lookout_unreadable_total 3.0"))
    wait_until(lookout.is_ready)


def letters(place: Place) -> list[bytes]:
    with closing(place.open_log()) as log:
        topic = dead_letter_topic(TOPIC, "lookout")
        if topic not in log.topics(topic):
            return []
        with closing(log.dead_letters(topic)) as found:
            return [letter.delivery.message.payload for letter in found.read()]


def test_while_its_database_is_gone_it_waits_and_loses_nothing(lookout: LookoutProcess, place: Place) -> None:
    file = Path(place.store_url.removeprefix("sqlite:///"))
    file.rename(file.with_name("moved.db"))
    with closing(place.open_log()) as log:
        publish(log, messages(failures(3)))

    wait_until(lambda: "waiting: the database" in lookout.ask("/readyz")[1])
    assert "was deleted or moved while it was open" in checked(lookout, "database")
    assert not file.exists()
    file.with_name("moved.db").rename(file)
    with open_store(place.store_url) as store:
        wait_until(lambda: count(store) == 3)
    wait_until(lookout.is_ready)


def checked(process: LookoutProcess, name: str) -> str:
    found: str = json.loads(process.ask("/readyz")[1])["checks"][name]["message"]
    return found


def test_what_is_late_is_said_until_settings_allow_it(lookout: LookoutProcess, place: Place, tmp_path: Path) -> None:
    write_settings(tmp_path, place, maxLag="1ms")
    wait_until(partial(has_logged, lookout, "settings and files were read again"))
    with closing(place.open_log()) as log:
        publish(log, messages(failures(1)))
    wait_until(lambda: "behind what was published; maxLag is 0.001s" in checked(lookout, "lag"))
    write_settings(tmp_path, place, maxLag="1h")
    wait_until(lookout.is_ready)


def test_what_is_past_is_pruned_as_soon_as_settings_say_so(
    lookout: LookoutProcess, place: Place, tmp_path: Path
) -> None:
    with closing(place.open_log()) as log, open_store(place.store_url) as store:
        publish(log, messages(failures(300)))
        wait_until(lambda: count(store) == 300)
        write_settings(tmp_path, place, retention="1h", logRetention="2h")
        wait_until(partial(has_logged, lookout, REFUSED))
        assert count(store) == 300
        write_settings(tmp_path, place, retention="1h", logRetention="1h")
        wait_until(lambda: count(store) == 0)
        publish(log, messages(failures(1)))
        wait_until(lambda: "too_old_total 1.0" in lookout.ask("/metrics")[1])

        assert count(store) == 0
        with store.read() as connection:
            assert sum(runs for runs, _ in rollups.stored(connection)[0].values()) == 300
    assert 'pruned_total{table="job_run"} 300.0' in lookout.ask("/metrics")[1]
    assert lookout.is_ready()
    assert lookout.terminate() == 0


def has_logged(process: LookoutProcess, event: str) -> bool:
    return event in [line["event"] for line in process.logged()]


def test_the_store_of_a_scheduler_is_refused(place: Place, tmp_path: Path) -> None:
    Store.open(place.store_url).close()
    ended = run(command(write_settings(tmp_path, place)), cwd=tmp_path, env=environment())

    assert (ended.returncode, "the database is a scheduler's store; use another one" in ended.stderr) == (1, True)


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        ({"store": {"url": "sqlite:///store.db"}}, 2, "store: no such setting"),
        ({"broker": {"url": "kafka://somewhere"}}, 2, "there is no such broker"),
        ({"database": {"url": "mysql://somewhere"}}, 2, "there is no such store"),
        ({"database": {"url": "sqlite:///lookout.yaml/lookout.db"}}, 3, "cannot be opened"),
    ],
)
def test_settings_that_cannot_work_are_said_at_once(
    place: Place, tmp_path: Path, changed: dict[str, object], code: int, said: str
) -> None:
    ended = run(command(write_settings(tmp_path, place, **changed)), cwd=tmp_path, env=environment())

    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr
    assert "Traceback" not in ended.stderr
