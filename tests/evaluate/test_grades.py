"""The figures about grades, on cases made by hand."""

from collections.abc import Sequence

import pytest

from agent.core.failure import Advice, Advised, Grade, Origin
from agent.evaluate.grades import Graded, graded
from agent.evaluate.scores import Answer, Case, Label
from agent.evaluate.share import Share


def case(
    *,
    retryable: bool | None = None,
    advice: Advice | None = None,
    grade: Grade | None = Grade.PROVEN,
    origin: Origin = Origin.USER,
    is_to_blame: Origin = Origin.USER,
    labelled: Grade | None = None,
    state: str | None = None,
) -> Case:
    return Case(
        name="a",
        label=Label(leaf="x/1", origin=is_to_blame, retryable=retryable, grade=labelled, state=state),
        answer=Answer(leaf="x/1", origin=origin, advice=advice, classified=True, grade=grade),
    )


def counts(share: Share) -> tuple[int, int]:
    return share.count, share.of


def figures(*cases: Case) -> Graded:
    return graded(cases)


@pytest.mark.parametrize("advice", [Advice.NEVER, Advice.CHANGED])
def test_advice_against_a_retry_is_wrong_where_it_helps_if_it_is_proven(advice: Advice) -> None:
    found = figures(
        case(retryable=True, advice=advice),
        case(retryable=True, advice=advice, grade=Grade.LIKELY),
        case(retryable=False, advice=advice),
        case(retryable=None, advice=advice),
    )

    assert counts(found.wrong_never) == (1, 2)
    assert counts(found.try_where_it_helps) == (1, 2)


@pytest.mark.parametrize("advice", [Advice.SAME, Advice.ELSEWHERE])
def test_advice_for_a_retry_is_wrong_where_it_cannot_help_if_it_is_proven(advice: Advice) -> None:
    found = figures(
        case(retryable=False, advice=advice),
        case(retryable=False, advice=advice, grade=Grade.UNKNOWN),
        case(retryable=True, advice=advice),
        case(retryable=None, advice=advice),
    )

    assert counts(found.wrong_retry) == (1, 2)
    assert counts(found.try_where_hopeless) == (1, 2)


def test_a_grade_counts_the_advice_of_the_rule_itself() -> None:
    likely = [case(retryable=retryable, advice=Advice.NEVER, grade=Grade.LIKELY) for retryable in (True, False, None)]

    proven, of_likely, unknown = figures(*likely, case(grade=None)).grades

    assert (counts(of_likely.cases), counts(of_likely.advice)) == ((3, 4), (1, 2))
    assert counts(proven.cases) == counts(unknown.cases) == (0, 4)


def test_who_is_named_and_whether_that_is_right() -> None:
    blamed = [Origin.USER, Origin.INFRA, Origin.UNKNOWN]

    found = figures(*(case(origin=origin) for origin in blamed), case(is_to_blame=Origin.INFRA, origin=Origin.INFRA))

    assert counts(found.named) == (3, 4)
    assert counts(found.origin_named) == (2, 3)
    assert counts(found.falsely_infra) == (1, 3)


def test_grades_and_states_are_compared_where_the_label_has_them() -> None:
    found = figures(case(), case(labelled=Grade.PROVEN, state="failed"), case(labelled=Grade.LIKELY, state="waits"))

    assert counts(found.grade) == counts(found.state) == (1, 2)


def test_what_is_advised_without_a_grade_is_the_advice() -> None:
    ungraded: Sequence[Case] = [case(advice=advice, grade=None) for advice in Advice]

    assert [found.answer.advised for found in ungraded] == [Advised(advice.value) for advice in Advice]
