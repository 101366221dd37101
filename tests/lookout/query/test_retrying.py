"""Jobs of which several runs failed: those that go on come first."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

from msgspec.structs import replace

from agent.core.job_event import JobSubmitted, RunDecided, StateChanged
from agent.core.lifecycle.job import EndedBy, Ending
from agent.core.lifecycle.state import State
from agent.core.run_event import RunPhase
from agent.lookout.query import tops
from agent.lookout.query.reader import Reader
from agent.lookout.query.retrying import retrying
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.query.test_histories import DECIDED
from tests.lookout.store.test_jobs import job_event
from tests.store.events import START, event, failed

NOW = START + timedelta(days=2)
FAILED = Ending(state=State.FAILED, by=EndedBy.VERDICT, at=START + timedelta(hours=9))


def listed(store: Store, query: str = "since=3d", *sent: Entry) -> list[Any]:
    """What is listed after this was sent."""
    with store.write() as connection:
        record(connection, sent)
    with Reader(store).reading(EVERYTHING) as reading:
        found: list[Any] = retrying(reading, tops.read_retrying_question(parse_qsl(query), now=NOW))["items"]
    return found


def standing(found: list[Any]) -> list[tuple[str, int, bool]]:
    return [(item["job"]["jobId"], item["failures"], item["goesOn"]) for item in found]


def failing(job: str, times: int) -> Iterator[Entry]:
    """Runs of a job that failed, one a minute."""
    for number in range(times):
        told = failed(categories=["gpu"]) if number else failed()
        yield event(f"e-{job}-{number}", told, run=f"{job}-{number}", job=job, attempt=number, after=60 * number)


def submitted(job: str, *contents: tuple[Any, State, Ending | None]) -> Iterator[Entry]:
    """What the scheduler says of a job."""
    told = [(JobSubmitted(name=job), State.QUEUED, None), *contents]
    for sequence, (content, state, ending) in enumerate(told, 1):
        yield replace(job_event(sequence, content, state, ending), event_id=f"s-{job}-{sequence}", job_id=job)


def test_all_failures_that_fit_are_counted(database: Store) -> None:
    found = listed(database, "since=3d&category=oom&category=gpu", *failing("j1", 3), *failing("j2", 1))

    assert standing(found) == [("j1", 3, False)]
    assert listed(database, "since=3d&category=oom") == []


def test_those_that_go_on_are_before_those_that_have_ended(database: Store) -> None:
    waits = (replace(DECIDED, run_id="waits-1"), State.RETRY_WAITING, None)
    found = listed(
        database,
        "since=3d",
        *failing("over", 5),
        *failing("ended", 4),
        *submitted("ended", (StateChanged(), State.FAILED, FAILED)),
        *failing("waits", 2),
        *submitted("waits", waits),
        *failing("runs", 3),
        event("r", RunPhase.RUNNING, run="runs-3", job="runs", attempt=3, after=600),
        *failing("recovered", 2),
        event("s", RunPhase.SUCCEEDED, run="recovered-2", job="recovered", attempt=2, after=600),
    )

    assert standing(found) == [
        ("runs", 3, True),
        ("waits", 2, True),
        ("over", 5, False),
        ("ended", 4, False),
        ("recovered", 2, False),
    ]
    assert found[1]["job"]["observed"] == "waiting"


def test_the_record_says_that_a_job_has_ended_whose_latest_run_was_never_heard_of_again(database: Store) -> None:
    lost = event("r", RunPhase.RUNNING, run="lost-2", job="lost", attempt=2, after=600)
    sent = [*failing("lost", 2), lost, *submitted("lost", (StateChanged(), State.FAILED, FAILED))]

    assert standing(listed(database, "since=3d", *sent)) == [("lost", 2, False)]


def test_the_limit_leaves_out_those_that_have_ended(database: Store) -> None:
    running = event("r", RunPhase.RUNNING, run="runs-2", job="runs", attempt=2, after=600)

    assert standing(listed(database, "since=3d&limit=1", *failing("over", 5), *failing("runs", 2), running)) == [
        ("runs", 2, True)
    ]


def test_a_verdict_says_when_the_next_run_may_start(database: Store) -> None:
    decided: RunDecided = replace(DECIDED, run_id="waits-1", failure_id="e-waits-1")
    sent = [*failing("waits", 2), *submitted("waits", (decided, State.RETRY_WAITING, None))]

    (item,) = listed(database, "since=3d", *sent)
    assert item["job"]["runs"][0]["notBefore"] == DECIDED.not_before
