"""``failctl lookout replay``: what it says, what it refuses, and that it may be interrupted, killed and run beside."""

import io
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agent.broker.connect import connect
from agent.broker.port import Broker, Message
from agent.console.exits import Exit, FindingError, UnreachableError, UsageError
from agent.console.options import Form
from agent.ctl.lookout.connect import LookoutAddress
from agent.ctl.lookout.replay import ReplayRequest, replay
from agent.lookout.store.opening import open_store
from agent.lookout.store.tables import metadata
from agent.lookout.upkeep.replay import Replay
from agent.lookout.writer import writing
from agent.store.store import Store
from tests.child import PIPE, Child
from tests.lookout.process import LookoutProcess, assert_counted, count, rows, write_settings
from tests.lookout.upkeep.published import history, publish_all
from tests.lookout.upkeep.test_replay import refuse
from tests.scheduler.path import TOPIC, Place, now, publish, wait_until
from tests.scheduler.process import environment
from tests.servers.pulsar_namespace import PulsarNamespace


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.in_files(tmp_path)


@pytest.fixture
def log(place: Place) -> Iterator[Broker]:
    with closing(connect(place.broker_url)) as opened:
        yield opened


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    with open_store(place.store_url) as opened:
        yield opened


def replayed(
    place: Place, *, output: Form = "table", since: str = "beginning", dry_run: bool = False
) -> tuple[Exit, str, str]:
    out, err = io.StringIO(), io.StringIO()
    where = LookoutAddress(broker=place.broker_url, database=place.store_url)
    request = ReplayRequest(since=since, where=where, dry_run=dry_run, output=output)
    return replay(request, environ={}, now=now(), out=out, err=err), out.getvalue(), err.getvalue()


def test_what_was_added_is_shown_by_table_and_then_nothing_is(place: Place, log: Broker, store: Store) -> None:
    publish_all(log, history(5))

    code, said, complaints = replayed(place)

    assert (code, complaints) == (Exit.FINE, "")
    first, _, *table = said.splitlines()
    assert first == "32 messages were read."
    assert [line.split() for line in table[1:4]] == [
        ["TABLE", "ROWS", "BEFORE", "NOW"],
        ["cluster", "0", "1"],
        ["job", "0", "5"],
    ]
    assert max(map(len, said.splitlines())) <= 80
    assert replayed(place)[1].splitlines()[2:] == ["Everything was there already: no row was added or changed."]
    document = json.loads(replayed(place, output="json")[1])
    assert {name: document[name] for name in ("messages", "unreadable", "newer", "tooOld", "changed", "recounted")} == {
        "messages": 32, "unreadable": 0, "newer": 0, "tooOld": 0, "changed": 0, "recounted": 0,
    }  # fmt: skip # a line
    assert document["rows"]["job_run"] == {"before": 5, "now": 5}
    assert count(store) == 5


def test_a_dry_run_says_where_it_would_begin_and_stores_nothing(place: Place, log: Broker) -> None:
    assert replayed(place, dry_run=True) == (Exit.FINE, "No message would be read.\n", "")
    publish_all(log, history(2))

    code, said, _ = replayed(place, dry_run=True)

    assert code is Exit.FINE
    assert [line.split()[0] for line in said.splitlines()[2:]] == ["cluster-heartbeats-east", "job-events", TOPIC]
    document = json.loads(replayed(place, dry_run=True, output="json")[1])
    assert sorted(document["topics"]) == ["cluster-heartbeats-east", "job-events", TOPIC]
    assert "No message would be read" in replayed(place, dry_run=True, since="2999-01-01")[1]
    assert not Path(place.store_url.removeprefix("sqlite:///")).exists()


def test_what_cannot_be_stored_is_listed_and_is_a_finding(place: Place, log: Broker, store: Store) -> None:
    publish_all(log, history(2))
    publish(log, [Message(key="k", payload=b"\x1b[2Jpoison")])

    code, said, complaints = replayed(place)

    assert code is Exit.FINDING
    assert "1 of them could not be stored, and are listed above.\n" in said
    assert complaints.startswith(f"failctl: {TOPIC} ")
    assert "was left out: not a run-event: " in complaints
    assert "\x1b" not in complaints
    assert count(store) == 2


def test_from_a_time_without_messages_nothing_is_stored(place: Place, log: Broker, store: Store) -> None:
    publish_all(log, history(2))

    assert replayed(place, since="2999-01-01") == (Exit.FINE, "The topics have no message from then on.\n", "")
    assert count(store) == 0
    with pytest.raises(UsageError, match="--from yesterday: not a time"):
        replayed(place, since="yesterday")


def test_a_process_that_writes_the_file_is_named(place: Place, log: Broker, store: Store) -> None:
    publish_all(log, history(2))
    said = rf"another failure-agent lookout writes this database \(process {os.getpid()}\).*Stop that process"
    with writing(place.store_url), pytest.raises(FindingError, match=said):
        replayed(place)
    assert count(store) == 0


def test_a_database_that_does_not_exist_is_not_made(place: Place, log: Broker, tmp_path: Path) -> None:
    log.ping()
    with pytest.raises(UnreachableError, match=r"there is no store at .* start `failure-agent lookout`, which makes"):
        replayed(place)
    assert not list(tmp_path.glob("store*"))


def command(settings: Path) -> list[str]:
    return [
        sys.executable,
        "-m",
        "agent.ctl.main",
        "lookout",
        "replay",
        "--from",
        "beginning",
        "--settings",
        str(settings),
    ]


@pytest.mark.slow
def test_interrupted_it_says_how_to_go_on_and_leaves_a_database_that_is_right(
    place: Place, log: Broker, store: Store, tmp_path: Path
) -> None:
    publish_all(log, history(1500))
    with Child(command(write_settings(tmp_path, place)), stderr=PIPE, stdout=PIPE, env=environment()) as child:
        wait_until(lambda: count(store) > 0)
        child.send(signal.SIGINT)
        said, complaints = child.rest()
        assert child.wait() == 1
    assert "messages were read.\nThey were published from 20" in said
    assert "interrupted; what was read is stored. To go on, start it again with --from 20" in complaints
    assert 0 < count(store) < 1500
    assert_counted(store)

    assert replayed(place)[0] is Exit.FINE
    assert count(store) == 1500
    assert_counted(store)


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_on_pulsar_and_postgres_it_runs_beside_the_process_and_may_be_killed(
    pulsar_namespace: PulsarNamespace, postgres_store: str, tmp_path: Path
) -> None:
    place = Place(broker_url=f"{pulsar_namespace.broker.url}/{pulsar_namespace.name}", store_url=postgres_store)
    settings = write_settings(tmp_path, place)
    lookout = LookoutProcess(settings, log=tmp_path / "log")
    try:
        wait_until(lookout.is_ready)
        with closing(place.open_log()) as log, open_store(postgres_store) as store:
            publish_all(log, history(400))
            wait_until(lambda: count(store) == 400 and all_decided(store, 400))
            before = rows(store)
            with store.write() as connection:
                for table in metadata.sorted_tables:
                    connection.execute(table.delete())
            with Child(command(settings), env=environment()) as killed:
                wait_until(lambda: count(store) > 0)
                killed.kill()
            with Child(command(settings), stdout=PIPE, env=environment()) as child:
                assert child.wait() == 0
            assert rows(store) == before
            # The process stores what is new, at the same time.
            with Child(command(settings), stdout=PIPE, env=environment()) as child:
                publish_all(log, history(420)[len(history(400)) :])
                assert child.wait() == 0
            wait_until(lambda: all_decided(store, 420))
            assert_counted(store)
            with open_store(f"sqlite:///{tmp_path}/in-order.db") as other:
                list(Replay(store=other, left_out=refuse).run(log, since=None))
                assert rows(store) == rows(other)
        assert subscriptions(pulsar_namespace, TOPIC) == {"lookout", "scheduler"}
    finally:
        lookout.end()


def all_decided(store: Store, jobs: int) -> bool:
    return len(rows(store)["retry_decision"]) == jobs and len(rows(store)["run_failure"]) == jobs


def subscriptions(namespace: PulsarNamespace, topic: str) -> set[str]:
    return set(namespace.broker.admin.do("GET", f"persistent/{namespace.name}/{topic}/stats")["subscriptions"])
