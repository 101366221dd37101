"""A second set of public reports, labelled before the rules saw them: what to expect of failures that nobody knows.

The rows are as in ``test_reports``. ``THEN`` is the score before anything was changed because of them, and it stays as
it is; ``test_the_score_is_that_of_the_documentation`` has the score now. What was changed is a kind of failure or a
default, never the text of one row.
"""

from pathlib import Path

import pytest

from agent.console.inputs import inputs
from agent.core.failure import Grade
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.evaluate.grades import Graded, graded
from agent.evaluate.labelled import answer, read_labelled
from agent.evaluate.scores import Case
from tests.evaluate.test_reports import ROWS as FIRST
from tests.evaluate.test_reports import Row, wrong_labels, wrong_sources
from tests.ground.findings import assert_no_findings
from tests.tables import table

FILES = sorted(Path(__file__).with_name("unseen").glob("*.yaml"))
ROWS: list[Row] = [row for file in FILES for row in table(file)["items"]]
THEN = {"leaf": 44, "origin named": 45, "origin right": 28, "grade": 51, "proven": 13}
NOW = {"leaf": 54, "origin named": 43, "origin right": 39, "grade": 60, "proven": 15}


@pytest.fixture(name="cases", scope="module")
def answered_cases() -> list[Case]:
    classifier, redactor = load_classifier(None), Redactor()
    return [answer(labelled, classifier, redactor) for labelled in read_labelled(inputs(FILES))]


@pytest.fixture(name="scores", scope="module")
def scored(cases: list[Case]) -> Graded:
    return graded(cases)


def counts(cases: list[Case], scores: Graded) -> dict[str, int]:
    return {
        "leaf": sum(case.right for case in cases),
        "origin named": scores.named.count,
        "origin right": scores.origin_named.count,
        "grade": scores.grade.count,
        "proven": sum(case.answer.grade is Grade.PROVEN for case in cases),
    }


def test_labels_agree_with_each_other() -> None:
    assert_no_findings(wrong_labels, ROWS)


def test_every_row_cites_a_thread_of_its_own_that_no_rule_was_written_from() -> None:
    sources = [row["source"] for row in (*FIRST, *ROWS)]

    assert_no_findings(wrong_sources, ROWS)
    assert len(set(sources)) == len(sources)
    assert len(ROWS) >= 60


def test_no_verdict_throws_a_job_away_or_retries_in_vain(scores: Graded) -> None:
    assert (scores.wrong_never.count, scores.wrong_retry.count) == (0, 0)
    assert scores.falsely_infra.count == 0


def test_what_is_proven_is_right(scores: Graded) -> None:
    proven = next(score for score in scores.grades if score.grade is Grade.PROVEN)

    assert proven.advice.count == proven.advice.of
    assert proven.origin.count == proven.origin.of


def test_the_score_is_that_of_the_documentation(cases: list[Case], scores: Graded) -> None:
    assert counts(cases, scores) == NOW
