"""A rule as text, in the spelling of its file."""

from typing import assert_never

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.corroborated import Corroborated
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.classify.matchers.node_conditions import NodeConditions
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.classify.matchers.registry import Matcher, RetryMatcher, parts
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.retry.policy import Rule

_LONGEST_LABEL = 60
_NAMES_SHOWN = 2


def describe(rule: Rule) -> str:
    """One line that identifies a rule: its name if it has one, and what it matches."""
    named = f"{rule.name} ({matcher_words(rule.matcher)})" if rule.name is not None else matcher_words(rule.matcher)
    return _within(named, rule)


def label(rule: Rule) -> str:
    """The label of a rule: its name, else what it matches, shortened with ``...``."""
    if rule.name is not None:
        return rule.name
    called = _within(" and ".join(_called(part) for part in parts(rule.matcher)), rule)
    return called if len(called) <= _LONGEST_LABEL else f"{called[:_LONGEST_LABEL]}..."


def matcher_words(matcher: Matcher) -> str:
    """A matcher with its operand."""
    return " and ".join(f"{part.NAME} {part.words()}" for part in parts(matcher))


def sought(rule: Rule) -> str:
    """What a failure must have so that the rule matches."""
    return _within(" and ".join(_sought(part) for part in parts(rule.matcher)), rule)


def _within(words: str, rule: Rule) -> str:
    return words if rule.container is None else f"{words} in container {rule.container}"


def _called(matcher: RetryMatcher) -> str:
    """Conditions and categories are names themselves; the first few are enough."""
    match matcher:
        case Conditions(names=names) | FailureCategory(names=names):
            more = len(names) - _NAMES_SHOWN
            return f"{', '.join(names[:_NAMES_SHOWN])} and {more} more" if more > 0 else " or ".join(names)
        case Category():
            return matcher.words()
        case _:
            return f"{matcher.NAME} {matcher.words()}"


def _sought(matcher: RetryMatcher) -> str:  # noqa: C901, PLR0911 - one return a kind of matcher
    match matcher:
        case Conditions(names=names):
            return f"condition {' or '.join(names)}"
        case FailureCategory(names=names):
            return f"category {' or '.join(names)}"
        case Category():
            return f"category {matcher.words()}"
        case FailureOrigin(origins=origins):
            return f"origin {' or '.join(origins)}"
        case Corroborated(value=value):
            return "a corroborated category" if value else "an uncorroborated category"
        case MinGrade(grades=grades):
            return f"the grade {' or '.join(grades)}"
        case ExitCodes():
            return f"an exit code {matcher.words()}"
        case Signals(values=values):
            return f"signal {' or '.join(str(value) for value in sorted(values))}"
        case TerminationMessage():
            return f"a termination message with {matcher.words()}"
        case NodeConditions(any_of=any_of):
            return f"a node with {' or '.join(f'{condition.type} {condition.status}' for condition in any_of)}"
        case _:
            assert_never(matcher)
