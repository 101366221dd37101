"""Parses YAML text to a tree, built from the parser's events so that depth and size stay bounded.

JSON is read as the YAML it is. Several documents, anchors and aliases are understood; ``meaning`` does the rest.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import yaml

from agent.bounds import MAX_LEVELS, TOO_DEEP
from agent.documents.grammar import PEOPLE, Grammar
from agent.documents.meaning import meaning
from agent.documents.node import Node, PathStep, Scalar, Span, write_path
from agent.documents.problem import Problem, in_order, nearest, quote
from agent.documents.source import Fault, Source, decode
from agent.documents.written import Written, WrittenList, WrittenMapping, WrittenScalar, height, size

MAX_NODES = 60_000
"""The most nodes in a document, each alias counted with everything it refers to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """The content of a text: the root of each document, and the problems of the text itself.

    ``roots`` has no document after a syntax error, and none without content.
    """

    source: Source
    roots: tuple[Node, ...]
    problems: tuple[Problem, ...]


def read(
    text: str | bytes,
    *,
    file: str,
    grammar: Grammar = PEOPLE,
    other_grammar: Callable[[WrittenMapping], Grammar | None] | None = None,
) -> Documents:
    """Read every document of the text. Raises nothing: what is wrong is in ``problems``.

    ``other_grammar`` gives the grammar of a document that is not read by ``grammar``.
    """
    source, unreadable = decode(text, file=file)
    if unreadable:
        return Documents(source=source, roots=(), problems=unreadable)
    written, faults = _compose(source)
    roots: list[Node] = []
    for root in written:
        other = other_grammar(root) if other_grammar is not None and isinstance(root, WrittenMapping) else None
        node, more = meaning(root, other or grammar)
        faults += more
        if not (isinstance(node, Scalar) and node.value is None):
            roots.append(node)
    return Documents(source=source, roots=tuple(roots), problems=in_order(source.problem(fault) for fault in faults))


def _compose(source: Source) -> tuple[list[Written], list[Fault]]:
    composer = Composer(lambda event: _span(source, event), max_nodes=MAX_NODES)
    try:
        for event in yaml.parse(source.text, Loader=yaml.CSafeLoader):
            composer.take(event)
    except LimitExceeded as stop:
        composer.faults.append(stop.fault)
    except yaml.MarkedYAMLError as error:
        composer.faults.append(_syntax(error, source))
    return composer.roots, composer.faults


class LimitExceeded(Exception):
    """The document exceeds a limit; reading stops."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True, kw_only=True)
class Level:
    """A list or mapping that has not ended yet."""

    is_mapping: bool
    anchor: str | None
    tag: str | None
    span: Span
    children: list[Written] = field(default_factory=list)

    def step(self) -> PathStep | None:
        """Return the key or index whose value is being read; ``None`` while a key is."""
        if not self.is_mapping:
            return len(self.children)
        key = self.children[-1] if len(self.children) % 2 else None
        return key.text if isinstance(key, WrittenScalar) else None

    def closed(self) -> Written:
        """Return the list or mapping, which has ended."""
        count = 1 + sum(size(child) for child in self.children)
        deep = 1 + max((height(child) for child in self.children), default=0)
        if not self.is_mapping:
            return WrittenList(items=tuple(self.children), span=self.span, tag=self.tag, size=count, height=deep)
        pairs = tuple(zip(self.children[::2], self.children[1::2], strict=True))
        return WrittenMapping(pairs=pairs, span=self.span, tag=self.tag, size=count, height=deep)


class Composer:
    """Builds the roots from events, one at a time, with a stack of its own instead of recursion.

    ``span`` places an event. Exceeding the depth or ``max_nodes`` raises ``LimitExceeded``; with ``only_aliases`` only
    nodes that aliases refer to are counted. ``around``: levels that are not part of an object.
    """

    def __init__(self, span: Callable[[yaml.Event], Span], *, max_nodes: int, only_aliases: bool = False) -> None:
        self.roots: list[Written] = []
        self.faults: list[Fault] = []
        self.levels: list[Level] = []
        self.around = 0
        self._span = span
        self._max_nodes = max_nodes
        self._only_aliases = only_aliases
        self._anchors: dict[str, Written] = {}
        self._counted = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event."""
        if isinstance(event, yaml.ScalarEvent):
            self._put(self._scalar(event), anchor=event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self._open(event)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            done = self.levels.pop()
            self._put(done.closed(), anchor=done.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._put(self._alias(event), anchor=None)
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}
            self.restart_count()

    def level(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent, span: Span) -> Level:
        """Return the level that a list or mapping opens."""
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        return Level(is_mapping=is_mapping, anchor=event.anchor, tag=event.tag, span=span)

    def restart_count(self) -> None:
        """Restart counting nodes for the next object."""
        self._counted = 0

    def _open(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        span = self._span(event)
        self._bound_levels(1, span)
        self.levels.append(self.level(event, span))

    def _put(self, written: Written, *, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = written
        if self.levels:
            self.levels[-1].children.append(written)
        else:
            self.roots.append(written)

    def _bound_levels(self, more: int, span: Span) -> None:
        if len(self.levels) + more > MAX_LEVELS + self.around:
            raise LimitExceeded(Fault(code="too-deep", span=span, message=TOO_DEEP))

    def _bound_nodes(self, more: int, span: Span) -> None:
        self._counted += more
        if self._counted > self._max_nodes:
            message = f"more than {self._max_nodes} nodes, counting each alias with everything it refers to"
            raise LimitExceeded(Fault(code="too-many-nodes", span=span, message=message))

    def _scalar(self, event: yaml.ScalarEvent) -> WrittenScalar:
        span = self._span(event)
        if not self._only_aliases:
            self._bound_nodes(1, span)
        return WrittenScalar(text=event.value, span=span, tag=event.tag, plain=event.style is None or event.style == "")

    def _alias(self, event: yaml.AliasEvent) -> Written:
        span = self._span(event)
        anchor = event.anchor or ""
        target = self._anchors.get(anchor)
        # Counted before it is used: nested aliases double with each level ("billion laughs").
        self._bound_nodes(1 if target is None else size(target), span)
        # An open list or mapping with this anchor hides an earlier one: the alias would be inside its own value.
        if target is None or any(level.anchor == anchor for level in self.levels):
            self.faults.append(self._alias_fault(anchor, span))
            return WrittenScalar(text=f"*{anchor}", span=span, broken=True)
        self._bound_levels(height(target), span)
        return target

    def _alias_fault(self, anchor: str, span: Span) -> Fault:
        path = write_path([step for level in self.levels if (step := level.step()) is not None])
        if any(level.anchor == anchor for level in self.levels):
            message = f"{quote('*' + anchor)} refers to a value that contains it"
            return Fault(code="recursive-alias", span=span, path=path, message=message, hint="write the value out")
        message = f"there is no anchor {quote('&' + anchor)} before {quote('*' + anchor)}"
        return Fault(code="unknown-alias", span=span, path=path, message=message, hint=nearest(anchor, self._anchors))


def _span(source: Source, event: yaml.Event) -> Span:
    start, end = event.start_mark, event.end_mark
    return source.span(0 if start is None else start.index, None if end is None else end.index)


def _syntax(error: yaml.MarkedYAMLError, source: Source) -> Fault:
    mark = error.problem_mark or error.context_mark
    said: Sequence[str | None] = (error.context, error.problem)
    message = ", ".join(part for part in said if part) or "not YAML"
    at = 0 if mark is None else min(mark.index, len(source.text))
    return Fault(code="syntax", span=source.span(at), message=message, hint=_syntax_hint(source, at))


def _syntax_hint(source: Source, at: int) -> str:
    span = source.span(at)
    if "\t" in source.line(span.line)[: span.column]:
        return "indent with spaces: YAML does not take tabs"
    return ""
