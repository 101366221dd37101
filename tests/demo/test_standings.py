"""What the demo reads about submitted jobs."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection

from agent.core.job_event import RequestKind
from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.inputs import Retry
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.state import State
from agent.demo.outcome import Closure, JobStanding, LeasedRun
from agent.demo.standings import read_closures, read_runs, read_standings
from agent.store.store import Store
from agent.store.submitted.requests import JobRequest, record
from tests.core.lifecycle.made import T0, after
from tests.store.databases import new_store
from tests.store.submitted.made import change, played

FAILED = ("1s leased {0}-0 confirmed", "2s created {0}-0 {0}-u0", "3s failed {0}-u0 fail confirmed")
RETRIED = (
    *FAILED[:2],
    "3s failed {0}-u0 retry confirmed",
    "15s leased {0}-1 confirmed",
    "16s created {0}-1 {0}-u1",
)


def saved(connection: Connection, job_id: str, *lines: str) -> SubmittedJob:
    """A job after these lines, in which {0} is its id."""
    return played(connection, job_id, [line.format(job_id) for line in lines])


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


def test_a_job_stands_with_its_state_its_retries_and_its_end(store: Store) -> None:
    with store.write() as connection:
        saved(connection, "queued")
        saved(connection, "retried", *RETRIED)
        saved(connection, "recovered", *RETRIED, "20s succeeded {0}-u1")
        saved(connection, "failed", *FAILED)
        ended = saved(connection, "reopened", *FAILED)
        reopened = advance(ended, Retry(), T0 + timedelta(seconds=9))
        change(connection, after(ended, reopened), ended)

    assert read_standings(store) == {
        "queued": JobStanding(job_id="queued", state=State.QUEUED, retries=0),
        "retried": JobStanding(job_id="retried", state=State.LEASED, retries=1),
        "recovered": JobStanding(
            job_id="recovered", state=State.SUCCEEDED, retries=1, ended_at=T0 + timedelta(seconds=20)
        ),
        "failed": JobStanding(job_id="failed", state=State.FAILED, retries=0, ended_at=T0 + timedelta(seconds=3)),
        "reopened": JobStanding(job_id="reopened", state=State.RETRY_WAITING, retries=0),
    }


def test_runs_have_the_pod_that_was_accepted(store: Store) -> None:
    with store.write() as connection:
        saved(connection, "created", *FAILED[:2])
        saved(connection, "leased", "4s leased r1 confirmed")

    assert sorted(read_runs(store), key=lambda run: run.job_id) == [
        LeasedRun(job_id="created", leased_at=T0 + timedelta(seconds=1), pod_uid="created-u0"),
        LeasedRun(job_id="leased", leased_at=T0 + timedelta(seconds=4), pod_uid=None),
    ]


def test_a_job_is_closed_from_each_end_until_a_retry_that_was_not_refused(store: Store) -> None:
    with store.write() as connection:
        saved(connection, "failed", *FAILED)
        for at, outcome in ((2, ""), (4, "run-open"), (9, ""), (12, "")):
            asked = T0 + timedelta(seconds=at)
            request = JobRequest(
                job_id="failed", kind=RequestKind.RETRY, by="ann", reason="", at=asked, outcome=outcome
            )
            record(connection, [request])
        cancelled = JobRequest(job_id="failed", kind=RequestKind.CANCEL, by="ann", reason="", at=T0)
        record(connection, [cancelled])

    end, reopened = T0 + timedelta(seconds=3), T0 + timedelta(seconds=9)
    assert read_closures(store) == [Closure(job_id="failed", since=end, until=reopened)]
