"""Category rules as values: what a file of ``errorCategories`` compiles to.

Every pattern is RE2, searched unanchored, and never matches an empty text. Exit code 0 never matches.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.matchers.text import backtracks
from agent.core.failure import (
    NO_CATEGORY,
    Advice,
    CategoryAction,
    Mechanism,
    Origin,
    Proof,
)

Matcher = CategoryMatcher | AllOf[CategoryMatcher]


class Order(StrEnum):
    """Which of the matching rules is primary: the first in the file, or the one with the best evidence."""

    FILE = "file"
    EVIDENCE = "evidence"


class Role(StrEnum):
    """Whether a rule names a cause, or the report of a program that only passes on that something failed."""

    CAUSE = "cause"
    WRAPPER = "wrapper"


class Reach(StrEnum):
    """Which part of a text a rule is for: any, or only its final region (``classify.region``)."""

    ANY = "any"
    FINAL = "final"


def parts(matcher: Matcher) -> tuple[CategoryMatcher, ...]:
    """The matchers, all of which must match."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)


def is_weak(matcher: Matcher) -> bool:
    """Whether a rule rests only on exit codes, signals, bare reasons and the namespace.

    Nearly every failure has an exit code, so a rule on exit codes matches at once. More specific evidence (an event,
    the node's log) may arrive a moment later. Only a weak match is a reason to wait for it (docs/occurrences.md, When
    late evidence is waited for). Under ``order: evidence`` ``grade`` says which matches are weak.
    """
    return all(part.is_weak for part in parts(matcher))


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule of a category. ``origin`` and ``advice`` of a rule override those of its category.

    The rest matters under ``order: evidence`` only. ``after`` are the mechanisms after which the rule may match;
    ``None`` depends on the evidence: a sign of the system may come after each, what a program wrote only after those
    of ``weighing.AFTER_WORDS``. ``region`` is for words that programs also write about errors that they survive.
    ``corroborated_by`` are signs of the system, any of which confirms the rule; without them it is confirmed by any
    sign that matches a rule of the same category. ``proof`` is why the advice is certain (``classify.proof``).
    ``sources`` say what the rule was written from: repositories, documents, rows of a corpus. ``name`` identifies the
    rule within its pack, wherever it stands there. Neither changes what the rule means, so neither is part of the
    revision.
    """

    matcher: Matcher
    name: str = ""
    container: str | None = None
    subcategory: str = ""
    hint: str = ""
    origin: Origin | None = None
    advice: Advice | None = None
    after: frozenset[Mechanism] | None = None
    role: Role = Role.CAUSE
    region: Reach = Reach.ANY
    corroborated_by: tuple[CategoryMatcher, ...] = ()
    proof: Proof | None = None
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """A name and its rules; any matching rule gives the category.

    ``pack`` is the file the rules come from, where several make up a rule set. Each pack that has rules of a category
    has a value of its own with that name. ``condition``: failed pods may get a condition of their own for it, if the
    category is proven (``identity.conditions``).
    """

    name: str
    rules: tuple[Rule, ...]
    pack: str = ""
    action: CategoryAction = CategoryAction.RETAIN
    origin: Origin | None = None
    advice: Advice | None = None
    condition: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All categories in file order, pack by pack. ``revision`` is a hash of their meaning, not of the text."""

    categories: tuple[Category, ...] = ()
    default_category: str = NO_CATEGORY
    default_subcategory: str = ""
    revision: str = ""
    order: Order = Order.FILE


def has_slow_rules(rules: RuleSet) -> bool:
    """Whether any rule asks for the backtracking engine."""
    return any(map(backtracks, _matchers(rules)))


def normal_reasons(rules: RuleSet) -> frozenset[str]:
    """The reasons of Normal events that a rule names."""
    named = (
        matcher.reason for matcher in _matchers(rules) if isinstance(matcher, PodEvents) and matcher.type == "Normal"
    )
    return frozenset(reason for reason in named if reason)


def event_types_of(rules: RuleSet) -> frozenset[str]:
    """The types of the events that rules name."""
    return frozenset(matcher.type for matcher in _matchers(rules) if isinstance(matcher, PodEvents))


def asking(rules: RuleSet) -> frozenset[str]:
    """The categories that ask for a pod condition of their own."""
    return frozenset(category.name for category in rules.categories if category.condition)


def rules_by_pack(rules: RuleSet) -> Mapping[str, int]:
    """How many rules come from each pack; those of the file itself are under the empty name."""
    counts: Counter[str] = Counter()
    for category in rules.categories:
        counts[category.pack] += len(category.rules)
    return counts


def _matchers(rules: RuleSet) -> Iterator[CategoryMatcher]:
    for category in rules.categories:
        for rule in category.rules:
            yield from (*parts(rule.matcher), *rule.corroborated_by)
