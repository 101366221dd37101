"""Marks: words that quickly exclude a named condition, before searching for its signs."""

from functools import cache

from agent.core.classify.conditions import NamedCondition
from agent.core.classify.signs import EndedReason, EventReason, PodConditionIs, PodReason, Sign, WaitingReason
from agent.core.evidence import Container
from agent.core.failure import Failure

Marks = frozenset[str]


@cache
def of_condition(condition: NamedCondition) -> Marks | None:
    """Wherever the condition holds, one of these words occurs; ``None``: it can hold without any word."""
    marks = [_of_sign(sign) for sign in (*condition.in_pod, *condition.in_container)]
    return None if None in marks else frozenset(mark for mark in marks if mark is not None)


def of_pod(failure: Failure) -> Marks:
    """The words of the pod and its events."""
    marks = [failure.pod.reason, *[condition.type for condition in failure.pod.conditions]]
    marks += [event.reason for event in failure.events]
    return frozenset(marks)


def of_container(container: Container) -> Marks:
    """The words of a container."""
    ended = container.ended
    return frozenset((container.state.reason, "" if ended is None else ended.reason))


def _of_sign(sign: Sign) -> str | None:
    match sign:
        case PodReason(reason=reason) | EventReason(reason=reason):
            return reason
        case EndedReason(reason=reason) | WaitingReason(reason=reason):
            return reason
        case PodConditionIs(type=kind):
            return kind
        case _:
            return None
