"""Reads piped input one object at a time, so that memory stays flat.

JSON lines, one JSON object, a JSON ``List`` or array, and YAML of one or many documents or a YAML ``List``
all give the same stream of objects. What cannot be read becomes an ``Unreadable`` with its place; reading
continues on the next line.
"""

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, BinaryIO

import msgspec

from agent.bounds import MAX_BYTES, OutOfBoundsError
from agent.documents.grammar import OBJECT, Grammar
from agent.json_reader.fault import fault_in
from agent.json_reader.reader import read_value
from agent.json_reader.stream import BrokenJsonError, JsonStream, refusal

_HEAD = 1 << 16
"""Bytes read to recognise the form; enough for the first line of JSON lines in most cases."""

_ITEM = "item"
_LEVEL_OF_ITEMS = 2
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[{}\[\]]', re.DOTALL)
_OBJECTS_OWN = (b'"pod"', b'"spec"', b'"status"')
"""Keys of mappings that a list does not have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One object and where it began: ``place`` is ``line 7``, ``item 3`` or ``document 2``.

    ``in_list``: it is an item of a list, which others may follow at once; a line or a document may come any time later.
    """

    place: str
    value: object
    in_list: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that is not an object, where it is, and what is wrong with it.

    ``place`` is empty if nothing was read before; then the problem has the only place there is.
    """

    place: str
    problem: str

    def __str__(self) -> str:
        return f"{self.place}: {self.problem}" if self.place else self.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class Empty(Unreadable):
    """The input has nothing but blanks."""


def read_documents(stream: BinaryIO, *, grammar: Grammar = OBJECT) -> Iterator[Document | Unreadable]:
    """Every object in ``stream``, in order; ``grammar`` is for YAML."""
    head = _head(stream)
    whole = io.BufferedReader(_Joined(head, stream))
    match head.lstrip()[:1]:
        case b"":
            yield Empty(place="line 1", problem="the input is empty")
        case b"[":
            yield from _numbered(_items_of_array(JsonStream(whole)), _ITEM)
        case b"{" if _first_line_is_whole(head):
            yield from _json_lines(whole)
        case b"{" if (start := _start_of_items(head)) is not None:
            yield from _numbered(_items_of_list(JsonStream(whole), start), _ITEM)
        case b"{":
            yield from _numbered(JsonStream(whole).objects(), "document")
        case _:
            yield from _yaml(whole, grammar)


def _head(stream: BinaryIO) -> bytes:
    """Read the first bytes, without any blanks in front of them."""
    head = stream.read(_HEAD).removeprefix(_BYTE_ORDER_MARK)
    while head and not head.strip():
        head = stream.read(_HEAD)
    return head


class _Joined(io.RawIOBase):
    """A stream of the head, which was read already, and the rest."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:  # noqa: ANN401  # the type io.RawIOBase gives it is private
        data = self._head.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _first_line_is_whole(head: bytes) -> bool:
    line, newline, rest = head.lstrip().partition(b"\n")
    if not newline or not rest.lstrip().startswith(b"{"):
        return False
    return line.rstrip().endswith(b"}")


def _start_of_items(head: bytes) -> int | None:
    """Return where the array ``items`` begins, if the first object has it among its first keys."""
    depth, last = 0, b""
    for token in _TOKEN.finditer(head):
        match token.group()[:1]:
            case b"{" | b"[" as opening:
                depth += 1
                if depth == _LEVEL_OF_ITEMS and (opening, last) == (b"[", b'"items"'):
                    return token.start()
                if depth == _LEVEL_OF_ITEMS and opening == b"{" and last in _OBJECTS_OWN:
                    return None
            case b"}" | b"]":
                depth -= 1
            case _ if depth == 1:
                last = token.group()
            case _:
                pass
    return None


def _items_of_array(stream: JsonStream) -> Iterator[object]:
    """Yield the items; nothing may follow them. Raises BrokenJsonError."""
    yield from stream.items()
    stream.finish()


def _items_of_list(stream: JsonStream, start: int) -> Iterator[object]:
    """Yield the items, then check the object around them. Raises BrokenJsonError."""
    before = stream.skip(start)
    yield from stream.items()
    if stream.around(before)["items"]:
        raise BrokenJsonError("`items` is given twice, and only the first was read; split the list")


def _bounded_lines(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the lines; a line that is too large is cut just beyond the limit."""
    most = MAX_BYTES + len("\r\n") + 1
    while line := stream.readline(most):
        rest = line
        while len(rest) == most and not rest.endswith(b"\n"):
            rest = stream.readline(most)
        yield line


def _json_lines(stream: BinaryIO) -> Iterator[Document | Unreadable]:
    for number, line in enumerate(_bounded_lines(stream), start=1):
        if line.strip():
            yield _json_line(line, f"line {number}")


def _json_line(line: bytes, place: str) -> Document | Unreadable:
    text = line.strip()
    try:
        return Document(place=place, value=read_value(text))
    except OutOfBoundsError as error:
        at, message = refusal(text, error)
        return Unreadable(place=place, problem=f"column {_column(line, text, at)}: {message}")
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        at, message = fault_in(text, error)
        return Unreadable(place=place, problem=f"not JSON: column {_column(line, text, at)}: {message}")


def _column(line: bytes, text: bytes, at: int) -> int:
    """The column in the line, in characters, of an offset in its text."""
    return len(line[: line.index(text) + at].decode(errors="replace")) + 1


def _yaml(stream: BinaryIO, grammar: Grammar) -> Iterator[Document | Unreadable]:
    from agent.documents.stream import BrokenYamlError, objects, sentence  # noqa: PLC0415 - JSON needs none of YAML

    number = 0
    try:
        for number, document in enumerate(objects(stream, grammar), start=1):
            place = f"document {number}"
            if document.faults:
                yield Unreadable(place=place, problem=", ".join(sentence(fault) for fault in document.faults))
            else:
                yield from _items_of(document.value, place)
    except BrokenYamlError as error:
        yield Unreadable(place=_after("document", number), problem=str(error))


def _numbered(values: Iterator[object], noun: str) -> Iterator[Document | Unreadable]:
    number = 0
    try:
        for number, value in enumerate(values, start=1):
            yield from _items_of(value, f"{noun} {number}", in_list=noun == _ITEM)
    except BrokenJsonError as error:
        yield Unreadable(place=_after(noun, number), problem=str(error))


def _after(noun: str, number: int) -> str:
    """Where it is broken: after the last object that was read, if any was."""
    return f"after {noun} {number}" if number else ""


def _items_of(value: object, place: str, *, in_list: bool = False) -> Iterator[Document]:
    """The items of a list inside a document; any other document itself."""
    if isinstance(value, dict) and isinstance(value.get("items"), list) and "spec" not in value:
        for number, item in enumerate(value["items"], start=1):
            yield Document(place=f"{place}, {_ITEM} {number}", value=item, in_list=True)
    elif not _is_empty_list(value):
        yield Document(place=place, value=value, in_list=in_list)


def _is_empty_list(value: object) -> bool:
    """Whether it is a list of Kubernetes with null for its items, as Go writes a list that was never filled."""
    return isinstance(value, dict) and str(value.get("kind")).endswith("List") and value.get("items") is None
