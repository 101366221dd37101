"""The match of a matcher in a failure."""

from dataclasses import dataclass

from agent.core.failure import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The matching text, its place, who wrote it, and the container; empty for pod signals."""

    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""
