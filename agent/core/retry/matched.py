"""The match of a matcher in a failure."""

from msgspec import Struct

from agent.core.failure import Trust


class Matched(Struct, frozen=True, kw_only=True):
    """The matching text, its place, who wrote it, and the container; empty for pod signals."""

    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""
