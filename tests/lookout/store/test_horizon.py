"""What was pruned does not come back with old messages, neither in part nor in the counts."""

from datetime import timedelta

import pytest

from agent.core.job_event import JobContent, JobEvent, JobRequested, JobSubmitted, RequestKind, RunLeased
from agent.core.run_event import RunEvent, RunPhase
from agent.lookout.store import horizon, rollups
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import Recorded, record
from agent.store.store import Store
from tests.lookout.store.databases import contents
from tests.store.events import START, event, failed

DAY = 86_400
BEFORE, SINCE = -DAY, 2 * DAY
"""Seconds after START of a message from before the horizon, and of one from after it."""


def job_event(number: int, content: JobContent, *, after: float, job: str = "job-1") -> JobEvent:
    return JobEvent(
        event_id=f"j{number}", job_id=job, sequence=number, at=START + timedelta(seconds=after), event=content
    )


def running(run: str, *, after: float, job: str = "job-1") -> RunEvent:
    return event(f"{run} {after}", RunPhase.RUNNING, run=run, job=job, after=after)


SUBMITTED = job_event(1, JobSubmitted(name="train", client_id="c"), after=BEFORE)
LEASED = job_event(
    2,
    RunLeased(run_id="old", index=0, attempt=0, cluster_id="uid", cluster="east", pod_name="p"),
    after=BEFORE,
)
REQUESTED = job_event(3, JobRequested(kind=RequestKind.CANCEL, by="ann"), after=BEFORE)
FAILED = event("e1", failed(), run="old", after=BEFORE)


@pytest.fixture
def moved(database: Store) -> Store:
    """A database whose horizon is after START."""
    with database.write() as connection:
        horizon.move(connection, START + timedelta(days=1))
    return database


def put(database: Store, *batch: Entry) -> Recorded:
    with database.write() as connection:
        return record(connection, batch)


def names(database: Store, table: str, column: str) -> list[str]:
    with database.read() as connection:
        return [row[column] for row in contents(connection)[table]]


@pytest.mark.parametrize("old", [SUBMITTED, LEASED, REQUESTED, FAILED, running("old", after=BEFORE)])
def test_an_old_message_about_what_is_not_stored_leaves_nothing(moved: Store, old: Entry) -> None:
    with moved.read() as connection:
        before = contents(connection)

    assert put(moved, old) == Recorded(runs=0, failures=0, too_old=1)
    with moved.read() as connection:
        assert contents(connection) == before


def test_the_rest_of_its_batch_is_stored(moved: Store) -> None:
    added = put(moved, FAILED, running("new", job="job-2", after=SINCE), SUBMITTED)

    assert added == Recorded(runs=1, failures=0, too_old=2)
    assert names(moved, "job_run", "run_id") == ["new"]
    assert names(moved, "job", "job_id") == ["job-2"]


def test_an_old_message_is_stored_with_a_later_one_about_its_run(moved: Store) -> None:
    assert put(moved, FAILED, running("old", after=SINCE)) == Recorded(runs=1, failures=1)
    assert put(moved, LEASED, SUBMITTED).too_old == 0
    with moved.read() as connection:
        (row,) = contents(connection)["job_run"]
        assert (row["state"], row["leased_at"]) == ("failed", LEASED.at)
        assert rollups.stored(connection) == rollups.recount(connection) == ({}, {}, {})


def test_an_earlier_run_of_a_job_that_goes_on_stays_pruned(moved: Store) -> None:
    put(moved, running("new", after=SINCE))

    assert put(moved, FAILED, SUBMITTED, REQUESTED) == Recorded(runs=0, failures=0, too_old=1, changed=1)
    assert names(moved, "job_run", "run_id") == ["new"]
    assert names(moved, "job", "name") == ["train"]
    assert names(moved, "job_request", "event_id") == ["j3"]


def test_a_failure_that_is_reported_late_is_stored_and_not_counted(moved: Store) -> None:
    late = event("e1", failed(), run="old", after=DAY / 2 - 0.5)
    assert (late.occurred_at.day, late.observed_at.day) == (21, 22)

    assert put(moved, late) == Recorded(runs=1, failures=1)
    with moved.read() as connection:
        assert contents(connection)["rollup_hour"] == []


def test_without_a_horizon_everything_is_stored(database: Store) -> None:
    assert put(database, FAILED, SUBMITTED, LEASED, REQUESTED) == Recorded(runs=1, failures=1)
