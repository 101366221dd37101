"""Converts the parsed tree to nodes with values, by one grammar: scalars, keys, repeated keys and merge keys."""

from agent.documents.grammar import Grammar
from agent.documents.node import List, Mapping, MappingEntry, Node, PathStep, Scalar, Span, kind, size, write_path
from agent.documents.problem import quote
from agent.documents.scalar import InvalidScalar, unsupported_tag
from agent.documents.source import Fault
from agent.documents.written import MERGE, Written, WrittenList, WrittenMapping, WrittenScalar

_LIST_TAGS = (None, "!", "tag:yaml.org,2002:seq")
_MAPPING_TAGS = (None, "!", "tag:yaml.org,2002:map")


def meaning(root: Written, grammar: Grammar) -> tuple[Node, list[Fault]]:
    """Return the node for a tree, and all its faults. Unreadable values are placeholders."""
    reader = _Reader(grammar)
    return reader.node(root), reader.faults


class _Reader:
    """Reads a tree from the top; the target of an alias is read once, in its own place."""

    def __init__(self, grammar: Grammar) -> None:
        self.faults: list[Fault] = []
        self._grammar = grammar
        self._path: list[PathStep] = []
        self._known: dict[int, Node] = {}

    def node(self, written: Written) -> Node:
        # By identity: an alias is the same object as its target, which comes before it, so recursion stays as deep
        # as the text is nested.
        if (known := self._known.get(id(written))) is not None:
            return known
        if isinstance(written, WrittenScalar):
            node: Node = self._scalar(written)
        elif isinstance(written, WrittenList):
            node = self._list(written)
        else:
            node = self._mapping(written)
        self._known[id(written)] = node
        return node

    def _scalar(self, written: WrittenScalar) -> Scalar:
        if written.broken:
            return Scalar(value=None, text=written.text, span=written.span)
        value = self._grammar.scalar(written.text, tag=written.tag, plain=written.plain)
        if isinstance(value, InvalidScalar):
            # Continues with the text, so that later faults are also found.
            self._refuse(value, written.span)
            value = written.text
        if isinstance(value, str) and not self._grammar.takes_controls:
            self._look_for_control_characters(value, written.span)
        return Scalar(value=value, text=written.text, span=written.span, plain=written.plain)

    def _look_for_control_characters(self, text: str, span: Span) -> None:
        if text.isprintable():
            return
        bad = next((c for c in text if c not in "\n\t" and (ord(c) < 0x20 or 0x7F <= ord(c) < 0xA0)), None)  # noqa: PLR2004 - the C0 and C1 controls
        if bad is not None:
            message = f"the text contains the control character U+{ord(bad):04X}, which evidence never contains"
            self.faults.append(Fault(code="control-character", span=span, path=self._at(), message=message))

    def _list(self, written: WrittenList) -> List:
        self._look_at_tag(written.tag, _LIST_TAGS, written.span)
        items = tuple(self._under(index, item) for index, item in enumerate(written.items))
        return List(items=items, span=written.span, size=1 + sum(size(item) for item in items))

    def _mapping(self, written: WrittenMapping) -> Mapping:
        self._look_at_tag(written.tag, _MAPPING_TAGS, written.span)
        entries: dict[str, MappingEntry] = {}
        own: dict[str, Span] = {}
        for key, value in written.pairs:
            if isinstance(key, WrittenScalar) and key.is_merge:
                self._merge(self._under(MERGE, value), entries)
            else:
                self._enter(key, value, entries, own)
        count = 1 + sum(1 + size(entry.value) for entry in entries.values())
        return Mapping(entries=tuple(entries.values()), span=written.span, size=count)

    def _enter(self, key: Written, value: Written, entries: dict[str, MappingEntry], own: dict[str, Span]) -> None:
        key_node = self.node(key)
        node = self._under(key.text if isinstance(key, WrittenScalar) else None, value)
        name = self._name(key_node)
        if name is None:
            return
        first = own.setdefault(name, key_node.span)
        if first is not key_node.span and not self._grammar.takes_repeated_keys:
            message = f"{quote(name)} is given twice; first at {first.line}:{first.column}"
            path = self._at(name)
            fault = Fault(code="duplicate-key", span=key_node.span, path=path, message=message, hint="delete one")
            self.faults.append(fault)
            return
        entries[name] = MappingEntry(key=name, span=key_node.span, value=node)

    def _name(self, key: Node) -> str | None:
        name = self._grammar.key(key.value) if isinstance(key, Scalar) else None
        if name is None:
            message = f"keys must be text; this is {kind(key)}"
            hint = f'if it is text, quote it: "{key.text}"' if isinstance(key, Scalar) else ""
            self.faults.append(Fault(code="key-not-text", span=key.span, path=self._at(), message=message, hint=hint))
        return name

    def _merge(self, value: Node, entries: dict[str, MappingEntry]) -> None:
        later_wins = self._grammar.merges_over_earlier_keys
        sources = value.items if isinstance(value, List) else (value,)
        # Among the mappings of one list the earlier one wins, in every grammar.
        for source in reversed(sources) if later_wins else sources:
            if not isinstance(source, Mapping):
                message = f"`<<` takes mappings; this is {kind(source)}"
                fault = Fault(code="bad-merge", span=source.span, path=self._at(MERGE), message=message)
                self.faults.append(fault)
                continue
            for entry in source.entries:
                if later_wins or entry.key not in entries:
                    entries[entry.key] = entry

    def _under(self, step: PathStep | None, written: Written) -> Node:
        """Read the value of a key or index; ``None`` is a key that has no text."""
        if step is None:
            return self.node(written)
        self._path.append(step)
        node = self.node(written)
        self._path.pop()
        return node

    def _look_at_tag(self, tag: str | None, known: tuple[str | None, ...], span: Span) -> None:
        if tag not in known and not self._grammar.takes_any_tag:
            self._refuse(unsupported_tag(tag or ""), span)

    def _refuse(self, refused: InvalidScalar, span: Span) -> None:
        fault = Fault(code=refused.code, span=span, path=self._at(), message=refused.message, hint=refused.hint)
        self.faults.append(fault)

    def _at(self, *more: str) -> str:
        return write_path([*self._path, *more])
