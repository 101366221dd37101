"""The matcher of a rule of a retry policy: one of ``registry``, or several."""

from agent.core.classify.matchers.all_of import AllOf
from agent.core.classify.matchers.registry import RetryMatcher

Matcher = RetryMatcher | AllOf[RetryMatcher]


def parts(matcher: Matcher) -> tuple[RetryMatcher, ...]:
    """The matchers, all of which must match."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)
