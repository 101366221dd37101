"""What a rule of a retry policy looks for: one of the matchers of ``registry``, or several; and what it found."""

from dataclasses import dataclass

from agent.core.classify.matchers.all_of import AllOf
from agent.core.classify.matchers.registry import RetryMatcher
from agent.core.failure import Trust

Matcher = RetryMatcher | AllOf[RetryMatcher]


def parts(matcher: Matcher) -> tuple[RetryMatcher, ...]:
    """The matchers that all must hold."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The text that matched, where it stands, who wrote it, and in which container; empty for pod signals."""

    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""
