"""Faults of error categories that lie between fields.

They are looked for in the tree as it was written, so that a fault of the shape hides none of them.
"""

from collections.abc import Iterator, Sequence

from agent.core.classify.rules import Engine
from agent.documents.node import Mapping, Node, PathStep, Scalar, Span, items, text_at, write_path
from agent.documents.problem import quote
from agent.documents.source import Fault, Source
from agent.manifests.category_shapes import MATCHERS
from agent.manifests.pattern import PatternFault, fault_of

PATTERN_FIELDS = {
    "onTerminationMessage": "pattern",
    "onPodError": "pattern",
    "onPodEvents": "regexp",
    "onNodeLog": "pattern",
    "onLogTail": "pattern",
}
"""Where each matcher that has a pattern keeps it."""

Steps = tuple[PathStep, ...]


def faults_between(categories: Node | None, source: Source, *, at: Steps) -> Iterator[Fault]:
    """Give the faults of a list of categories that stands at this path."""
    yield from _duplicates(categories, at)
    for number, category in items(categories):
        if isinstance(category, Mapping):
            yield from _category(category, source, at=(*at, number))


def pattern_fault(matcher: Node | None, name: str, source: Source, *, at: Steps) -> Iterator[Fault]:
    """Give the fault of a matcher's pattern, if it has one; ``at`` is the matcher's path, ``name`` the field's."""
    node = matcher.get(name) if isinstance(matcher, Mapping) else None
    text = text_at(node)
    engine = _engine(matcher)
    if isinstance(node, Scalar) and text is not None and engine is not None and (fault := fault_of(text, engine)):
        span = _within(node, fault, source)
        path = write_path((*at, name))
        yield Fault(code="invalid-pattern", span=span, path=path, message=fault.message, hint=fault.hint)


def matcher_fault(mapping: Mapping, known: Sequence[str], *, at: Steps) -> Iterator[Fault]:
    """Give the fault of a rule, or of a part of an ``allOf``, that has not exactly one of the known matchers."""
    present = [entry for entry in mapping.entries if entry.key in known and not _is_nothing(entry.value)]
    path = write_path(at)
    if not present:
        message = f"a rule needs one of {', '.join(known)}"
        yield Fault(code="no-matcher", span=mapping.span, path=path, message=message)
    elif len(present) > 1:
        names = " and ".join(quote(entry.key) for entry in present)
        message = f"a rule has one matcher; this one has {names}"
        hint = "`allOf: [{...}, {...}]` joins several" if "allOf" in known else "write a rule for each"
        yield Fault(code="several-matchers", span=present[1].span, path=path, message=message, hint=hint)


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
    if rules is None or _is_nothing(rules.value):
        span = rules.span if rules else category.span
        message = "a category needs at least one rule"
        yield Fault(code="no-rules", span=span, path=write_path((*at, "rules")), message=message)
        return
    for number, rule in items(rules.value):
        if isinstance(rule, Mapping):
            yield from _rule(rule, source, at=(*at, "rules", number))


def _rule(rule: Mapping, source: Source, *, at: Steps) -> Iterator[Fault]:
    yield from matcher_fault(rule, (*MATCHERS, "allOf"), at=at)
    yield from _patterns(rule, source, at=at)
    for number, part in items(rule.get("allOf")):
        if isinstance(part, Mapping):
            here = (*at, "allOf", number)
            yield from matcher_fault(part, MATCHERS, at=here)
            yield from _patterns(part, source, at=here)


def _patterns(rule: Mapping, source: Source, *, at: Steps) -> Iterator[Fault]:
    for matcher, field in PATTERN_FIELDS.items():
        yield from pattern_fault(rule.get(matcher), field, source, at=(*at, matcher))


def _engine(matcher: Node | None) -> Engine | None:
    """Return the engine that is written; ``None`` where it is not one of ours, which the shape tells."""
    node = matcher.get("engine") if isinstance(matcher, Mapping) else None
    if node is None:
        return Engine.RE2
    written = text_at(node)
    return next((engine for engine in Engine if engine.value == written), None)


def _is_nothing(node: Node) -> bool:
    """Return whether a matcher or list is as good as not written: null, or an empty list (as in Armada)."""
    if isinstance(node, Scalar):
        return node.value is None
    return not isinstance(node, Mapping) and not node.items


def _within(node: Scalar, fault: PatternFault, source: Source) -> Span:
    """Return where in the text the pattern is wrong; the whole scalar if it is not written as it is."""
    start = source.index(node.span) + (0 if node.plain else 1)
    as_written = source.text[start : start + len(node.text)] == node.text and "\n" not in node.text
    if fault.offset is None or not as_written:
        return node.span
    return source.span(start + fault.offset, start + fault.offset + fault.length)
