"""The matcher of a rule of a retry policy: one of ``registry``, or several; and its match."""

from dataclasses import dataclass

from agent.core.classify.matchers.all_of import AllOf
from agent.core.classify.matchers.registry import RetryMatcher
from agent.core.failure import Trust

Matcher = RetryMatcher | AllOf[RetryMatcher]


def parts(matcher: Matcher) -> tuple[RetryMatcher, ...]:
    """The matchers, all of which must match."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The matching text, its place, who wrote it, and the container; empty for pod signals."""

    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""
