"""Category rules as values: what a file of ``errorCategories`` compiles to (reference/armada-today.md 2).

Every pattern is RE2, searched unanchored, and never matches an empty text. Exit code 0 never matches.
"""

from dataclasses import dataclass

from agent.core.classify.matchers.all_of import AllOf
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.text import Engine, TextMatcher
from agent.core.failure import (
    NO_CATEGORY,
    Advice,
    CategoryAction,
    Origin,
)

Matcher = CategoryMatcher | AllOf[CategoryMatcher]


def parts(matcher: Matcher) -> tuple[CategoryMatcher, ...]:
    """The matchers, all of which must match."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a category. ``origin`` and ``advice`` of a rule override those of its category."""

    matcher: Matcher
    container: str | None = None
    subcategory: str = ""
    hint: str = ""
    origin: Origin | None = None
    advice: Advice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A name and its rules; any matching rule gives the category."""

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
    matchers = [one for category in rules.categories for rule in category.rules for one in parts(rule.matcher)]
    return any(isinstance(one, TextMatcher) and one.pattern.engine is Engine.BACKTRACKING for one in matchers)
