"""Where a match was, read from its words: the pod's or a container's reason, a condition, an event.

A match keeps its place in words, as matchers and ``signs`` of ``classify`` write it.
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
    """A reason that the system gave, and our words for it."""

    reason: str
    words: Words


def parts(match: Match) -> list[str]:
    """The places of a match: several where all of some matchers had to match."""
    return match.where.split("; ")


def reason_at(place: str) -> Reason | None:
    """The reason that stands at a place, if it is one we have words for."""
    found = _REASON.fullmatch(place)
    if found is None or (words := condition(found["reason"])) is None:
        return None
    return Reason(found["reason"], words)


def words_for(match: Match) -> Words | None:
    """Our words for the first of its places that we have words for; none where a user's text decided too."""
    if match.trust is not Trust.SYSTEM:
        return None
    known = (reason_at(place) for place in parts(match))
    return next((one.words for one in known if one is not None), None)
