"""More public reports, labelled before the rules saw them: what to expect of failures that nobody knows.

The rows are as in ``test_reports``. ``THEN`` has the scores before anything was changed because of them, and stays as
it is; ``NOW`` has those of the rules. ``first`` are the rows of all files but ``later.yaml``, whose rows were written
after the rules had been changed because of the others. What was changed is a kind of failure or a default, never the
text of one row. docs/categories.md has the same figures.
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
THEN = {
    "first": {"leaf": 44, "origin named": 45, "origin right": 28, "grade": 51, "proven": 13},
    "later": {"leaf": 25, "origin named": 22, "origin right": 20, "grade": 26, "proven": 10},
}
NOW = {
    "first": {"leaf": 54, "origin named": 43, "origin right": 39, "grade": 60, "proven": 15},
    "later": {"leaf": 26, "origin named": 22, "origin right": 21, "grade": 26, "proven": 8},
}
LATER = [row["id"] for row in table(Path(__file__).parent / "unseen" / "later.yaml")["items"]]


@pytest.fixture(name="cases", scope="module")
def answered_cases() -> list[Case]:
    classifier, redactor = load_classifier(None), Redactor()
    return [answer(labelled, classifier, redactor) for labelled in read_labelled(inputs(FILES))]


@pytest.fixture(name="scores", scope="module")
def scored(cases: list[Case]) -> Graded:
    return graded(cases)


def counts(cases: list[Case]) -> dict[str, int]:
    scores = graded(cases)
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
    assert len(ROWS) >= 90


def test_no_verdict_throws_a_job_away_or_retries_in_vain(scores: Graded) -> None:
    assert (scores.wrong_never.count, scores.wrong_retry.count) == (0, 0)
    assert scores.falsely_infra.count == 0


def test_what_is_proven_is_right(scores: Graded) -> None:
    proven = next(score for score in scores.grades if score.grade is Grade.PROVEN)

    assert proven.advice.count == proven.advice.of
    assert proven.origin.count == proven.origin.of


def test_the_score_is_that_of_the_documentation(cases: list[Case]) -> None:
    parts = {
        "first": [case for case in cases if case.name not in LATER],
        "later": [case for case in cases if case.name in LATER],
    }

    assert {name: counts(part) for name, part in parts.items()} == NOW


def test_no_score_is_below_that_before_the_rules_were_changed() -> None:
    for name, then in THEN.items():
        now = NOW[name]
        assert now["leaf"] >= then["leaf"], name
        assert now["origin right"] / now["origin named"] >= then["origin right"] / then["origin named"], name
