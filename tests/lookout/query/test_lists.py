"""Pages of lists are those of a loop over all rows, on every database."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.lookout.query import question as questions_of
from agent.lookout.query import scan
from agent.lookout.query.columns import LISTS
from agent.lookout.query.lists import page
from agent.lookout.query.question import Question
from agent.lookout.query.reader import Reading
from agent.lookout.query.sight import EVERYTHING
from agent.store.columns import Row
from agent.store.store import Store
from tests.lookout.query.drawn import jobs, put, questions, runs
from tests.lookout.query.naive import listed
from tests.store.databases import rolled_back

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


@pytest.mark.parametrize("name", LISTS)
@LAW
@given(data=st.data(), of_jobs=jobs(), of_runs=runs())
def test_all_pages_together_are_the_list(
    database: Store, name: str, data: st.DataObject, of_jobs: list[Row], of_runs: list[Row]
) -> None:
    question = data.draw(questions(LISTS[name]))
    few = data.draw(st.sampled_from([0, 1, scan.FEW]), label="few")
    expected = listed(question, of_jobs, of_runs)

    with rolled_back(database) as connection, pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "FEW", few)
        put(connection, of_jobs, of_runs)
        reading = Reading(connection, EVERYTHING, 10)

        assert pages(reading, question) == expected
        assert page(reading, question)["count"]["number"] == len(expected)
