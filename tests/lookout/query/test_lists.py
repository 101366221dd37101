"""Pages of lists are those of a loop over all rows, on every database."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.core.job_event import JobEvent, JobSubmitted
from agent.core.lifecycle.state import State
from agent.core.run_event import RunPhase
from agent.lookout.query import question as questions_of
from agent.lookout.query import scan
from agent.lookout.query.columns import LISTS
from agent.lookout.query.lists import page
from agent.lookout.query.question import Question, read_question
from agent.lookout.query.reader import Reading
from agent.lookout.query.sight import EVERYTHING
from agent.lookout.store.recording import record
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.query.drawn import jobs, put, questions, runs
from tests.lookout.query.naive import listed
from tests.store.databases import rolled_back
from tests.store.events import START, event, failed

LAW = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def pages(reading: Reading, question: Question) -> list[str]:
    """The ids of the rows of all pages, one page after the other."""
    key = "jobId" if question.of.name == "jobs" else "runId"
    found: list[str] = []
    while True:
        answer = page(reading, question)
        assert len(answer["items"]) <= question.limit
        found += [item[key] for item in answer["items"]]
        if answer["next"] is None:
            return found
        question = replace(question, after=questions_of._after(question, answer["next"]))


def heard_first(job: Row, of_runs: list[Row]) -> Row:
    """The job as a Lookout knows it: first heard of before a run of it failed, or when."""
    failed = [run["failed_at"] for run in of_runs if run["job_id"] == job["job_id"] and run["failed_at"] is not None]
    return {**job, "first_at": min([job["first_at"], *failed])}


@pytest.mark.timeout(240)  # fifty databases, of each many pages
@pytest.mark.parametrize("name", LISTS)
@LAW
@given(data=st.data(), of_jobs=jobs(), of_runs=runs())
def test_all_pages_together_are_the_list(
    database: Store, name: str, data: st.DataObject, of_jobs: list[Row], of_runs: list[Row]
) -> None:
    question = data.draw(questions(LISTS[name]))
    few = data.draw(st.sampled_from([0, 1, scan.FEW]), label="few")
    latest = data.draw(st.sampled_from([1, 2, scan.LATEST]), label="latest")
    of_jobs = [heard_first(job, of_runs) for job in of_jobs]
    expected = listed(question, of_jobs, of_runs)

    with rolled_back(database) as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEW", few)
        patch.setattr(scan, "LATEST", latest)
        put(connection, of_jobs, of_runs)
        reading = Reading(connection, EVERYTHING, 10)

        assert pages(reading, question) == expected
        assert page(reading, question)["count"]["number"] == len(expected)


def test_the_newest_job_of_a_category_is_not_the_one_that_failed_last(database: Store) -> None:
    """The latest failures are looked at first; whether another job may be newer is seen by their times."""
    with database.write() as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "LATEST", 2)
        for name, heard, ended in (("a", 0, 100), ("b", 10, 90), ("newest", 50, 60)):
            begun = event(f"{name}-1", RunPhase.PENDING, run=name, job=name, after=heard)
            record(connection, [begun, event(f"{name}-2", failed(), run=name, job=name, after=ended)])
        asked = [("category", "oom"), ("state", "still-failed"), ("limit", "1")]

        question = read_question(LISTS["jobs"], asked, now=START)
        assert pages(Reading(connection, EVERYTHING, 10), question) == ["newest", "b", "a"]


def test_states_of_the_record_are_asked_for_together_with_what_was_observed(database: Store) -> None:
    """Rows of failures do not say what the record of their job says."""
    with database.write() as connection:
        for name, state, after in (("a", State.QUEUED, 10), ("b", State.QUEUED, 20), ("other", State.CANCELLED, 30)):
            again = event(f"{name}-2", RunPhase.RUNNING, run=f"{name}-2", job=name, after=after + 1)
            record(
                connection,
                [event(f"{name}-1", failed(), run=name, job=name, after=after), again, record_of(name, state)],
            )
        record(connection, [event("still-1", failed(), run="still", job="still", after=40)])
        asked = [("category", "oom"), ("state", "still-failed"), ("state", "queued"), ("limit", "1")]

        question = read_question(LISTS["jobs"], asked, now=START)
        assert pages(Reading(connection, EVERYTHING, 10), question) == ["still", "b", "a"]


def record_of(job: str, state: State) -> JobEvent:
    content = JobSubmitted(name=job, client_id=f"client-{job}")
    return JobEvent(event_id=f"record-{job}", job_id=job, sequence=1, at=START, event=content, state=state)


def test_an_index_to_which_there_is_no_other_is_not_counted(database: Store) -> None:
    with database.write() as connection, pytest.MonkeyPatch.context() as patch:
        for name, ended in (("a", 10), ("b", 20), ("c", 30)):
            record(connection, [event(name, failed(), run=name, job=name, after=ended)])
        patch.setattr(scan.Scan, "narrowest", counted)

        question = read_question(LISTS["jobs"], [("category", "oom"), ("limit", "1")], now=START)
        reading = Reading(connection, EVERYTHING, 10)
        assert [item["jobId"] for item in page(reading, question)["items"]] == ["c"]


def counted(*_: object) -> None:
    raise AssertionError("its rows were counted")
