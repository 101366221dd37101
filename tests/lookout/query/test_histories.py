"""What is told of one job, one run and one failure: each attempt with its evidence and what was decided then."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import delete

from agent.core.evidence import LogTail
from agent.core.failure import Occurrence
from agent.core.job_event import JobRequested, MemoryRaised, RequestKind, RunDecided
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.core.run_event import Amendment, RunPhase
from agent.lookout.query.histories import (
    ATTEMPTS,
    FAILURES,
    JobHistory,
    RunHistory,
    failure_history,
    job_history,
    run_history,
)
from agent.lookout.query.reader import Reader
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import record
from agent.lookout.store.tables import log_table
from agent.store.store import Store
from tests.lookout.store.test_jobs import job_event
from tests.store.events import START, event, failed

RAISED = MemoryRaised(container="main", limit_before=1 << 30, limit_after=2 << 30)
DECIDED = RunDecided(
    run_id="run-0",
    attempt=0,
    failure_id="e0",
    action=VerdictAction.RETRY,
    reason="rule",
    sentence="rule oom of policy ml: retry 1 of 3, in 30 s",
    policy="ml",
    rule="oom",
    delay=timedelta(seconds=30),
    not_before=START + timedelta(seconds=90),
    memory=(RAISED,),
)
FIRST = failed()
LATER = replace(FIRST, log_tails=(LogTail(container="main", text="first\nCUDA error\n"),))
STORY: tuple[Entry, ...] = (
    event("e0", FIRST, run="run-0", job="job-1", attempt=0, after=60),
    event("a0", Amendment(amends="e0", failure=LATER), run="run-0", job="job-1", attempt=0, after=70),
    job_event(1, DECIDED, State.RETRY_WAITING),
    event("e1", RunPhase.RUNNING, run="run-1", job="job-1", attempt=1, after=120),
    job_event(2, JobRequested(kind=RequestKind.CANCEL, by="bob", reason="wrong image"), State.STOPPING),
    event("x0", FIRST, run="run-x", job="job-2", after=5),
)


@pytest.fixture
def told(database: Store) -> Reader:
    with database.write() as connection:
        record(connection, STORY)
    return Reader(database)


def job(told: Reader, job_id: str) -> Mapping[str, Any] | None:
    with told.reading(EVERYTHING) as reading:
        return job_history(reading, job_id)


def run(told: Reader, run_id: str) -> Mapping[str, Any] | None:
    with told.reading(EVERYTHING) as reading:
        return run_history(reading, run_id)


def test_a_job_is_told_with_its_attempts_and_the_verdicts_between_them(told: Reader) -> None:
    found = job(told, "job-1")

    assert found is not None
    JobHistory.model_validate(found)
    assert [attempt["runId"] for attempt in found["attempts"]] == ["run-1", "run-0"]
    running, ended = found["attempts"]
    assert (running["answer"], running["decisions"], running["failureInfo"]) == (None, [], None)
    (decision,) = ended["decisions"]
    assert (decision["action"], decision["sentence"], decision["delaySeconds"]) == ("retry", DECIDED.sentence, 30)
    assert [raised["limitAfter"] for raised in decision["memory"]] == [2 << 30]
    assert ended["answer"]["categoryInWords"]
    assert [(request["kind"], request["by"]) for request in found["requests"]] == [("cancel", "bob")]


def test_each_run_has_the_failure_it_was_decided_on_and_when_the_next_may_start(told: Reader) -> None:
    found = job(told, "job-1")

    assert found is not None
    running, ended = found["runs"]
    assert (ended["decidedOn"], ended["notBefore"]) == ("e0", DECIDED.not_before)
    assert (running["decidedOn"], running["notBefore"]) == ("", None)
    assert [attempt["decidedOn"] for attempt in found["attempts"]] == ["", "e0"]


def test_a_run_is_told_with_each_failure_and_all_evidence(told: Reader) -> None:
    found = run(told, "run-0")

    assert found is not None
    RunHistory.model_validate(found)
    assert [(failure["eventId"], failure["amends"]) for failure in found["failures"]] == [("e0", None), ("a0", "e0")]
    first, later = (failure["info"] for failure in found["failures"])
    assert first["logTails"] == []
    assert [tail["text"] for tail in later["logTails"]] == ["first\nCUDA error\n"]
    assert later["classification"]["category"] == LATER.classification.category


def test_a_log_that_was_dropped_is_known_to_have_been_there(told: Reader, database: Store) -> None:
    before = run(told, "run-0")
    with database.write() as connection:
        connection.execute(delete(log_table))
    after = run(told, "run-0")

    assert before is not None
    assert after is not None
    assert [failure["logsDropped"] for failure in before["failures"]] == [False, False]
    assert [failure["logsDropped"] for failure in after["failures"]] == [False, True]
    assert after["failures"][1]["info"]["logTails"] == []


def test_of_very_many_failures_of_a_run_the_latest_are_told_and_those_that_say_why(database: Store) -> None:
    restarts = [
        event(f"c{number:03}", replace(FIRST, occurrence=Occurrence.CONTAINER_RESTARTED), run="run-0", after=number)
        for number in range(FAILURES + 5)
    ]
    why = (event("f0", FIRST, run="run-0", after=-2), event("b0", Amendment(amends="f0", failure=LATER), run="run-0"))
    with database.write() as connection:
        record(connection, [*restarts, *why])
    found = run(Reader(database), "run-0")

    assert found is not None
    RunHistory.model_validate(found)
    shown = [f"c{number:03}" for number in range(5, FAILURES + 5)]
    assert [failure["eventId"] for failure in found["failures"]] == ["f0", "b0", *shown]
    assert found["failuresLeftOut"] == 5


def test_a_failure_is_told_alone(told: Reader) -> None:
    with told.reading(EVERYTHING) as reading:
        found = failure_history(reading, "a0")

    assert found is not None
    assert (found["runId"], found["amends"]) == ("run-0", "e0")


def test_what_there_is_not_is_none(told: Reader) -> None:
    with told.reading(EVERYTHING) as reading:
        assert [read(reading, "none") for read in (job_history, run_history, failure_history)] == [None] * 3


def test_a_run_shows_what_amends_its_failure_whatever_the_clocks_say(database: Store) -> None:
    silent = replace(FIRST, termination_message="")
    story = (
        event("f0", silent, run="run-0", job="job-1", after=60),
        event("b0", Amendment(amends="f0", failure=FIRST), run="run-0", job="job-1", after=50),
    )
    with database.write() as connection:
        record(connection, story)
    found = run(Reader(database), "run-0")
    with Reader(database).reading(EVERYTHING) as reading:
        amended = failure_history(reading, "b0")

    assert found is not None
    assert amended is not None
    assert found["failureInfo"]["terminationMessage"] == FIRST.termination_message
    assert found["answer"] == amended["answer"]


def test_of_very_many_attempts_the_latest_are_told(database: Store) -> None:
    many = [
        event(f"m{number}", FIRST, run=f"run-{number:03}", job="job-3", attempt=number, after=number)
        for number in range(ATTEMPTS + 5)
    ]
    with database.write() as connection:
        record(connection, many)
    found = job(Reader(database), "job-3")

    assert found is not None
    assert found["runCount"] == ATTEMPTS + 5
    assert [attempt["runId"] for attempt in found["attempts"]] == [
        f"run-{number:03}" for number in reversed(range(5, ATTEMPTS + 5))
    ]
