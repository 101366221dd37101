"""A document as a tree of nodes with their positions in the text."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

PathStep = str | int
"""One step of a path: a key of a mapping, or an index of a sequence."""

Value = str | int | float | bool | None

_INDEX = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A position in a text. Lines and columns count from 1, in characters; ``length`` stays within the line."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """A value. ``text`` is what was written, without quotes; ``plain`` means that it had none."""

    value: Value
    text: str
    span: Span
    plain: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """A list. ``size`` counts its nodes, and each alias as everything it refers to."""

    items: tuple["Node", ...]
    span: Span
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MappingEntry:
    """One key of a mapping, the position of the key, and its value."""

    key: str
    span: Span
    value: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """Keys and values, in the order of the text. ``size`` as in a list."""

    entries: tuple[MappingEntry, ...]
    span: Span
    size: int

    def entry(self, key: str) -> MappingEntry | None:
        """Return the entry of this key, if there is one."""
        return next((entry for entry in self.entries if entry.key == key), None)

    def get(self, key: str) -> "Node | None":
        """Return the value of this key, if there is one."""
        entry = self.entry(key)
        return entry.value if entry else None


Node = Scalar | List | Mapping


def size(node: Node) -> int:
    """Return how many nodes this one has, itself included, each alias counted as everything it refers to."""
    return 1 if isinstance(node, Scalar) else node.size


def kind(node: Node) -> str:
    """Return a description of this node, like ``a list`` or ``the number 74``."""
    # Not the plain tree: aliases may make it huge.
    empty: object = {} if isinstance(node, Mapping) else []
    return kind_of(node.value, text=node.text) if isinstance(node, Scalar) else kind_of(empty, text="")


def kind_of(value: object, *, text: str) -> str:
    """Return a description of a value that is written as this text."""
    match value:
        case None:
            return "nothing"
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case str():
            return "text"
        case bool():
            return f"the boolean {text}"
        case _:
            return f"the number {text}"


def plain(node: Node) -> object:
    """Return the tree as plain dicts, lists and values."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, List):
        return [plain(item) for item in node.items]
    return {entry.key: plain(entry.value) for entry in node.entries}


def find(root: Node, steps: Sequence[PathStep]) -> Node | None:
    """Return the node at this path, if it is there."""
    node: Node | None = root
    for step in steps:
        if node is None:
            return None
        node = _child(node, step)
    return node


def items(node: Node | None) -> Iterator[tuple[int, Node]]:
    """Yield the items of a list with their indices; nothing for any other node."""
    if isinstance(node, List):
        yield from enumerate(node.items)


def text_at(node: Node | None) -> str | None:
    """Return the text of a text node, ``None`` for anything else."""
    return node.value if isinstance(node, Scalar) and isinstance(node.value, str) else None


def write_path(steps: Sequence[PathStep]) -> str:
    """Return the steps as people write them: ``categories[0].rules[1].hint``."""
    written = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)
    return written.removeprefix(".")


def read_path(root: Node, path: str) -> tuple[tuple[PathStep, ...], str]:
    """Follow a written path as far as the tree goes. Return the steps, and the rest of the path."""
    steps: list[PathStep] = []
    node, rest = root, path
    while rest:
        if isinstance(node, List) and (found := _INDEX.match(rest)) and int(found[1]) < len(node.items):
            steps.append(int(found[1]))
            node, rest = node.items[int(found[1])], rest[found.end() :]
        elif isinstance(node, Mapping) and (entry := _entry_on(node, rest.removeprefix("."))) is not None:
            steps.append(entry.key)
            node, rest = entry.value, rest.removeprefix(".")[len(entry.key) :]
        else:
            break
    return tuple(steps), rest


def _entry_on(node: Mapping, rest: str) -> MappingEntry | None:
    """Return the entry with the longest key that the path goes on with; keys may have dots in them."""
    going_on = (entry for entry in node.entries if f"{rest}.".startswith((f"{entry.key}.", f"{entry.key}[")))
    return max(going_on, key=lambda entry: len(entry.key), default=None)


def _child(node: Node, step: PathStep) -> Node | None:
    if isinstance(step, str):
        return node.get(step) if isinstance(node, Mapping) else None
    if isinstance(node, List) and 0 <= step < len(node.items):
        return node.items[step]
    return None
