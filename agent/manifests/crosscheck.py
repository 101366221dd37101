"""Faults that show only when documents are compared: unknown categories, mixed dialects."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.rules import RuleSet
from agent.core.failure import NO_CATEGORY
from agent.core.retry.matchers import parts
from agent.core.retry.policy import RetryPolicy
from agent.core.summary.internal import INTERNAL_CATEGORY
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node, find, text_at
from agent.documents.problem import Problem, nearest, quote
from agent.documents.source import Fault, Source
from agent.manifests.retry.armada import API_VERSION

Known = Mapping[str, AbstractSet[str]]
"""Categories, and the subcategories of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDocument:
    """A retry policy without errors, and its tree and source for placing problems."""

    policy: RetryPolicy
    root: Node
    source: Source


def known_categories(files: Iterable[RuleSet]) -> Known:
    """Return the categories that rule files give, and those that the system gives by itself."""
    known: dict[str, set[str]] = {NO_CATEGORY: set(), INTERNAL_CATEGORY: set()}
    for rules in files:
        known.setdefault(rules.default_category, set()).add(rules.default_subcategory)
        for category in rules.categories:
            known.setdefault(category.name, set()).update(rule.subcategory for rule in category.rules)
    return known


def unknown_categories(document: PolicyDocument, known: Known) -> Iterator[Problem]:
    """Yield a finding for each category and subcategory of a policy that no rule file has."""
    finder, at = Finder(root=document.root), _rules_at(document.root)
    for number, rule in enumerate(document.policy.rules):
        several = finder.has((*at, number, "allOf"))
        for index, part in enumerate(parts(rule.matcher)):
            place = (*at, number, "allOf", index) if several else (*at, number)
            if isinstance(part, Category):
                yield from _category(part, known, finder, document.source, at=place)
            elif isinstance(part, FailureCategory):
                for position, name in enumerate(part.names):
                    yield from _name(name, known, finder, document.source, at=(*place, "onFailureCategory", position))


def mixed_dialects(documents: Sequence[PolicyDocument]) -> Iterator[Problem]:
    """Yield an error for each policy whose dialect counts retries differently from the first one's."""
    for document in documents[1:]:
        first, here = documents[0], document.policy.dialect
        if here == first.policy.dialect:
            continue
        node = find(document.root, ("apiVersion",)) or document.root
        message = (
            f"{here.name} counts retries differently from {first.policy.dialect.name} of policy {first.policy.name}"
        )
        hint = "policies in effect together must have one dialect; lint those of different queues separately"
        fault = Fault(code="mixed-dialects", span=node.span, path="apiVersion", message=message, hint=hint)
        yield document.source.problem(fault)


def _rules_at(root: Node) -> Steps:
    return ("rules",) if text_at(find(root, ("apiVersion",))) == API_VERSION else ("spec", "rules")


def _category(part: Category, known: Known, finder: Finder, source: Source, *, at: Steps) -> Iterator[Problem]:
    if part.category not in known:
        yield from _name(part.category, known, finder, source, at=(*at, "onCategory"))
        return
    theirs = known[part.category]
    if part.subcategory is not None and part.category != INTERNAL_CATEGORY and part.subcategory not in theirs:
        message = f"category {quote(part.category)} has no subcategory {quote(part.subcategory)}"
        hint = nearest(part.subcategory, sorted(theirs))
        place = (*at, "onSubcategory")
        yield source.problem(finder.finding("unknown-subcategory", message, at=place, hint=hint))


def _name(name: str, known: Known, finder: Finder, source: Source, *, at: Steps) -> Iterator[Problem]:
    if name not in known:
        message = f"no rule file has a category {quote(name)}"
        yield source.problem(finder.finding("unknown-category", message, at=at, hint=nearest(name, sorted(known))))
