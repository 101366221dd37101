"""Reads piped input one object at a time, so that memory stays flat.

JSON lines, one JSON object, a JSON ``List`` or array, and YAML of one or many documents or a YAML ``List``
all give the same stream of objects. What cannot be read becomes an ``Unreadable`` with its place; reading
continues on the next line.
"""

import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

import ijson
import msgspec

from agent.bounds import Levels, OutOfBoundsError, check
from agent.ctl.classify.bounded import BoundedObjects, bounded_lines
from agent.documents.grammar import OBJECT, Grammar

_HEAD = 1 << 16
"""Bytes read to recognise the form; enough for the first line of JSON lines in most cases."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LINE = msgspec.json.Decoder()


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One object and where it began: ``place`` is ``line 7``, ``item 3`` or ``document 2``."""

    place: str
    value: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Something that is not an object, where it is, and what is wrong with it."""

    place: str
    problem: str


def read_documents(stream: BinaryIO, *, grammar: Grammar = OBJECT) -> Iterator[Document | Unreadable]:
    """Every object in ``stream``, in order; ``grammar`` says what YAML means."""
    head = _head(stream)
    whole = io.BufferedReader(_Joined(head, stream))
    match head.lstrip()[:1]:
        case b"":
            yield Unreadable(place="line 1", problem="the input is empty")
        case b"[":
            yield from _json_items(whole, "item")
        case b"{" if _first_line_is_whole(head):
            yield from _json_lines(whole)
        case b"{" if _is_list(head):
            yield from _json_items(whole, "items.item")
        case b"{":
            yield from _json_objects(whole)
        case _:
            yield from _yaml(whole, grammar)


def _head(stream: BinaryIO) -> bytes:
    """Read the first bytes. Blank ones are left out, however many there are."""
    head = stream.read(_HEAD).removeprefix(_BYTE_ORDER_MARK)
    while head and not head.strip():
        head = stream.read(_HEAD)
    return head


class _Joined(io.RawIOBase):
    """The head already read, then the rest of the stream."""

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


def _is_list(head: bytes) -> bool:
    """Whether the first object has ``items`` as an array among its first keys."""
    # ijson keeps the path to each level, so a head that only goes deeper would take gigabytes.
    shallow = head[: Levels().follow(head)]
    try:
        for prefix, event, _ in ijson.parse(io.BytesIO(shallow)):
            if prefix == "items" and event == "start_array":
                return True
            if prefix in ("pod", "spec", "status") and event == "start_map":
                return False
    except (ijson.JSONError, UnicodeDecodeError):
        return False
    return False


def _json_lines(stream: BinaryIO) -> Iterator[Document | Unreadable]:
    for number, line in enumerate(bounded_lines(stream), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        try:
            check(line.strip())
            yield Document(place=place, value=_LINE.decode(line.strip()))
        except OutOfBoundsError as error:
            yield Unreadable(place=place, problem=f"the object is {error}")
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            yield Unreadable(place=place, problem=f"not JSON: {error}")


def _json_items(stream: BinaryIO, prefix: str) -> Iterator[Document | Unreadable]:
    bounded = BoundedObjects(stream, around=len(prefix.split(".")))
    return _numbered(ijson.items(bounded, prefix, use_float=True), bounded, "item")


def _json_objects(stream: BinaryIO) -> Iterator[Document | Unreadable]:
    bounded = BoundedObjects(stream, around=0)
    return _numbered(ijson.items(bounded, "", use_float=True, multiple_values=True), bounded, "document")


def _yaml(stream: BinaryIO, grammar: Grammar) -> Iterator[Document | Unreadable]:
    from agent.documents.stream import BrokenStreamError, objects, sentence  # noqa: PLC0415 - JSON needs none of YAML

    number = 0
    try:
        for number, one in enumerate(objects(stream, grammar), start=1):
            place = f"document {number}"
            if one.faults:
                yield Unreadable(place=place, problem=", ".join(sentence(fault) for fault in one.faults))
            else:
                yield from _items_of(one.value, place)
    except BrokenStreamError as error:
        yield Unreadable(place=f"after document {number}", problem=str(error))


def _numbered(values: Iterator[object], stream: BoundedObjects, noun: str) -> Iterator[Document | Unreadable]:
    number = 0
    try:
        for number, value in enumerate(values, start=1):
            stream.begin_object()
            yield from _items_of(value, f"{noun} {number}")
    except OutOfBoundsError as error:
        yield Unreadable(place=f"after {noun} {number}", problem=str(error))
    except (ijson.JSONError, UnicodeDecodeError, ValueError) as error:
        problem = str(error).replace("\n", " ").strip()
        yield Unreadable(place=f"after {noun} {number}", problem=f"not JSON: {problem}")


def _items_of(value: object, place: str) -> Iterator[Document]:
    """The items of a list inside a document; any other document itself."""
    if isinstance(value, dict) and isinstance(value.get("items"), list) and "spec" not in value:
        for number, item in enumerate(value["items"], start=1):
            yield Document(place=f"{place}, item {number}", value=item)
    else:
        yield Document(place=place, value=value)
