"""The benchmark of finding: its store is one, every question has answers, and the target can be missed."""

from pathlib import Path

import pytest

from agent.store.records.filters import JobFilter
from agent.store.records.port import Found, Page
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from bench.get import MOST_MS, questions, table, verdicts
from bench.sample.records import fill


@pytest.mark.slow
def test_every_question_can_be_asked_of_the_store(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path}/store.db") as store:
        sample = fill(store, 6_000, progress=lambda _: None)
        records = StoredRecords(store)
        asked = {question.name: [ask(records) for ask in question.asks] for question in questions(sample)}
        jobs = records.jobs(JobFilter()).records

    assert {job.state for job in jobs} >= {"succeeded", "still-failed", "recovered"}
    assert all(isinstance(found, Page | Found) for found in asked["id: whole job"] + asked["jobs by queue"])
    assert all(found.records for found in asked["failures by job set"] if isinstance(found, Page))


def test_a_target_is_met_or_missed() -> None:
    good = {"jobs by queue": MOST_MS - 1, "yesterday": 1_200.0}
    bad = {"jobs by queue": MOST_MS + 1, "yesterday": 1_200.0}

    assert [figure.share >= 1 for figure in verdicts({"sqlite": good, "postgres": bad})] == [True, False]
    assert "MISSED" in "\n".join(table({"sqlite": good, "postgres": bad}))
    assert "6 times as fast" in "\n".join(table({"sqlite": good}))
