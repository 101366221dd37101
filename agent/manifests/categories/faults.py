"""Faults of error categories between fields: duplicate names, missing rules, wrong matchers, bad patterns.

They are found in the tree as it was written, so that a fault of the shape hides none of them.
"""

from collections.abc import Iterator

from agent.documents.node import Mapping, Node, Span, items, text_at, write_path
from agent.documents.problem import quote
from agent.documents.source import Fault, Source
from agent.manifests.categories.shapes import MATCHERS
from agent.manifests.matchers.faults import Steps, is_absent, matcher_fault, pattern_faults
from agent.manifests.matchers.written import pattern_fields

PATTERNS = pattern_fields(MATCHERS)


def faults_between_fields(categories: Node | None, source: Source, *, at: Steps) -> Iterator[Fault]:
    """Yield the faults of the list of categories at this path."""
    yield from _duplicates(categories, at)
    for number, category in items(categories):
        if isinstance(category, Mapping):
            yield from _category(category, source, at=(*at, number))


def _duplicates(categories: Node | None, at: Steps) -> Iterator[Fault]:
    seen: dict[str, Span] = {}
    for number, category in items(categories):
        node = category.get("name") if isinstance(category, Mapping) else None
        name = text_at(node)
        if node is None or not name:
            continue
        first = seen.setdefault(name, node.span)
        if first is not node.span:
            message = f"the category {quote(name)} is given twice; first at {first.line}:{first.column}"
            path = write_path((*at, number, "name"))
            yield Fault(code="duplicate-category", span=node.span, path=path, message=message)


def _category(category: Mapping, source: Source, *, at: Steps) -> Iterator[Fault]:
    rules = category.entry("rules")
    if rules is None or is_absent(rules.value):
        span = rules.span if rules else category.span
        message = "a category needs at least one rule"
        yield Fault(code="no-rules", span=span, path=write_path((*at, "rules")), message=message)
        return
    for number, rule in items(rules.value):
        if isinstance(rule, Mapping):
            yield from _rule(rule, source, at=(*at, "rules", number))


def _rule(rule: Mapping, source: Source, *, at: Steps) -> Iterator[Fault]:
    yield from matcher_fault(rule, (*MATCHERS, "allOf"), at=at)
    yield from pattern_faults(rule, PATTERNS, source, at=at)
    for number, part in items(rule.get("allOf")):
        if isinstance(part, Mapping):
            here = (*at, "allOf", number)
            yield from matcher_fault(part, MATCHERS, at=here)
            yield from pattern_faults(part, PATTERNS, source, at=here)
