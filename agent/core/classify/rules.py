"""Category rules as values: what a file of ``errorCategories`` compiles to (reference/armada-today.md 2).

Every pattern is RE2, searched unanchored, and never matches an empty text. Exit code 0 never matches.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from agent.core.failure import (
    NO_CATEGORY,
    Advice,
    CategoryAction,
    Origin,
)


class Operator(StrEnum):
    """In: the code is listed. NotIn: it is not, and is not 0."""

    IN = "In"
    NOT_IN = "NotIn"


class Engine(StrEnum):
    """Which engine searches: RE2, or the backtracking one with its limits (design 6)."""

    RE2 = "re2"
    BACKTRACKING = "backtracking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pattern:
    """A regular expression and the engine that searches it."""

    text: str
    engine: Engine = Engine.RE2


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCodes:
    """``onExitCodes``: any ended container whose code is not 0 and is listed (In) or not listed (NotIn)."""

    operator: Operator
    values: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """``onSignals``: any ended container whose signal is listed: the one given, else its code - 128 (129 to 192)."""

    values: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminationMessage:
    """``onTerminationMessage``: the message of any ended container whose code is not 0."""

    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """``onConditions``: any of the named conditions of the table in ``conditions``."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PodError:
    """``onPodError``: the one message the platform gave for the pod."""

    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class PodEvents:
    """``onPodEvents``: an event about the pod of this type, of this reason if one is given."""

    type: str
    pattern: Pattern
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeCondition:
    """A condition of the node's: of this type and status, and of this reason if one is given."""

    type: str
    status: str = "True"
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConditions:
    """``onNodeConditions``: the node has any one of these conditions."""

    any_of: tuple[NodeCondition, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeLog:
    """``onNodeLog``: any line of the node's log."""

    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class LogTail:
    """``onLogTail``: the end of any container's log."""

    pattern: Pattern


SingleMatcher = (
    ExitCodes | Signals | TerminationMessage | Conditions | PodError | PodEvents | NodeConditions | NodeLog | LogTail
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """``allOf``: every one of several matchers.

    Those that look at a container must all hold for one and the same container; without matchers it never holds.
    """

    matchers: tuple[SingleMatcher, ...]


Matcher = SingleMatcher | AllOf

MATCHER_NAMES: Mapping[type[Matcher], str] = MappingProxyType(
    {
        ExitCodes: "onExitCodes",
        Signals: "onSignals",
        TerminationMessage: "onTerminationMessage",
        Conditions: "onConditions",
        PodError: "onPodError",
        PodEvents: "onPodEvents",
        NodeConditions: "onNodeConditions",
        NodeLog: "onNodeLog",
        LogTail: "onLogTail",
        AllOf: "allOf",
    }
)
"""How files spell each matcher."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a category. ``origin`` and ``advice`` of a rule go before those of its category."""

    matcher: Matcher
    container: str | None = None
    subcategory: str = ""
    hint: str = ""
    origin: Origin | None = None
    advice: Advice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A name and the rules that are OR'd to give it."""

    name: str
    rules: tuple[Rule, ...]
    action: CategoryAction = CategoryAction.RETAIN
    origin: Origin | None = None
    advice: Advice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All categories of one file, in file order. ``revision`` is a hash of their meaning, not of the text."""

    categories: tuple[Category, ...] = ()
    default_category: str = NO_CATEGORY
    default_subcategory: str = ""
    revision: str = ""


def has_slow_rules(rules: RuleSet) -> bool:
    """Whether any rule asks for the backtracking engine."""
    return any(_is_slow(rule.matcher) for category in rules.categories for rule in category.rules)


def _is_slow(matcher: Matcher) -> bool:
    if isinstance(matcher, AllOf):
        return any(_is_slow(each) for each in matcher.matchers)
    pattern = getattr(matcher, "pattern", None)
    return pattern is not None and pattern.engine is Engine.BACKTRACKING
