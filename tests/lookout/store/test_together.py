"""Several processes store the same messages at once, each in an order of its own."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from random import Random
from threading import Event

import pytest
from sqlalchemy import text

from agent.core.failure import Occurrence
from agent.core.run_event import Amendment, RunEvent, RunPhase
from agent.lookout.store import rollups
from agent.lookout.store.opening import open_store
from agent.lookout.store.pruning import Bounds, OtherPruner, Past, prune
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.store.databases import contents, stored
from tests.lookout.store.pruned import SMALL, counts, deleted, left, recount, without
from tests.store.databases import rolled_back
from tests.store.events import START, event, failed

WRITERS = 4
BATCH = 15
CATEGORIES = ("oom", "gpu", "disk")
PLANS = """
    SELECT sum(custom_plans), sum(generic_plans) FROM pg_prepared_statements WHERE cardinality(parameter_types) > 0
"""


def of_run(number: int) -> list[RunEvent]:
    """All that is reported of a run that fails, is deleted, and is understood later."""
    run, job, after = f"run-{number}", f"job-{number // 3}", number * 600
    late = failed(categories=[CATEGORIES[number % 3]])
    return [
        event(f"s{number}", RunPhase.RUNNING, run=run, job=job, after=after),
        event(f"f{number}", failed(), run=run, job=job, after=after + 1),
        event(f"d{number}", failed(Occurrence.DELETED_EXTERNALLY), run=run, job=job, after=after + 2),
        event(f"a{number}", Amendment(amends=f"f{number}", failure=late), run=run, job=job, after=after + 3),
    ]


def write(url: str, sent: Sequence[RunEvent], seed: int) -> None:
    """As a process does: with connections of its own."""
    order = Random(seed).sample(sent, len(sent))  # noqa: S311 - an order, not a secret
    with open_store(url) as store:
        for start in range(0, len(order), BATCH):
            with store.write() as connection:
                record(connection, order[start : start + BATCH])


def test_writers_at_once_store_what_one_stores(database: Store, database_url: str) -> None:
    sent = [found for number in range(30) for found in of_run(number)]
    with rolled_back(database) as connection:
        expected = stored(connection, sent)

    with ThreadPoolExecutor(WRITERS) as writers:
        for done in [writers.submit(write, database_url, sent, seed) for seed in range(WRITERS)]:
            done.result()

    with database.read() as connection:
        assert contents(connection) == expected
        assert rollups.stored(connection) == rollups.recount(connection)


PAST = Past(logs=START, rest=START + timedelta(hours=36))
"""Before the second midnight, when most of the runs have ended, and none is in the middle of what is reported of it."""
PAUSE = 0.02
FINAL = ("rollup_hour", "rollup_day", "rollup_node_day", "horizon")


def prune_all(url: str, stop: Event) -> None:
    """As a process does, but again and again."""
    with open_store(url) as store:
        while not stop.is_set():
            try:
                for _ in prune(store, PAST, Bounds(batch=3)):
                    stop.wait(PAUSE)
            except OtherPruner:
                pass
            stop.wait(PAUSE)


def recount_all(url: str, stop: Event) -> None:
    with open_store(url) as store:
        while not stop.wait(PAUSE):
            with store.write() as connection:
                rollups.rebuild(connection)


def test_who_prunes_and_who_recounts_change_nothing_that_is_not_past(database: Store, database_url: str) -> None:
    sent = [found for number in range(30) for found in of_run(number * 12)]
    with rolled_back(database) as connection:
        expected = left(stored(connection, sent), PAST, SMALL)
    stop = Event()

    with ThreadPoolExecutor(WRITERS + 3) as threads:
        others = [threads.submit(work, database_url, stop) for work in (prune_all, prune_all, recount_all)]
        try:
            for done in [threads.submit(write, database_url, sent, seed) for seed in range(WRITERS)]:
                done.result()
        finally:
            stop.set()
        for other in others:
            other.result()
    deleted(database, PAST)

    with database.read() as connection:
        assert without(contents(connection), *FINAL) == without(expected, *FINAL)
        assert counts(connection)[1] == recount(connection)


@pytest.mark.slow
def test_postgres_keeps_no_plan_from_when_the_tables_were_small(postgres_store: str) -> None:
    with open_store(postgres_store) as database, database.write() as connection:
        for _ in range(20):
            record(connection, of_run(1))
        plans = connection.execute(text(PLANS)).one()

    assert plans[0] > 0
    assert plans[1] == 0
