"""The thread that prunes: what is past by its ages, what it does about errors, and when it looks again."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread

import pytest
from prometheus_client import REGISTRY

from agent.lookout.changes import Changes, Jobs
from agent.lookout.prune import Ages, Pruner
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.process import count, failures
from tests.lookout.store.databases import new_database
from tests.scheduler.path import wait_until
from tests.store.events import START

NOW = START + timedelta(days=30)
LONG = Ages(logs=timedelta(days=20), rest=timedelta(days=40))
SHORT = Ages(logs=timedelta(days=20), rest=timedelta(days=20))
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(new_database(tmp_path)) as opened:
        with opened.write() as connection:
            record(connection, failures(700))
        yield opened


@pytest.fixture
def stop() -> Event:
    return Event()


def pruner(store: Store, ages: Ages, changes: Changes | None = None) -> Pruner:
    return Pruner(store, ages, changes or Changes(), clock=lambda: NOW)


def test_what_has_gone_is_reported_once_when_it_all_has(store: Store, stop: Event) -> None:
    heard: list[Jobs] = []
    changes = Changes()
    changes.listen(heard.append)
    for ages in (LONG, SHORT, SHORT):
        pruner(store, ages, changes).prune(ages, stop)

    assert (heard, count(store)) == ([None], 0)


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(f"failure_agent_lookout_{name}", labels) or 0.0


@pytest.mark.parametrize(
    ("ages", "logs", "rest"),
    [
        (LONG, NOW - timedelta(days=20), NOW - timedelta(days=40)),
        (Ages(logs=timedelta(days=1), rest=timedelta.max), NOW - timedelta(days=1), datetime(1970, 1, 1, tzinfo=UTC)),
    ],
)
def test_what_is_past_is_older_than_the_ages_say(ages: Ages, logs: datetime, rest: datetime) -> None:
    past = ages.past(NOW)

    assert (past.logs, past.rest) == (logs, rest)
    assert past.day == rest.replace(hour=0)


def test_everything_past_is_pruned_and_said(store: Store, stop: Event) -> None:
    before = sample("pruned_total", table="job_run")

    assert pruner(store, SHORT).prune(SHORT, stop) == HOUR
    assert count(store) == 0
    assert sample("pruned_total", table="job_run") - before == 700
    assert sample("prune_timestamp_seconds") == NOW.timestamp()


def test_nothing_is_pruned_that_is_not_past(store: Store, stop: Event) -> None:
    assert pruner(store, LONG).prune(LONG, stop) == HOUR
    assert count(store) == 700


def test_an_error_of_the_database_is_counted_and_tried_again_soon(store: Store, stop: Event, tmp_path: Path) -> None:
    before, own = sample("prune_failures_total"), pruner(store, SHORT)
    (tmp_path / "lookout.db").rename(tmp_path / "moved.db")
    assert own.prune(SHORT, stop) == MINUTE
    assert sample("prune_failures_total") - before == 1

    (tmp_path / "moved.db").rename(tmp_path / "lookout.db")
    assert own.prune(SHORT, stop) == HOUR
    assert count(store) == 0


def test_it_stops_between_two_batches(store: Store, stop: Event) -> None:
    stop.set()
    pruner(store, SHORT).prune(SHORT, stop)

    assert 0 < count(store) < 700


def test_changed_ages_apply_without_a_restart(store: Store, stop: Event) -> None:
    own = pruner(store, LONG)
    thread = Thread(target=own.run, args=(stop,))
    thread.start()
    try:
        own.ages = SHORT
        wait_until(lambda: count(store) == 0)
    finally:
        stop.set()
        thread.join()
