"""A rule in words, in the spelling of the file it came from."""

from typing import assert_never

from agent.core.retry.policy import (
    Category,
    Conditions,
    ExitCodes,
    FailureCategory,
    Matcher,
    Rule,
    TerminationMessage,
)


def matcher_name(matcher: Matcher) -> str:
    """The field a matcher is written in."""
    match matcher:
        case ExitCodes():
            return "onExitCodes"
        case Conditions():
            return "onConditions"
        case TerminationMessage():
            return "onTerminationMessage"
        case FailureCategory():
            return "onFailureCategory"
        case Category():
            return "onCategory"
        case _:
            assert_never(matcher)


def describe(rule: Rule) -> str:
    """One line that tells a rule from the others: its name if it has one, and what it matches."""
    named = f"{rule.name} ({_matcher(rule.matcher)})" if rule.name is not None else _matcher(rule.matcher)
    return named if rule.container is None else f"{named} in container {rule.container}"


def _matcher(matcher: Matcher) -> str:
    return f"{matcher_name(matcher)} {_operand(matcher)}"


def _operand(matcher: Matcher) -> str:
    match matcher:
        case ExitCodes(operator=operator, values=values):
            return f"{operator} [{', '.join(map(str, sorted(values)))}]"
        case Conditions(names=names) | FailureCategory(names=names):
            return f"[{', '.join(names)}]"
        case TerminationMessage(pattern=pattern):
            return f"/{pattern}/"
        case Category(category=category, subcategory=subcategory):
            return category if subcategory is None else f"{category}, onSubcategory {subcategory}"
        case _:
            assert_never(matcher)
