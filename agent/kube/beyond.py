"""Objects beyond the bounds: their names, from the start of their text, and their position in a list.

Their text is read token by token: a parser of whole values would need the memory and the stack that the bounds are
there to save.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import msgspec

from agent.json_reader.reader import read_value

HEAD: Final = 1 << 19
"""Bytes of a text that are read for its metadata, which comes first; annotations take 256 KiB at most."""

_DEEPEST: Final = 3
_NAMES: Final = ("uid", "name", "namespace", "resourceVersion")
_NAMED_TOKEN: Final = re.compile(
    rb'(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+")(?P<is_key>\s*+:)?+|(?P<open>[\[{])|(?P<close>[\]}])|"', re.DOTALL
)
_TOKEN: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[\[\]{}]', re.DOTALL)
_ITEMS_LEVEL: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """The type of a watch event, and the texts of its object's metadata; ``""`` for what could not be read."""

    type: str
    metadata: Mapping[str, str]


def head_of_event(line: bytes) -> Head:
    """Read the beginning of a line of a watch."""
    return _head(line, metadata=("object", "metadata"))


def head_of_object(text: bytes) -> Head:
    """Read the beginning of an object."""
    return _head(text, metadata=("metadata",))


def _head(text: bytes, *, metadata: tuple[str, ...]) -> Head:
    readable = text[:HEAD].decode(errors="replace").encode()
    said = {path: value for path, value in _texts(readable) if path == ("type",) or path[:-1] == metadata}
    return Head(type=said.get(("type",), ""), metadata={name: said.get((*metadata, name), "") for name in _NAMES})


def _texts(text: bytes) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the texts in mappings with their keys from the top, as far as this is JSON."""
    keys: list[str] = []
    for token in _NAMED_TOKEN.finditer(text):
        if token["open"]:
            keys.append("")
        elif token["close"] and keys:
            keys.pop()
        elif not token["text"]:
            # A string that is cut off, or a closing bracket without an opening one.
            return
        elif len(keys) <= _DEEPEST and (said := _said(token["text"])) is not None:
            if not token["is_key"]:
                yield tuple(keys), said
            elif keys:
                keys[-1] = said


def _said(quoted: bytes) -> str | None:
    """The value of a JSON string; ``None`` if it cannot be decoded."""
    try:
        return str(read_value(quoted))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None


def cut_items(body: bytes) -> tuple[bytes, list[bytes]]:
    """Return a list without its items, and the text of each item."""
    items: list[bytes] = []
    rest: list[bytes] = []
    last = 0
    for start, end in _places_of_items(body):
        items.append(body[start:end])
        rest.append(body[last:start])
        last = end
    # The commas between the removed items would not be valid JSON.
    around = b"".join(rest).rstrip(b", \r\n\t") if items else b""
    return around + body[last:], items


def _places_of_items(body: bytes) -> Iterator[tuple[int, int]]:
    depth, key, start, in_items = 0, b"", 0, False
    for token in _TOKEN.finditer(body):
        match token.group()[:1]:
            case b"[" | b"{" as opening:
                depth += 1
                in_items = in_items or (depth == _ITEMS_LEVEL and key == b'"items"' and opening == b"[")
                if in_items and depth == _ITEMS_LEVEL + 1:
                    start = token.start()
            case b"]" | b"}":
                if in_items and depth == _ITEMS_LEVEL + 1:
                    yield start, token.end()
                in_items = in_items and depth > _ITEMS_LEVEL
                depth -= 1
            case _ if depth == 1:
                key = token.group()
            case _:
                pass
