"""Outcomes count the jobs that the list of jobs has in each state."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl

import pytest
from hypothesis import HealthCheck, given, settings

from agent.core.run_event import RunPhase
from agent.lookout.query.columns import FAILURES, JOBS, Operator
from agent.lookout.query.conditions import Condition
from agent.lookout.query.outcomes import OutcomeQuestion, outcomes, read_outcome_question
from agent.lookout.query.question import read_question
from agent.lookout.query.reader import Reader, Reading
from agent.lookout.query.refusal import Refused
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.query.window import Window
from agent.lookout.store.recording import record
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.query.drawn import START, conditions, jobs, put, runs
from tests.lookout.query.naive import listed
from tests.store.databases import rolled_back
from tests.store.events import event, failed

LAW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
WINDOW = Window(START, START + timedelta(hours=2))
FAILED_AT = FAILURES.named("failedAt")
WITHIN = (Condition(FAILED_AT, Operator.GTE, (WINDOW.since,)), Condition(FAILED_AT, Operator.LT, (WINDOW.until,)))
HOUR = 3600


def in_state(state: str, asked: Sequence[Condition], of_jobs: Sequence[Row], of_runs: Sequence[Row]) -> int:
    """How many jobs the list has in a state, where a run failed in the window and fits."""
    question = read_question(JOBS, [("state", state)], now=START)
    return len(listed(replace(question, conditions=(*question.conditions, *asked, *WITHIN)), of_jobs, of_runs))


@LAW
@given(asked=conditions(FAILURES), of_jobs=jobs(), of_runs=runs())
def test_they_are_those_of_the_list_of_jobs(
    database: Store, asked: tuple[Condition, ...], of_jobs: list[Row], of_runs: list[Row]
) -> None:
    with rolled_back(database) as connection:
        put(connection, of_jobs, of_runs)
        found = outcomes(Reading(connection, EVERYTHING, 10), OutcomeQuestion(conditions=asked, window=WINDOW))

    counted = {state: in_state(state, asked, of_jobs, of_runs) for state in ("recovered", "still-failed", "waiting")}
    assert [found[name] for name in ("recovered", "stillFailed", "waiting")] == [*counted.values()]
    assert found["jobs"] == in_state("any-failure", asked, of_jobs, of_runs)
    assert found["others"] == found["jobs"] - sum(counted.values())


@pytest.fixture
def filled(database: Store) -> Store:
    """One job recovered, one still failed, and one runs again."""
    with database.write() as connection:
        record(
            connection,
            [
                event("e1", failed(), run="r1", job="recovered"),
                event("e2", RunPhase.SUCCEEDED, run="r2", job="recovered", after=HOUR),
                event("e3", failed(), run="r3", job="broken", after=2 * HOUR),
                event("e4", failed(), run="r4", job="again", after=3 * HOUR),
                event("e5", RunPhase.RUNNING, run="r5", job="again", after=4 * HOUR),
            ],
        )
    return database


def found(store: Store, query: str, *, most: int = 100) -> Any:  # noqa: ANN401 - as JSON has it
    question = read_outcome_question(parse_qsl(query), now=START + timedelta(hours=5))
    with Reader(store).reading(EVERYTHING) as reading:
        return outcomes(reading, question, most=most)


def test_each_job_is_counted_once(filled: Store) -> None:
    numbers = found(filled, "queue=ml")

    assert (numbers["jobs"], numbers["recovered"], numbers["stillFailed"], numbers["others"]) == (3, 1, 1, 1)
    assert (numbers["more"], numbers["base"]) == (False, "rows")


def test_the_latest_are_counted_if_there_are_too_many(filled: Store) -> None:
    numbers = found(filled, "since=6h", most=2)

    assert (numbers["jobs"], numbers["stillFailed"], numbers["recovered"], numbers["more"]) == (2, 1, 0, True)
    assert numbers["since"] == START + timedelta(microseconds=1)


def test_what_is_no_filter_is_refused(database: Store) -> None:
    with pytest.raises(Refused, match="limit"):
        found(database, "limit=5")
