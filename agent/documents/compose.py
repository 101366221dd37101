"""YAML text to nodes with marks, built from the parser's events so that depth and size stay bounded.

JSON is read as the YAML it is. Several documents, anchors, aliases and merge keys are understood.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import yaml

from agent.documents.node import (
    List,
    Mapping,
    MappingEntry,
    Node,
    PathStep,
    Scalar,
    Span,
    Value,
    kind,
    size,
    write_path,
)
from agent.documents.problem import Problem, in_order, nearest, quote
from agent.documents.scalar import InvalidScalar, resolve, resolve_tagged, unsupported_tag
from agent.documents.source import Fault, Source, decode

MAX_DEPTH = 64
"""The deepest nesting of lists and mappings."""

MAX_NODES = 60_000
"""The most nodes in a document, each alias counted with everything it refers to."""

_MERGE = "<<"
_MERGE_TAG = "tag:yaml.org,2002:merge"
_CONTAINER_TAGS = {
    yaml.SequenceStartEvent: ("!", "tag:yaml.org,2002:seq"),
    yaml.MappingStartEvent: ("!", "tag:yaml.org,2002:map"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Documents:
    """What a text holds: the root of each document, and the problems of the text itself.

    ``roots`` has no document after a syntax error, and none without content.
    """

    source: Source
    roots: tuple[Node, ...]
    problems: tuple[Problem, ...]


def read(text: str | bytes, *, file: str) -> Documents:
    """Read every document of the text. Raises nothing: what is wrong is in ``problems``."""
    source, unreadable = decode(text, file=file)
    if unreadable:
        return Documents(source=source, roots=(), problems=unreadable)
    composer = _Composer(source)
    try:
        for event in yaml.parse(source.text, Loader=yaml.CSafeLoader):
            composer.take(event)
    except _LimitExceeded as stop:
        composer.faults.append(stop.fault)
    except yaml.MarkedYAMLError as error:
        composer.faults.append(_syntax(error, source))
    problems = in_order(source.problem(fault) for fault in composer.faults)
    return Documents(source=source, roots=tuple(composer.roots), problems=problems)


class _LimitExceeded(Exception):
    """The document exceeds a limit; reading stops."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


@dataclass(slots=True, kw_only=True)
class _Open:
    """A list or mapping that has not ended yet."""

    is_mapping: bool
    anchor: str | None
    span: Span
    children: list[Node] = field(default_factory=list)

    def step(self) -> PathStep | None:
        """Return the key or index whose value is being read; ``None`` while a key is."""
        if not self.is_mapping:
            return len(self.children)
        key = self.children[-1] if len(self.children) % 2 else None
        return key.text if isinstance(key, Scalar) else None


class _Composer:
    """Builds the roots from events, one at a time, with a stack of its own instead of recursion."""

    def __init__(self, source: Source) -> None:
        self.roots: list[Node] = []
        self.faults: list[Fault] = []
        self._source = source
        self._stack: list[_Open] = []
        self._anchors: dict[str, Node] = {}
        self._counted = 0

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors, self._counted = {}, 0
        elif isinstance(event, yaml.AliasEvent):
            self._put(self._alias(event), anchor=None)
        elif isinstance(event, yaml.ScalarEvent):
            self._put(self._scalar(event), anchor=event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self._open(event)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self._close()

    def _open(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent) -> None:
        span = self._span(event)
        if len(self._stack) >= MAX_DEPTH:
            raise _LimitExceeded(
                Fault(code="too-deep", span=span, message=f"lists and mappings are nested more than {MAX_DEPTH} deep")
            )
        if event.tag is not None and event.tag not in _CONTAINER_TAGS[type(event)]:
            self._refuse(unsupported_tag(event.tag), span)
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        self._stack.append(_Open(is_mapping=is_mapping, anchor=event.anchor, span=span))

    def _close(self) -> None:
        done = self._stack.pop()
        if done.is_mapping:
            self._put(self._mapping(done), anchor=done.anchor)
        else:
            count = 1 + sum(size(child) for child in done.children)
            self._put(List(items=tuple(done.children), span=done.span, size=count), anchor=done.anchor)

    def _put(self, node: Node, *, anchor: str | None) -> None:
        if anchor is not None:
            self._anchors[anchor] = node
        if self._stack:
            self._stack[-1].children.append(node)
        elif not _is_empty(node):
            self.roots.append(node)

    def _count(self, nodes: int, span: Span) -> None:
        self._counted += nodes
        if self._counted > MAX_NODES:
            message = f"more than {MAX_NODES} nodes, counting each alias with everything it refers to"
            raise _LimitExceeded(Fault(code="too-many-nodes", span=span, message=message))

    def _alias(self, event: yaml.AliasEvent) -> Node:
        span = self._span(event)
        anchor = event.anchor or ""
        target = self._anchors.get(anchor)
        # Counted before it is used: nested aliases double with each level ("billion laughs").
        self._count(1 if target is None else size(target), span)
        # An open list or mapping with this anchor hides an earlier one: the alias would be inside its own value.
        if target is not None and not any(level.anchor == anchor for level in self._stack):
            return target
        self.faults.append(self._alias_fault(anchor, span))
        return Scalar(value=None, text=f"*{anchor}", span=span)

    def _alias_fault(self, anchor: str, span: Span) -> Fault:
        if any(level.anchor == anchor for level in self._stack):
            message = f"{quote('*' + anchor)} refers to a value that contains it"
            return Fault(code="recursive-alias", span=span, path=self._path(), message=message)
        message = f"there is no anchor {quote('&' + anchor)} before {quote('*' + anchor)}"
        hint = nearest(anchor, self._anchors)
        return Fault(code="unknown-alias", span=span, path=self._path(), message=message, hint=hint)

    def _scalar(self, event: yaml.ScalarEvent) -> Scalar:
        span = self._span(event)
        self._count(1, span)
        plain = event.style is None or event.style == ""
        meaning = self._meaning(event, plain=plain)
        if isinstance(meaning, InvalidScalar):
            # Goes on with the text, so that later faults are found too.
            self._refuse(meaning, span)
            meaning = event.value
        if isinstance(meaning, str):
            self._look_for_control_characters(meaning, span)
        return Scalar(value=meaning, text=event.value, span=span, plain=plain)

    def _meaning(self, event: yaml.ScalarEvent, *, plain: bool) -> Value | InvalidScalar:
        if event.tag is not None:
            return resolve_tagged(event.value, event.tag)
        text: str = event.value
        return resolve(text) if plain else text

    def _look_for_control_characters(self, text: str, span: Span) -> None:
        if text.isprintable():
            return
        bad = next((c for c in text if c not in "\n\t" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0)), None)  # noqa: PLR2004 - the C0 and C1 controls
        if bad is not None:
            message = f"the text contains the control character U+{ord(bad):04X}, which evidence never contains"
            self.faults.append(Fault(code="control-character", span=span, path=self._path(), message=message))

    def _mapping(self, done: _Open) -> Mapping:
        own: dict[str, MappingEntry] = {}
        merged: dict[str, MappingEntry] = {}
        for key, value in zip(done.children[::2], done.children[1::2], strict=True):
            if isinstance(key, Scalar) and key.plain and key.text == _MERGE:
                self._merge(value, merged)
            elif (name := self._key(key)) is not None:
                self._enter(own, MappingEntry(key=name, span=key.span, value=value))
        # Keys of the mapping itself win over merged ones, wherever `<<` is written.
        entries = (*own.values(), *(entry for name, entry in merged.items() if name not in own))
        count = 1 + sum(1 + size(entry.value) for entry in entries)
        return Mapping(entries=entries, span=done.span, size=count)

    def _enter(self, own: dict[str, MappingEntry], entry: MappingEntry) -> None:
        first = own.setdefault(entry.key, entry)
        if first is not entry:
            message = f"{quote(entry.key)} is given twice; first at {first.span.line}:{first.span.column}"
            path = self._path(entry.key)
            self.faults.append(Fault(code="duplicate-key", span=entry.span, path=path, message=message))

    def _key(self, key: Node) -> str | None:
        if isinstance(key, Scalar) and isinstance(key.value, str):
            return key.value
        message = f"keys must be text; this is {kind(key)}"
        self.faults.append(Fault(code="key-not-text", span=key.span, path=self._path(), message=message))
        return None

    def _merge(self, value: Node, merged: dict[str, MappingEntry]) -> None:
        for source in value.items if isinstance(value, List) else (value,):
            if isinstance(source, Mapping):
                for entry in source.entries:
                    merged.setdefault(entry.key, entry)
            else:
                message = f"`<<` takes mappings; this is {kind(source)}"
                self.faults.append(Fault(code="bad-merge", span=source.span, path=self._path(_MERGE), message=message))

    def _refuse(self, refused: InvalidScalar, span: Span) -> None:
        fault = Fault(code=refused.code, span=span, path=self._path(), message=refused.message, hint=refused.hint)
        self.faults.append(fault)

    def _path(self, *more: str) -> str:
        return write_path([*(step for level in self._stack if (step := level.step()) is not None), *more])

    def _span(self, event: yaml.Event) -> Span:
        start, end = event.start_mark, event.end_mark
        return self._source.span(0 if start is None else start.index, None if end is None else end.index)


def _is_empty(node: Node) -> bool:
    return isinstance(node, Scalar) and node.value is None


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
