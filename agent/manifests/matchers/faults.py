"""Errors of matchers that a shape cannot express: no matcher or several, and patterns that do not compile."""

from collections.abc import Collection, Iterator
from collections.abc import Mapping as Fields

from agent.core.classify.matchers.text import Engine
from agent.documents.node import Mapping, Node, PathStep, Scalar, Span, text_at, write_path
from agent.documents.problem import quote
from agent.documents.source import Fault, Source
from agent.manifests.matchers.pattern import PatternFault, fault_of

Steps = tuple[PathStep, ...]


def pattern_fault(matcher: Node | None, name: str, source: Source, *, at: Steps) -> Iterator[Fault]:
    """Yield the fault of a matcher's pattern, if any; ``at`` is the path of the matcher, ``name`` its field."""
    node = matcher.get(name) if isinstance(matcher, Mapping) else None
    text = text_at(node)
    engine = _engine(matcher)
    if isinstance(node, Scalar) and text is not None and engine is not None and (fault := fault_of(text, engine)):
        span = _pattern_span(node, fault, source)
        path = write_path((*at, name))
        yield Fault(code="invalid-pattern", span=span, path=path, message=fault.message, hint=fault.hint)


def pattern_faults(rule: Mapping, fields: Fields[str, str], source: Source, *, at: Steps) -> Iterator[Fault]:
    """Yield the faults of the patterns of a rule; ``fields`` says where each matcher has its pattern."""
    for matcher, name in fields.items():
        yield from pattern_fault(rule.get(matcher), name, source, at=(*at, matcher))


def matcher_fault(mapping: Mapping, known: Collection[str], *, at: Steps, what: str = "rule") -> Iterator[Fault]:
    """Yield the fault of a rule, or of a part of one, that has not exactly one of the known matchers."""
    present = [entry for entry in mapping.entries if entry.key in known and not is_absent(entry.value)]
    path = write_path(at)
    if not present:
        message = f"a {what} needs one of {', '.join(known)}"
        yield Fault(code="no-matcher", span=mapping.span, path=path, message=message)
    elif len(present) > 1:
        names = " and ".join(quote(entry.key) for entry in present)
        message = f"a {what} must have exactly one matcher; this one has {names}"
        hint = "`allOf: [{...}, {...}]` joins several" if "allOf" in known else f"write a {what} for each"
        yield Fault(code="several-matchers", span=present[1].span, path=path, message=message, hint=hint)


def _engine(matcher: Node | None) -> Engine | None:
    """Return the engine that is written; ``None`` if it is unknown, which the shape reports."""
    node = matcher.get("engine") if isinstance(matcher, Mapping) else None
    if node is None:
        return Engine.RE2
    written = text_at(node)
    return next((engine for engine in Engine if engine.value == written), None)


def is_absent(node: Node) -> bool:
    """Return whether a matcher or list counts as absent: null, or an empty list (as in Armada)."""
    if isinstance(node, Scalar):
        return node.value is None
    return not isinstance(node, Mapping) and not node.items


def _pattern_span(node: Scalar, fault: PatternFault, source: Source) -> Span:
    """Return the position of the fault within the pattern; the whole scalar if the text has escapes or is folded."""
    # A quoted scalar begins with its quotation mark.
    start = source.index(node.span) + (0 if node.plain else 1)
    as_written = source.text[start : start + len(node.text)] == node.text and "\n" not in node.text
    if fault.offset is None or not as_written:
        return node.span
    return source.span(start + fault.offset, start + fault.offset + fault.length)
