"""Faults that show only when documents are compared: unknown categories, mixed dialects, a name given twice."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.registry import RetryMatcher, parts
from agent.core.classify.rules import RuleSet
from agent.core.failure import NO_CATEGORY
from agent.core.retry.policy import RetryPolicy
from agent.core.summary.internal import INTERNAL_CATEGORY
from agent.documents.checked import Finder, Steps
from agent.documents.node import Node, find, text_at, write_path
from agent.documents.problem import Problem, nearest, quote
from agent.documents.source import Fault, Source
from agent.manifests.retry.armada import API_VERSION

Known = Mapping[str, AbstractSet[str]]
"""Categories, and the subcategories of each."""


class _Looked(NamedTuple):
    """The categories that are known, and where they are from, as ``rule file``."""

    known: Known
    of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyDocument:
    """A retry policy, and its tree and source for placing problems.

    Of a document with errors it is what is left without them, and ``restored`` gives a problem its place in the whole,
    ``None`` for what is only said because something is missing.
    """

    policy: RetryPolicy
    root: Node
    source: Source
    restored: Callable[[Problem], Problem | None] = field(default=lambda problem: problem)

    def problem(self, fault: Fault) -> Iterator[Problem]:
        """Yield a fault of the policy as a problem of its document."""
        restored = self.restored(self.source.problem(fault))
        if restored is not None:
            yield restored


def known_categories(files: Iterable[RuleSet]) -> Known:
    """Return the categories that rule files give, and those that the system gives by itself."""
    known: dict[str, set[str]] = {NO_CATEGORY: set(), INTERNAL_CATEGORY: set()}
    for rules in files:
        known.setdefault(rules.default_category, set()).add(rules.default_subcategory)
        for category in rules.categories:
            known.setdefault(category.name, set()).update(rule.subcategory for rule in category.rules)
    return known


def unknown_categories(document: PolicyDocument, known: Known, *, of: str = "rule file") -> Iterator[Problem]:
    """Yield a finding for each category and subcategory of a policy that no rule file has, or other place (``of``)."""
    finder, at = Finder(root=document.root), ("rules",) if _is_armadas(document) else ("spec", "rules")
    for number, rule in enumerate(document.policy.rules):
        several = finder.has((*at, number, "allOf"))
        for index, part in enumerate(parts(rule.matcher)):
            place = (*at, number, "allOf", index) if several else (*at, number)
            for fault in _of_part(part, _Looked(known, of), finder, at=place):
                yield from document.problem(fault)


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
        yield from document.problem(fault)


def _of_part(part: RetryMatcher, looked: _Looked, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if isinstance(part, Category):
        yield from _category(part, looked, finder, at=at)
    elif isinstance(part, FailureCategory):
        for position, name in enumerate(part.names):
            yield from _name(name, looked, finder, at=(*at, "onFailureCategory", position))


def _category(part: Category, looked: _Looked, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    known = looked.known
    if part.category not in known:
        yield from _name(part.category, looked, finder, at=(*at, "onCategory"))
        return
    theirs = known[part.category]
    if part.subcategory is not None and part.category != INTERNAL_CATEGORY and part.subcategory not in theirs:
        message = f"category {quote(part.category)} has no subcategory {quote(part.subcategory)}"
        hint = nearest(part.subcategory, sorted(theirs))
        yield finder.finding("unknown-subcategory", message, at=(*at, "onSubcategory"), hint=hint)


def _name(name: str, looked: _Looked, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    if name not in looked.known:
        message = f"no {looked.of} has a category {quote(name)}"
        yield finder.finding("unknown-category", message, at=at, hint=nearest(name, sorted(looked.known)))


def repeated_policies(documents: Sequence[PolicyDocument]) -> Iterator[Problem]:
    """Yield an error for each policy whose name an earlier one has."""
    first: dict[str, str] = {}
    for document in documents:
        name, file = document.policy.name, document.source.file
        if name not in first:
            first[name] = file
            continue
        steps: Steps = ("name",) if _is_armadas(document) else ("metadata", "name")
        node = find(document.root, steps) or document.root
        where = "in this file" if first[name] == file else f"in {first[name]}"
        message = f"a policy {quote(name)} is given already {where}"
        fault = Fault(code="duplicate-policy", span=node.span, path=write_path(steps), message=message)
        yield from document.problem(replace(fault, hint="rename one, or leave one out"))


def _is_armadas(document: PolicyDocument) -> bool:
    return text_at(find(document.root, ("apiVersion",))) == API_VERSION
