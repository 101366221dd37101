from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from itertools import pairwise

import pytest
from alembic.migration import MigrationContext
from alembic.operations import Operations
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from sqlalchemy import delete, select, text, update

from agent.core.decision.verdict import Verdict
from agent.core.failure import Occurrence
from agent.core.run_event import Amendment, RunEvent, RunPhase
from agent.scheduler.consume.batch import arrivals
from agent.store import failures, jobs, runs, verdicts
from agent.store.columns import Row
from agent.store.migrations.versions import __name__ as versions
from agent.store.runs import ReceivedEvent
from agent.store.store import Store
from agent.store.tables.failures import info_table
from agent.store.tables.failures import table as failure_table
from agent.store.tables.jobs import table
from agent.store.tables.runs import table as run_table
from agent.store.tables.verdicts import table as verdict_table
from agent.store.verdicts import NewVerdict
from tests.store.databases import new_store
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import START, event, failed, submit
from tests.store.test_rows import FAIL, RETRY

Decided = dict[str, Verdict]


def tell(store: Store, told: Sequence[RunEvent], decided: Decided) -> None:
    """One batch; the failures that ``decided`` names get its verdicts when they are new."""
    with store.write() as connection:
        there = arrivals(told)
        fresh = failures.store_new(connection, there, stored_at=START)
        new = list({one.event.event_id: one for one in there if one.event.event_id in fresh}.values())
        made = [
            NewVerdict(event=one.event, verdict=decided[one.event.event_id], decided_at=START)
            for one in new
            if one.event.event_id in decided
        ]
        verdicts.insert(connection, made)
        recorded = runs.record(connection, [ReceivedEvent(event=one) for one in told])
        jobs.record(connection, recorded.rows, began=recorded.began, events=told, arrivals=new, decided=made)


def rows(store: Store) -> list[Row]:
    with store.read() as connection:
        return [dict(row) for row in connection.execute(select(table).order_by(table.c.job_id)).mappings()]


def row(store: Store, *told: RunEvent, decided: Decided | None = None) -> Row:
    for one in told:
        tell(store, [one], decided or {})
    (found,) = rows(store)
    return found


def oom(event_id: str, run: str, after: float) -> RunEvent:
    return event(event_id, failed(), run=run, after=after)


def state(run: str, phase: RunPhase, after: float) -> RunEvent:
    return event(f"{run}-{phase}", phase, run=run, after=after)


def test_a_job_that_runs_has_not_failed(store: Store) -> None:
    found = row(store, state("a", RunPhase.PENDING, 0), state("a", RunPhase.RUNNING, 5))

    assert (found["state"], found["failed_at"], found["runs"], found["latest_run"]) == ("running", None, 1, "a")
    assert (found["reversed_id"], found["queue"], found["job_set"]) == ("1-boj", "ml", "set")


def test_the_last_time_of_a_job_moves_when_a_run_begins_or_ends_and_not_between(store: Store) -> None:
    times = [
        row(store, one)["last_at"]
        for one in (
            state("a", RunPhase.PENDING, 0),
            state("a", RunPhase.RUNNING, 5),
            state("a", RunPhase.FAILED, 7),
            state("b", RunPhase.PENDING, 9),
            state("b", RunPhase.RUNNING, 11),
        )
    ]

    assert [(time - times[0]).total_seconds() for time in times] == [0, 0, 7, 9, 9]


def test_a_submitted_job_whose_last_verdict_is_retry_waits_until_a_run_is_seen(store: Store) -> None:
    submit(store, "job-1")
    assert row(store, oom("x", "a", 1), decided={"x": RETRY})["state"] == "waiting"
    assert row(store, state("a", RunPhase.FAILED, 2))["state"] == "waiting"

    found = row(store, state("b", RunPhase.PENDING, 3))
    assert (found["state"], found["action"], found["category"], found["runs"]) == ("running", None, "oom", 2)
    assert row(store, state("b", RunPhase.SUCCEEDED, 4))["state"] == "recovered"


def test_a_job_that_nobody_submitted_does_not_wait_for_a_retry(store: Store) -> None:
    found = row(store, oom("x", "a", 1), decided={"x": RETRY})

    assert (found["state"], found["action"]) == ("still-failed", "retry")


def test_jobs_that_an_earlier_version_left_waiting_have_still_failed_unless_they_were_submitted(store: Store) -> None:
    row(store, oom("x", "a", 1), decided={"x": RETRY})
    for submitted, state_after in ((False, "still-failed"), (True, "waiting")):
        with store.write() as connection:
            connection.execute(update(table).values(state="waiting"))
        if submitted:
            submit(store, "job-1")
        leave_waiting_to_submitted(store)
        (found,) = rows(store)
        assert found["state"] == state_after


def test_a_job_whose_latest_run_failed_for_good_is_still_failed(store: Store) -> None:
    found = row(store, oom("x", "a", 1), oom("y", "b", 2), decided={"x": RETRY, "y": FAIL})

    assert (found["state"], found["action"], found["decided_event"]) == ("still-failed", "fail", "y")
    assert (found["failed_run"], found["exit_code"], found["container"]) == ("a", 137, "main")


def test_a_restart_in_place_is_no_failed_run(store: Store) -> None:
    restarted = event("r", failed(Occurrence.CONTAINER_RESTARTED), run="a", after=1)
    found = row(store, restarted, state("a", RunPhase.SUCCEEDED, 2))

    assert (found["state"], found["failed_run"], found["category"]) == ("succeeded", None, None)


def test_a_job_whose_pods_cannot_be_created_has_not_failed(store: Store) -> None:
    refused = event("n", failed(Occurrence.NEVER_CREATED), run="job-1", after=1)

    found = row(store, refused)
    assert (found["state"], found["failed_run"], found["category"]) == ("running", None, None)
    found = row(store, state("a", RunPhase.RUNNING, 2), state("a", RunPhase.SUCCEEDED, 3))
    assert (found["state"], found["failed_run"], found["latest_run"]) == ("succeeded", None, "a")


def test_a_run_that_failed_before_the_latest_is_recovered_from_whatever_restarted_first(store: Store) -> None:
    restarted = event("r", failed(Occurrence.CONTAINER_RESTARTED), run="b", after=2)
    begun = (state("a", RunPhase.RUNNING, 0), state("b", RunPhase.RUNNING, 1), restarted)
    found = row(store, *begun, oom("x", "a", 3), state("b", RunPhase.SUCCEEDED, 4))

    assert (found["state"], found["failed_run"]) == ("recovered", "a")


def test_a_halted_run_that_nothing_follows_is_still_failed(store: Store) -> None:
    halted = event("h", failed(Occurrence.DEADLINE_EXCEEDED), run="a", after=1)

    assert row(store, state("a", RunPhase.RUNNING, 0), halted, decided={"h": FAIL})["state"] == "still-failed"


def amendment(event_id: str, amends: str, run: str, after: float) -> RunEvent:
    late = structs.replace(failed(), classification=structs.replace(failed().classification, category="disk"))
    return event(event_id, Amendment(amends=amends, failure=late), run=run, after=after)


EVENTS = [
    state("a", RunPhase.PENDING, 0),
    state("a", RunPhase.RUNNING, 9),
    event("ar", failed(Occurrence.CONTAINER_RESTARTED), run="a", after=9.5),
    oom("af", "a", 10),
    state("a", RunPhase.FAILED, 10),
    state("b", RunPhase.PENDING, 2),
    event("bh", failed(Occurrence.DEADLINE_EXCEEDED), run="b", after=20),
    oom("bf", "b", 21),
    amendment("bx", "bh", "b", 20),
    state("c", RunPhase.PENDING, 1),
    state("c", RunPhase.RUNNING, 30),
]
VERDICTS: Decided = {"af": RETRY, "bh": FAIL}


@pytest.fixture(scope="module")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store.open(new_store(tmp_path_factory.mktemp("jobs"))) as opened:
        yield opened


def forget(store: Store, *tables: str) -> None:
    with store.write() as connection:
        for one in (verdict_table, info_table, failure_table, run_table, table):
            if not tables or one.name in tables:
                connection.execute(delete(one))


def batches(order: Sequence[RunEvent], cuts: Iterable[int]) -> list[Sequence[RunEvent]]:
    edges = sorted({0, len(order), *cuts})
    return [order[start:end] for start, end in pairwise(edges)]


@pytest.mark.slow
@given(order=st.permutations(EVENTS * 2), cuts=st.sets(st.integers(0, 2 * len(EVENTS)), max_size=5))
def test_a_job_is_the_same_in_whatever_order_and_batches_its_events_come(
    sqlite: Store, order: list[RunEvent], cuts: set[int]
) -> None:
    forget(sqlite)
    tell(sqlite, EVENTS, VERDICTS)
    at_once = rows(sqlite)
    forget(sqlite)
    for batch in batches(order, cuts):
        tell(sqlite, batch, VERDICTS)

    assert rows(sqlite) == at_once
    assert [(one["latest_run"], one["state"], one["category"]) for one in at_once] == [("b", "still-failed", "disk")]


@pytest.mark.slow
@given(
    phases=st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(RunPhase), st.integers(0, 9)), min_size=1, max_size=9
    ),
    ends=st.dictionaries(st.sampled_from("abc"), st.tuples(st.integers(0, 9), st.sampled_from([RETRY, FAIL, None]))),
)
def test_the_migration_makes_the_rows_that_consuming_makes(
    sqlite: Store, phases: list[tuple[str, RunPhase, int]], ends: dict[str, tuple[int, Verdict | None]]
) -> None:
    forget(sqlite)
    # A run keeps no time but that of its beginning and that of its furthest phase, so each has one here.
    told = list({run: state(run, phase, after) for run, phase, after in phases}.values())
    decided = {f"f-{run}": verdict for run, (_, verdict) in ends.items() if verdict is not None}
    tell(sqlite, [*told, *(oom(f"f-{run}", run, after + 10) for run, (after, _) in ends.items())], decided)
    made = rows(sqlite)
    forget(sqlite, "job")
    fill(sqlite)

    assert rows(sqlite) == made


def fill(store: Store) -> None:
    """What the migrations do to a store that has runs and no jobs."""
    migration = import_module(f"{versions}.0004_jobs")
    with store.write() as connection:
        driver = connection.connection.driver_connection
        assert driver is not None
        driver.create_function("reverse", 1, lambda given: given[::-1])
        connection.execute(text(migration.FILL))
    leave_waiting_to_submitted(store)


def leave_waiting_to_submitted(store: Store) -> None:
    with store.write() as connection, Operations.context(MigrationContext.configure(connection)):
        import_module(f"{versions}.0015_states").upgrade()


def test_a_store_of_the_revision_before_gets_its_jobs(store_url: str) -> None:
    with earlier(store_url, "0003") as connection:
        told = (state("run-1", RunPhase.FAILED, 0), state("run-2", RunPhase.SUCCEEDED, 5))
        insert_earlier(connection, run_table, [runs._row(ReceivedEvent(event=one)) for one in told])
    with Store.open(store_url) as store:
        (found,) = rows(store)
        with store.read() as connection:
            backwards = set(connection.scalars(select(run_table.c.reversed_id)))

    assert (found["latest_run"], found["state"], found["runs"]) == ("run-2", "succeeded", 2)
    assert (found["reversed_id"], backwards) == ("1-boj", {"1-nur", "2-nur"})
