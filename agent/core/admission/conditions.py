"""The conditions that a classification gives, and the reasons why a pod gets none."""

from collections.abc import Callable, Collection, Iterator
from enum import StrEnum
from typing import Final

from msgspec import Struct

from agent.core.classify.grade import BLAMED
from agent.core.failure import Admission, Advice, Classification, Grade, Match, Trust
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE, can_be_named, category_of, of_category

LONGEST_MESSAGE: Final = 256
"""Characters of a condition's message: it is written into the pod, and read by people."""

MOST_REPORTED: Final = 8
"""Conditions of ours that a report names; the agent gives a pod two at most."""

_NO_RETRY_HELPS: Final = frozenset({Advice.NEVER, Advice.CHANGED})


class PodCondition(Struct, frozen=True, gc=False, kw_only=True):
    """A condition with the status True. ``reason`` is the category, ``message`` the fact that decided."""

    type: str
    reason: str
    message: str = ""


class Withheld(StrEnum):
    """Why a pod gets no condition."""

    NO_RULE = "no-rule"
    """No rule matches, so nothing is known."""
    NOT_PROVEN = "not-proven"
    """The category has no proof, or the rules have no grades (``order: file``)."""
    UNASKED = "unasked"
    """A rule that takes longer than the API server waits could give another answer: one on logs, or a backtracking
    one."""
    USER_TEXT = "user-text"
    """Who wrote the program or the spec of the pod wrote a part of what proves that infrastructure is to blame."""
    NOBODY = "nobody"
    """The proof says neither that infrastructure is to blame nor that no retry helps."""
    LIMIT = "limit"
    """This index of the Job has got the condition as often as it may."""
    BRAKE = "brake"
    """The cluster got more conditions than it may."""
    NOT_SYNCED = "not-synced"
    """This process has not listed yet what it must know."""
    DELETING = "deleting"
    """The pod is being deleted."""
    NOT_FAILING = "not-failing"
    """The request is not the moment at which a pod fails."""
    NO_JOB = "no-job"
    """No Job controls the pod."""
    DISRUPTED = "disrupted"
    """Kubernetes itself has marked the pod as disrupted, and Jobs can act on that."""
    PRESENT = "present"
    """The pod has the condition already."""
    DRY_RUN = "dry-run"
    """Nothing will be written."""
    SHADOW = "shadow"
    """Settings say that the agent only counts."""
    LATE = "late"
    """The answer took too long."""
    FAULT = "fault"
    """The pod could not be read."""


def withheld(given: Classification) -> Withheld | None:
    """Why no condition follows from a classification whatever the category asks for; ``None`` if one may."""
    if not given.matched or not given.matches:
        return Withheld.NO_RULE
    return None if given.grade is Grade.PROVEN else Withheld.NOT_PROVEN


def conditions_of(
    given: Classification, *, asking: Collection[str], redact: Callable[[str], str]
) -> tuple[PodCondition, ...] | Withheld:
    """The conditions of a classification, or why there are none.

    ``asking`` are the categories that have a condition of their own. A secret is redacted before the message is cut,
    because no rule finds a part of one.
    """
    if (why := withheld(given)) is not None:
        return why
    types = tuple(_types(given, asking))
    if not types:
        return Withheld.USER_TEXT if _blames(given) else Withheld.NOBODY
    message = _bounded(redact(_fact(given.matches[0])))
    return tuple([PodCondition(type=kind, reason=given.category, message=message) for kind in types])


def admission_of(types: Collection[str], given: Classification, *, shadow: bool = False) -> Admission | None:
    """What a report says of the conditions that its pod got; ``None`` if it got none of ours.

    Types that the agent never gives are left out, so that no pod makes a report longer than a few names.
    """
    ours = tuple(sorted(kind for kind in types if _is_ours(kind)))[:MOST_REPORTED]
    if not ours:
        return None
    found = conditions_of(given, asking=(given.category,), redact=str)
    follow = set() if isinstance(found, Withheld) else {condition.type for condition in found}
    return Admission(conditions=ours, shadow=shadow, disagreeing=tuple(kind for kind in ours if kind not in follow))


def _is_ours(kind: str) -> bool:
    category = category_of(kind)
    return kind in (HOPELESS, INFRASTRUCTURE) or (category is not None and can_be_named(category))


def _types(given: Classification, asking: Collection[str]) -> Iterator[str]:
    """``Hopeless`` excludes ``Infrastructure``: a Job may ignore the latter, which would repeat what cannot succeed."""
    if given.advice in _NO_RETRY_HELPS:
        yield HOPELESS
    elif _blames(given) and given.matches[0].trust is Trust.SYSTEM:
        yield INFRASTRUCTURE
    if given.category in asking and can_be_named(given.category):
        yield of_category(given.category)


def _blames(given: Classification) -> bool:
    return given.advice not in _NO_RETRY_HELPS and given.origin in BLAMED


def _fact(match: Match) -> str:
    return f"{match.where}: {match.text}" if match.text else match.where


def _bounded(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_MESSAGE else f"{line[: LONGEST_MESSAGE - 1]}…"
