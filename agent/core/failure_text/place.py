"""Where a match was, parsed from its description: the reason of the pod or a container, a condition, an event.

A match stores its place as text, as written by the matchers and ``signs`` of ``classify``.
"""

import re
from typing import NamedTuple

from agent.core.failure import Match, Trust
from agent.core.failure_text.signs import Words, condition

_REASON = re.compile(
    r"(?:container [^:]+: (?:waiting, )?reason |pod: reason |pod: condition \S+ is True, reason |event )"
    r"(?P<reason>.+?)(?: with exit code 0)?"
)


class Reason(NamedTuple):
    """A reason from the system, and our description of it."""

    reason: str
    words: Words


def parts(match: Match) -> list[str]:
    """The places of a match: several for an ``allOf``."""
    return match.where.split("; ")


def reason_at(place: str) -> Reason | None:
    """The reason at a place, if we have a description for it."""
    found = _REASON.fullmatch(place)
    if found is None or (words := condition(found["reason"])) is None:
        return None
    return Reason(found["reason"], words)


def words_for(match: Match) -> Words | None:
    """Our description for the first place that has one; none if user text also decided."""
    if match.trust is not Trust.SYSTEM:
        return None
    known = (reason_at(place) for place in parts(match))
    return next((place.words for place in known if place is not None), None)
