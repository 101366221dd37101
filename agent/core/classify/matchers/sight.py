"""What a matcher saw, and who wrote it."""

from collections.abc import Sequence
from typing import NamedTuple

from agent.core.evidence import Condition, Container, Event, LogTail
from agent.core.failure import Trust

Subject = Container | Condition | Event | LogTail | str | None
"""What a matcher looks at: a container, a node's condition, an event, a log tail, a line of the node's log; ``None``
is the pod itself."""


class Sight(NamedTuple):
    """What matched: the place, its text, who wrote it, and the container; empty for the pod itself."""

    where: str
    text: str
    trust: Trust = Trust.SYSTEM
    container: str = ""


Finding = Sight | str
"""What matched, or a description of why nothing did."""


LONGEST_TEXT = 200
"""Characters of a matched text that an explanation of a verdict keeps; an ellipsis marks what was cut off."""


def bounded(text: str) -> str:
    """``text``, cut to LONGEST_TEXT."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"


def container_of(subject: Subject) -> str | None:
    """The name of the container a subject belongs to."""
    if isinstance(subject, Container):
        return subject.name
    return subject.container if isinstance(subject, LogTail) else None


def together(sights: Sequence[Sight], *, container: str) -> Sight:
    """What the matchers of an ``allOf`` saw together; trusted if every part is."""
    trusted = all(sight.trust is Trust.SYSTEM for sight in sights)
    return Sight(
        where="; ".join(sight.where for sight in sights),
        text="; ".join(sight.text for sight in sights),
        trust=Trust.SYSTEM if trusted else Trust.USER_TEXT,
        container=container,
    )
