"""What came of asking a rule: it matched, and on what; or it was silent, and why."""

from dataclasses import dataclass

from agent.core.failure import Trust

LONGEST_TEXT = 200
"""Characters of a matched text that an explanation keeps; what is cut off is told by an ellipsis."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The text that matched, where it stands, who wrote it, and in which container; empty for pod signals."""

    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""


Finding = Matched | str
"""What matched, or in words why the rule is silent."""


def bounded(text: str) -> str:
    """``text``, cut to LONGEST_TEXT."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
