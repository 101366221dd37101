"""``failctl lookout status``: what is stored and how far the broker reaches, in words and as a document."""

import io
import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from typer.testing import CliRunner

from agent.broker.connect import connect
from agent.broker.port import Broker, SubscriptionKind
from agent.console.exits import Exit, UnreachableError, UsageError
from agent.console.options import Form
from agent.ctl.lookout.connect import LookoutAddress
from agent.ctl.lookout.status import StatusRequest, show_status
from agent.ctl.main import app
from agent.lookout.store import horizon
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.broker.contract import take, until
from tests.lookout.process import failures, messages, write_settings
from tests.scheduler.path import TOPIC, Place, publish
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.store.events import START

NOW = START + timedelta(hours=2, minutes=5)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.in_files(tmp_path)


@pytest.fixture
def log(place: Place) -> Iterator[Broker]:
    with closing(connect(place.broker_url)) as opened:
        yield opened


@pytest.fixture
def database(place: Place) -> Iterator[Store]:
    with open_store(place.store_url) as store:
        yield store


def where(place: Place) -> LookoutAddress:
    return LookoutAddress(broker=place.broker_url, database=place.store_url)


def shown(address: LookoutAddress, output: Form = "table", *, now: datetime = NOW) -> str:
    out = io.StringIO()
    assert show_status(StatusRequest(where=address, output=output), environ={}, now=now, out=out) is Exit.FINE
    return out.getvalue()


def document(address: LookoutAddress, *, now: datetime = NOW) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(shown(address, "json", now=now))
    return found


def consume(broker: Broker, count: int) -> None:
    """Acknowledge the first messages as Lookout does."""
    kind = SubscriptionKind.KEY_SHARED
    with closing(broker.subscribe([TOPIC], name="lookout", kind=kind, consumer="c")) as subscription:
        take(subscription, count)


def test_what_is_stored_is_counted(place: Place, log: Broker, database: Store) -> None:
    assert log.topics("") == []
    with database.write() as connection:
        record(connection, failures(90))
        horizon.move(connection, START)

    said = shown(where(place))

    assert "neither an agent nor a scheduler has published anything yet" in said
    assert "Runs are counted that ended in the hours from 2026-11-21 12:00 UTC to 2026-11-21 13:00 UTC.\n" in said
    assert "Runs that ended before 2026-11-21 00:00 UTC were pruned; their counts stay.\n" in said
    for line in ("job                30", "job_run            90", "2026-11-21 13:00 UTC    30        30"):
        assert f"\n{line}\n" in said
    found = document(where(place))
    assert found["rows"]["job_run"] == 90
    assert [hour["runs"] for hour in found["hours"]] == [0, 30, 60, 0, 0, 0]
    files = [Path(f"{place.store_url}{end}".removeprefix("sqlite:///")) for end in ("", "-wal")]
    assert found["bytes"] == sum(file.stat().st_size for file in files) > 100_000


def test_a_single_hour_is_no_span(place: Place, log: Broker, database: Store) -> None:
    assert log.topics("") == []
    with database.write() as connection:
        record(connection, failures(1))

    assert "Runs are counted that ended in the hour of 2026-11-21 12:00 UTC.\n" in shown(where(place))


def test_what_waits_with_the_broker_is_said(place: Place, log: Broker, database: Store) -> None:
    del database
    publish(log, messages(failures(5)))
    (topic,) = document(where(place))["topics"]
    assert (topic["topic"], topic["messages"], topic["subscribed"], topic["backlog"]) == (TOPIC, 5, False, 5)
    assert "run-events-east has no subscription lookout yet" in shown(where(place))

    consume(log, 3)

    now = datetime.now(UTC) + timedelta(minutes=2)
    (topic,) = document(where(place), now=now)["topics"]
    assert (topic["messages"], topic["subscribed"], topic["backlog"]) == (5, True, 2)
    assert 120 <= topic["lagSeconds"] < 150
    assert topic["oldest"] <= topic["oldestInBacklog"]
    said = shown(where(place), now=now)
    assert said.splitlines()[1].split() == ["TOPIC", "REACHES", "BACK", "TO", "MESSAGES", "BACKLOG", "LAG"]
    assert "has no subscription" not in said
    assert max(len(line) for line in said.splitlines() if "sqlite:" not in line) <= 80


def test_without_a_broker_the_database_is_shown_and_the_error_follows(place: Place, database: Store) -> None:
    del database
    out = io.StringIO()
    with pytest.raises(UnreachableError, match="there is no event log at"):
        show_status(StatusRequest(where=where(place)), environ={}, now=NOW, out=out)
    assert "job_run             0\n" in out.getvalue()


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("0000", "at revision 0000, this version needs .*; `failure-agent lookout` of this version makes and migrates"),
        ("9999", "tables of a later version need that version's failctl"),
    ],
)
def test_tables_of_another_version_are_said_with_the_fix(place: Place, database: Store, found: str, said: str) -> None:
    with database.write() as connection:
        connection.execute(text("UPDATE lookout_version SET version_num = :found"), {"found": found})
    with pytest.raises(UnreachableError, match=said):
        shown(where(place))


def test_what_is_no_database_of_lookout_is_said_with_the_fix(place: Place, tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match=r"there is no store at .*; correct database.url, or start"):
        shown(where(place))
    Store.open(place.store_url).close()
    with pytest.raises(UnreachableError, match="the database is a scheduler's store; use another one"):
        shown(where(place))
    (tmp_path / "empty.db").touch()
    with pytest.raises(UnreachableError, match=r"at revision none.*makes and migrates"):
        shown(LookoutAddress(broker=place.broker_url, database=f"sqlite:///{tmp_path}/empty.db"))


def test_addresses_must_be_given(place: Place) -> None:
    with pytest.raises(UsageError, match=r"which database.*--settings FILE of a Lookout"):
        shown(LookoutAddress())
    with pytest.raises(UsageError, match="which broker"):
        shown(LookoutAddress(database=place.store_url))
    with pytest.raises(UsageError, match="there is no such store"):
        shown(LookoutAddress(broker=place.broker_url, database="mysql://somewhere"))


def test_it_is_a_command_that_takes_the_settings_of_the_process(
    place: Place, log: Broker, database: Store, tmp_path: Path
) -> None:
    del log, database
    file = write_settings(tmp_path, place)

    ended = CliRunner().invoke(app, ["lookout", "status", "--settings", str(file), "-o", "json"])

    assert ended.exit_code == 0, ended.output
    assert json.loads(ended.output)["database"] == place.store_url


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_on_pulsar_and_postgres_it_says_what_it_cannot_know(
    pulsar_namespace: PulsarNamespace, postgres_store: str, tmp_path: Path
) -> None:
    place = Place(broker_url=f"{pulsar_namespace.broker.url}/{pulsar_namespace.name}", store_url=postgres_store)
    with closing(place.open_log()) as log, open_store(postgres_store) as store, store.write() as connection:
        record(connection, failures(2))
        publish(log, messages(failures(5)))
        consume(log, 3)
    blind, seeing = tmp_path / "blind", tmp_path / "seeing"
    blind.mkdir()
    seeing.mkdir()
    without = LookoutAddress(settings=write_settings(blind, place))
    admin = {"url": place.broker_url, "pulsar": {"adminUrl": pulsar_namespace.broker.admin_url}}
    knowing = LookoutAddress(settings=write_settings(seeing, place, broker=admin))

    (topic,) = document(without)["topics"]
    assert (topic["messages"], topic["backlog"], topic["lagSeconds"], topic["oldest"] is None) == (None,) * 3 + (False,)
    assert "?: only Pulsar's admin API knows this" in shown(without)
    until(lambda: document(knowing)["topics"][0]["backlog"] == 2)
    (topic,) = document(knowing)["topics"]
    assert (topic["messages"], topic["subscribed"]) == (5, True)
    assert document(knowing)["rows"]["job_run"] == 2
    assert document(knowing)["bytes"] > 100_000
