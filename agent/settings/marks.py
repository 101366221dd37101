"""A YAML file as plain values, with the position of each.

Scalars follow YAML 1.2's core schema: only ``true`` and ``false`` are booleans, ``0o17`` is octal and dates
are text, so that no value changes its type unnoticed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import cast

import yaml

from agent.settings.fault import ConfigError, SettingFault

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
"""What JSON can say."""

Path = tuple[str | int, ...]
"""Keys and positions from the top of a document down to a value."""

_CORE = "tag:yaml.org,2002:"
_SCALARS = {
    "null": re.compile(r"~|null|Null|NULL|"),
    "bool": re.compile(r"true|True|TRUE|false|False|FALSE"),
    "int": re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"),
    "float": re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A document and the positions of its values; ``keys`` are those of mapping keys, by the value's path."""

    file: str
    value: Plain
    values: Mapping[Path, str] = field(default_factory=dict)
    keys: Mapping[Path, str] = field(default_factory=dict)

    def place(self, path: Path) -> str:
        """``file:line:column`` of a value, or of the nearest thing around it that is there."""
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, f"{self.file}:1:1")

    def key_place(self, path: Path) -> str:
        """``file:line:column`` of the key of a value, else of the value."""
        return self.keys.get(path) or self.place(path)


def read_marked(text: str, *, file: str) -> Marked:
    """Read one YAML document. Raises ConfigError for what is not YAML, several documents and duplicate keys."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = _place(file, mark) if mark is not None else file
        raise ConfigError(SettingFault(place=place, path="", message=error.problem or "not valid YAML")) from error
    except yaml.YAMLError as error:
        raise ConfigError(SettingFault(place=file, path="", message=f"not valid YAML: {error}")) from error
    return _Reader(file).read(node)


class _Reader:
    def __init__(self, file: str) -> None:
        self._file = file
        self._values: dict[Path, str] = {}
        self._keys: dict[Path, str] = {}
        self._faults: list[SettingFault] = []
        self._open: set[int] = set()

    def read(self, node: yaml.Node | None) -> Marked:
        value = {} if node is None else self._plain(node, ())
        if self._faults:
            raise ConfigError(*self._faults)
        return Marked(file=self._file, value=value, values=self._values, keys=self._keys)

    def _plain(self, node: yaml.Node, path: Path) -> Plain:
        self._values[path] = _place(self._file, node.start_mark)
        # An alias gives the same node object; one that is still open contains itself.
        if id(node) in self._open:
            self._fault(node, path, "this value contains itself through an alias: write the value out")
            return None
        self._open.add(id(node))
        try:
            match node:
                case yaml.MappingNode():
                    return {key: self._plain(child, (*path, key)) for key, child in self._entries(node, path)}
                case yaml.SequenceNode():
                    return [self._plain(child, (*path, i)) for i, child in enumerate(node.value)]
                case yaml.ScalarNode():
                    return self._scalar(node, path)
                case _:
                    raise TypeError(f"YAML has no such node: {node!r}")
        finally:
            self._open.discard(id(node))

    def _entries(self, node: yaml.MappingNode, path: Path) -> Iterator[tuple[str, yaml.Node]]:
        seen: set[str] = set()
        for key_node, child in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                self._fault(key_node, path, "a key must be text, not a list or mapping")
                continue
            key = str(key_node.value)
            if key in seen:
                self._fault(key_node, (*path, key), "this key is given twice: delete one")
                continue
            seen.add(key)
            self._keys[(*path, key)] = _place(self._file, key_node.start_mark)
            yield key, child

    def _scalar(self, node: yaml.ScalarNode, path: Path) -> Plain:
        text = cast("str", node.value)
        if not node.tag.startswith(_CORE):
            self._fault(node, path, f"unknown tag {node.tag}: leave the tag out")
        if node.style:
            return text
        kind = next((kind for kind, pattern in _SCALARS.items() if pattern.fullmatch(text)), "str")
        return _scalar_of(kind, text)

    def _fault(self, node: yaml.Node, path: Path, message: str) -> None:
        self._faults.append(SettingFault(place=_place(self._file, node.start_mark), path=dotted(path), message=message))


def read_scalar(text: str) -> Plain:
    """Read a scalar, list or mapping, such as the text of a variable whose setting is not text."""
    return read_marked(text, file="value").value if text.strip() else text


def dotted(path: Path) -> str:
    """A path as people write it: ``rules[0].pattern``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _scalar_of(kind: str, text: str) -> Plain:
    match kind:
        case "null":
            return None
        case "bool":
            return text.lower() == "true"
        case "int":
            return int(text, 0) if text[:2] in {"0o", "0x"} else int(text)
        case "float":
            return float(text)
        case _:
            return text


def _place(file: str, mark: yaml.Mark) -> str:
    return f"{file}:{mark.line + 1}:{mark.column + 1}"
