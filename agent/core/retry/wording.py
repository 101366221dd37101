"""A rule in words, in the spelling of the file it came from."""

from agent.core.retry.matchers import Matcher, parts
from agent.core.retry.policy import Rule


def describe(rule: Rule) -> str:
    """One line that tells a rule from the others: its name if it has one, and what it matches."""
    named = f"{rule.name} ({matcher_words(rule.matcher)})" if rule.name is not None else matcher_words(rule.matcher)
    return named if rule.container is None else f"{named} in container {rule.container}"


def matcher_words(matcher: Matcher) -> str:
    """A matcher with its operand."""
    return " and ".join(f"{one.NAME} {one.words()}" for one in parts(matcher))
