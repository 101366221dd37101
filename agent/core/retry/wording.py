"""A rule in words, in the spelling of the file it came from."""

from typing import assert_never

from agent.core.retry.matchers import (
    AllOf,
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    FailureOrigin,
    Matcher,
    NodeConditions,
    Signals,
    SingleMatcher,
    TerminationMessage,
)
from agent.core.retry.policy import Rule

NAMES: dict[type[Matcher], str] = {
    ExitCodes: "onExitCodes",
    Signals: "onSignals",
    Conditions: "onConditions",
    TerminationMessage: "onTerminationMessage",
    FailureCategory: "onFailureCategory",
    Category: "onCategory",
    FailureOrigin: "onOrigin",
    NodeConditions: "onNodeConditions",
    AllOf: "allOf",
}
"""The field each matcher is written in."""


def describe(rule: Rule) -> str:
    """One line that tells a rule from the others: its name if it has one, and what it matches."""
    named = f"{rule.name} ({matcher_words(rule.matcher)})" if rule.name is not None else matcher_words(rule.matcher)
    return named if rule.container is None else f"{named} in container {rule.container}"


def matcher_words(matcher: Matcher) -> str:
    """A matcher with its operand."""
    if isinstance(matcher, AllOf):
        return " and ".join(matcher_words(part) for part in matcher.matchers)
    return f"{NAMES[type(matcher)]} {_operand(matcher)}"


def _operand(matcher: SingleMatcher) -> str:  # noqa: PLR0911 - one return a kind of matcher
    match matcher:
        case ExitCodes(operator=operator, values=values):
            return f"{operator} [{', '.join(map(str, sorted(values)))}]"
        case Signals(values=values):
            return f"[{', '.join(map(str, sorted(values)))}]"
        case Conditions(names=names) | FailureCategory(names=names):
            return f"[{', '.join(names)}]"
        case TerminationMessage(pattern=pattern):
            return f"/{pattern}/"
        case Category(category=category, subcategory=subcategory):
            return category if subcategory is None else f"{category}, onSubcategory {subcategory}"
        case FailureOrigin(origins=origins):
            return f"[{', '.join(origins)}]"
        case NodeConditions(any_of=any_of):
            return f"[{', '.join(f'{one.type} {one.status}' for one in any_of)}]"
        case _:
            assert_never(matcher)
