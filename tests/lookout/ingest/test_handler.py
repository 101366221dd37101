"""A batch is stored whole or not at all, and what is wrong is told as the consumer needs to know it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from prometheus_client import REGISTRY

from agent.api.v1 import events_pb2
from agent.broker.consume.consumer import NewerVersionNeeded, PoisonError, TransientError
from agent.broker.port import Delivery, Message
from agent.lookout.changes import Changes, Jobs
from agent.lookout.ingest.handler import Ingest, StoredAttempts
from agent.lookout.ingest.lag import Lag
from agent.lookout.store import horizon
from agent.lookout.store.opening import open_store
from agent.store.errors import RowRefused
from agent.store.store import Store
from agent.wire import events, heartbeat
from tests.lookout.ingest.test_messages import BEAT
from tests.lookout.ingest.test_messages import delivery as on_topic
from tests.lookout.process import count, failures, messages, rows
from tests.lookout.store.databases import new_database
from tests.scheduler.path import delivery
from tests.store.events import START

PUBLISHED = datetime(2026, 1, 2, tzinfo=UTC)
NOW = PUBLISHED + timedelta(hours=1)
LATER = b"\x9a\x06\x00"
"""A field that only a later version knows."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(new_database(tmp_path)) as opened:
        yield opened


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
def ingest(store: Store, changes: Changes) -> Ingest:
    return Ingest(store=store, lag=Lag(lambda: NOW), changes=changes)


def deliveries(number: int) -> list[Delivery]:
    return [delivery(sent, published_at=PUBLISHED) for sent in messages(failures(number))]


def unknown() -> Delivery:
    """An event of a kind that only a later version knows."""
    sent = events_pb2.RunEvent.FromString(events.encode(failures(1)[0]))
    sent.ClearField("failure")
    return delivery(Message(key="job-0", payload=sent.SerializeToString() + LATER))


def total(name: str) -> float:
    return REGISTRY.get_sample_value(f"failure_agent_lookout_{name}_total") or 0.0


def test_what_is_stored_is_reported_with_its_jobs_and_heartbeats_are_not(ingest: Ingest, changes: Changes) -> None:
    heard: list[Jobs] = []
    changes.listen(heard.append)
    ingest.handle(deliveries(5))
    with pytest.raises(PoisonError):
        ingest.handle([*deliveries(1), delivery(Message(key="job-0", payload=b"\xff"))])
    ingest.handle([on_topic("cluster-heartbeats-east", heartbeat.encode(BEAT))])

    assert heard == [frozenset({"job-0", "job-1"})]


def test_a_batch_that_comes_again_changes_nothing_and_counts_nothing_new(ingest: Ingest, store: Store) -> None:
    runs, failed = total("runs"), total("failures")
    ingest.handle(deliveries(5))
    before = rows(store)
    ingest.handle(deliveries(5)[::-1])

    assert rows(store) == before
    assert count(store) == 5
    assert (total("runs") - runs, total("failures") - failed) == (5, 5)


def test_what_was_pruned_is_counted_and_not_stored_again(ingest: Ingest, store: Store) -> None:
    with store.write() as connection:
        horizon.move(connection, START + timedelta(days=1))
    too_old = total("too_old")
    ingest.handle(deliveries(5))

    assert count(store) == 0
    assert total("too_old") - too_old == 5


def test_what_cannot_be_read_is_poison_and_leaves_nothing(ingest: Ingest, store: Store) -> None:
    hostile = delivery(Message(key="k", payload=b"not a run event"))
    unreadable = total("unreadable")
    with pytest.raises(PoisonError, match="not a run-event: "):
        ingest.handle([*deliveries(2), hostile])
    assert total("unreadable") == unreadable
    with pytest.raises(PoisonError):
        ingest.handle([hostile])

    assert total("unreadable") == unreadable + 1
    assert count(store) == 0


def test_nul_is_poison_and_lines_of_any_length_are_stored(ingest: Ingest, store: Store) -> None:
    sent = failures(1)[0]
    long = replace(sent, event_id="e1", identity=replace(sent.identity, queue="ä" * 65536, run_id="r" * 65536))
    nul = replace(sent, identity=replace(sent.identity, queue="a\x00"))

    with pytest.raises(PoisonError, match=r"identity\.queue holds NUL"):
        ingest.handle([delivery(sent) for sent in messages([nul])])
    ingest.handle([delivery(sent) for sent in messages([long])])
    assert count(store) == 1


def test_what_only_a_later_version_can_read_is_named(ingest: Ingest, store: Store) -> None:
    later = unknown()
    with pytest.raises(NewerVersionNeeded, match="RunEvent with event 99") as raised:
        ingest.handle([*deliveries(2), later])

    assert raised.value.deliveries == [later]
    assert count(store) == 0


def test_an_unreachable_database_is_nobodys_fault_and_seen_in_the_lag(
    ingest: Ingest, tmp_path: Path, store: Store
) -> None:
    file = tmp_path / "lookout.db"
    file.rename(tmp_path / "moved.db")
    with pytest.raises(TransientError, match="deleted or moved"):
        ingest.handle(deliveries(1))
    assert ingest.lag.now() == timedelta(hours=1)
    (tmp_path / "moved.db").rename(file)

    ingest.handle(deliveries(1))
    assert count(store) == 1


def test_a_database_of_a_later_version_is_nobodys_fault(ingest: Ingest, store: Store) -> None:
    with store.write() as connection:
        connection.exec_driver_sql("UPDATE lookout_version SET version_num = '9999'")

    with pytest.raises(TransientError, match="9999"):
        ingest.handle(deliveries(1))


def test_a_row_that_the_database_refuses_is_told_as_it_is(ingest: Ingest, store: Store) -> None:
    with store.write() as connection:
        connection.exec_driver_sql(
            "CREATE TRIGGER refuse BEFORE INSERT ON job_run BEGIN SELECT RAISE(ABORT, 'refused'); END"
        )

    with pytest.raises(RowRefused, match="refused"):
        ingest.handle(deliveries(1))


def test_failed_attempts_are_counted_until_they_are_forgotten(store: Store) -> None:
    attempts = StoredAttempts(store=store, clock=lambda: NOW)
    assert [attempts.failed("f", error="\x00") for _ in range(3)] == [1, 2, 3]
    attempts.forget("f")
    assert attempts.failed("f", error="") == 1
