"""Several Lookouts on Pulsar and Postgres, killed again and again: what they stored equals what one stores in order."""

import random
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from agent.lookout.store.opening import open_store
from tests.lookout.process import (
    LookoutProcess,
    assert_counted,
    count,
    failures,
    has_stored,
    messages,
    rows,
    rows_of,
    write_settings,
)
from tests.scheduler.path import Place, publish, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]

RUNS = 300


@pytest.fixture
def place(request: pytest.FixtureRequest) -> Place:
    namespace = request.getfixturevalue("pulsar_namespace")
    url = f"{namespace.broker.url}/{namespace.name}"
    return Place(broker_url=url, store_url=request.getfixturevalue("postgres_store"))


@pytest.fixture
def started() -> Iterator[list[LookoutProcess]]:
    """Every process a test starts; they end with it."""
    processes: list[LookoutProcess] = []
    yield processes
    for process in processes:
        process.end()


def test_two_that_share_the_work_and_are_killed_store_everything_once(
    place: Place, started: list[LookoutProcess], tmp_path: Path
) -> None:
    settings, draw = write_settings(tmp_path, place), random.Random(46)  # noqa: S311 - when to kill
    told = failures(RUNS)
    sent = [*messages(told), *messages(told)[::4]]
    draw.shuffle(sent)
    with closing(place.open_log()) as log, open_store(place.store_url) as store:
        for life in range(2):
            pair = [LookoutProcess(settings, log=tmp_path / f"log-{life}-{name}") for name in "ab"]
            started.extend(pair)
            for process in pair:
                wait_until(process.is_ready)
            enough = count(store) + draw.randint(1, 40)
            publish(log, sent[life::2])
            wait_until(partial(has_stored, store, enough))
            for process in pair:
                process.kill()
        last = LookoutProcess(settings, log=tmp_path / "log-last")
        started.append(last)
        wait_until(last.is_ready)
        wait_until(partial(has_stored, store, RUNS))
        assert last.terminate() == 0
        assert_counted(store)
        assert rows(store) == rows_of(told, tmp_path)
