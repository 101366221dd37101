"""A rule as text, in the spelling of its file."""

from agent.core.classify.matchers.registry import Matcher, parts
from agent.core.retry.policy import Rule

_LONGEST_LABEL = 60


def describe(rule: Rule) -> str:
    """One line that identifies a rule: its name if it has one, and what it matches."""
    named = f"{rule.name} ({matcher_words(rule.matcher)})" if rule.name is not None else matcher_words(rule.matcher)
    return _within(named, rule)


def label(rule: Rule) -> str:
    """The label of a rule: its name, else what it matches, shortened with ``...``."""
    if rule.name is not None:
        return rule.name
    called = _within(" and ".join(part.label() for part in parts(rule.matcher)), rule)
    return called if len(called) <= _LONGEST_LABEL else f"{called[:_LONGEST_LABEL]}..."


def matcher_words(matcher: Matcher) -> str:
    """A matcher with its operand."""
    return " and ".join(f"{part.NAME} {part.words()}" for part in parts(matcher))


def sought(rule: Rule) -> str:
    """What a failure must have so that the rule matches."""
    return _within(" and ".join(part.sought() for part in parts(rule.matcher)), rule)


def _within(words: str, rule: Rule) -> str:
    return words if rule.container is None else f"{words} in container {rule.container}"
