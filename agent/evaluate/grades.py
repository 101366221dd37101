"""How good the answers of each grade are, and how often advice in effect is wrong. Pure.

Intervals are bootstrapped over sources: failures from one repository resemble each other. Wrong advice is counted of
the cases whose label says the opposite; a case without a label on retries is in neither. A try, one retry, is neither
right nor wrong: it is counted apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.core.failure import Advice, Advised, Grade, Origin
from agent.evaluate.scores import Case
from agent.evaluate.share import Share, grouped_share

_SEED = 1
_AGAINST = (Advised.NEVER, Advised.CHANGED)
_FOR = (Advised.SAME, Advised.ELSEWHERE)
_TRIES = (Advised.TRY, Advised.TRY_ELSEWHERE)


@dataclass(frozen=True, slots=True, kw_only=True)
class GradeScore:
    """The answers of one grade: their share of all cases, and how often their parts are right.

    ``advice`` is the rule's own, whether or not it is advised in effect, of cases with a label on retries.
    """

    grade: Grade
    cases: Share
    leaf: Share
    origin: Share
    advice: Share


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """The figures about grades. ``changed`` is advice against a retry, as ``never`` is.

    ``named``: answers that name an origin, of the failures whose label does; ``origin_named``: how often that is right.
    ``falsely_infra``: answers that blame infrastructure, of the failures with another origin. ``grade`` and ``state``
    are how often they are those of the label, of the cases that have one.
    """

    grades: tuple[GradeScore, ...]
    named: Share
    origin_named: Share
    falsely_infra: Share
    wrong_never: Share
    wrong_retry: Share
    try_where_it_helps: Share
    try_where_hopeless: Share
    grade: Share
    state: Share


def graded(cases: Sequence[Case]) -> Graded:
    """The figures of these cases."""
    failed = [case for case in cases if case.has_origin]
    helps = [case for case in cases if case.label.retryable is True]
    hopeless = [case for case in cases if case.label.retryable is False]
    named = [case for case in failed if case.answer.origin is not Origin.UNKNOWN]
    others = [case for case in failed if case.label.origin is not Origin.INFRA]
    return Graded(
        grades=tuple(_of_grade(grade, cases) for grade in Grade),
        named=_by_source(failed, lambda case: case.answer.origin is not Origin.UNKNOWN),
        origin_named=_by_source(named, lambda case: case.right_origin),
        falsely_infra=_by_source(others, lambda case: case.answer.origin is Origin.INFRA),
        wrong_never=_by_source(helps, lambda case: case.answer.advised in _AGAINST),
        wrong_retry=_by_source(hopeless, lambda case: case.answer.advised in _FOR),
        try_where_it_helps=_by_source(helps, lambda case: case.answer.advised in _TRIES),
        try_where_hopeless=_by_source(hopeless, lambda case: case.answer.advised in _TRIES),
        grade=_by_source(
            [case for case in cases if case.label.grade is not None],
            lambda case: case.answer.grade is case.label.grade,
        ),
        state=_by_source(
            [case for case in cases if case.label.state is not None],
            lambda case: case.answer.state == case.label.state,
        ),
    )


def right_advice(case: Case) -> bool:
    """Whether the rule's own advice is for a retry where the label says that it helps, and against it elsewhere."""
    return (case.answer.advice in (Advice.SAME, Advice.ELSEWHERE)) is case.label.retryable


def _of_grade(grade: Grade, cases: Sequence[Case]) -> GradeScore:
    own = [case for case in cases if case.answer.grade is grade]
    advised = [case for case in own if case.label.retryable is not None and case.answer.advice is not None]
    return GradeScore(
        grade=grade,
        cases=_by_source(cases, lambda case: case.answer.grade is grade),
        leaf=_by_source(own, lambda case: case.right),
        origin=_by_source([case for case in own if case.has_origin], lambda case: case.right_origin),
        advice=_by_source(advised, right_advice),
    )


def _by_source(cases: Sequence[Case], holds: Callable[[Case], bool]) -> Share:
    groups: dict[str, list[bool]] = {}
    for case in cases:
        groups.setdefault(case.source, []).append(holds(case))
    return grouped_share(list(groups.values()), seed=_SEED)
