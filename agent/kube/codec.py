"""Bytes to slim structs. An undecodable object becomes a value that says so; it never stops a list or a watch.

One msgspec pass decodes a whole page or watch line. Only if that fails, the objects are decoded one by one, and text
that is not UTF-8, or holds lone surrogates, is decoded again with replacement: msgspec refuses both, other decoders do
not, and a pod's message may contain anything.

The levels of an object are not counted before msgspec reads it: it builds nothing deeper than our structs and skips the
rest, so nesting costs no memory, until it stops at the interpreter's limit. They are counted before anything else reads
it, and the digits of its numbers before msgspec does, too (``agent.json_reader``).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec
from msgspec import Struct

from agent.bounds import MAX_BYTES, TOO_LARGE, OutOfBoundsError
from agent.json_reader.reader import Reader, read_leniently
from agent.kube.beyond import Head, cut_items, head_of_event, head_of_object
from agent.kube.errors import read_status
from agent.kube.lines import LongLine
from agent.kube.objects import ListMetadata, Metadata, WatchEvent

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class Readable(Protocol):
    """Any object of ``agent.kube.objects``."""

    @property
    def metadata(self) -> Metadata: ...


T = TypeVar("T", bound=Readable)


class _Peek(Struct, gc=False, frozen=True):
    """Metadata of an object that does not decode: any type, because any field may be the wrong one."""

    uid: object = None
    namespace: object = None
    name: object = None
    resourceVersion: object = None  # noqa: N815 - Kubernetes' own field name
    annotations: object = None


class _Peeked(Struct, gc=False, frozen=True):
    metadata: _Peek = _Peek()


Item = TypeVar("Item")


class _List(Struct, Generic[Item], gc=False, frozen=True):
    metadata: ListMetadata = ListMetadata()
    items: list[Item] | None = None


class _Line(Struct, Generic[Item], gc=False, frozen=True):
    type: str
    object: Item


_OBJECT_EVENTS: Final = frozenset({"ADDED", "MODIFIED", "DELETED"})


class Unreadable(Exception):
    """The bytes are no list and no watch event at all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecodable:
    """An object that does not decode, and what of its metadata could be read; ``""`` could not.

    ``name`` is as ``name_of`` gives it.
    """

    uid: str
    name: str
    resource_version: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Page(Generic[T]):
    """One page of a list. ``continue_token`` is ``""`` on the last one."""

    objects: list[T]
    undecodable: list[Undecodable]
    resource_version: str
    continue_token: str


class ObjectEvent(Struct, Generic[T], gc=False, frozen=True, kw_only=True):
    """A watch event about an object: ``type`` is ADDED, MODIFIED or DELETED."""

    type: str
    object: T | Undecodable


@dataclass(frozen=True, slots=True, kw_only=True)
class Bookmark:
    """A watch event that only says how far the watch is; ``ends_list``: and that a streamed list is complete."""

    resource_version: str
    ends_list: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorEvent:
    """An ERROR event: the server ends the watch, for the reason in its Status."""

    status: int
    reason: str
    message: str


def name_of(metadata: Metadata) -> str:
    """``namespace/name``: unique among the objects of one kind."""
    return f"{metadata.namespace or ''}/{metadata.name or ''}"


class Codec(Generic[T]):
    """Decodes one kind of object."""

    def __init__(self, kind: type[T]) -> None:
        self.kind = kind
        self._object = Reader(kind)
        self._page: Reader[_List[T]] = Reader(_List[kind])  # type: ignore[valid-type]  # made at run time
        self._raw_page = Reader(_List[msgspec.Raw])
        self._line: Reader[_Line[T]] = Reader(_Line[kind])  # type: ignore[valid-type]  # made at run time
        self._event = Reader(WatchEvent)

    def read(self, raw: bytes | msgspec.Raw) -> T | Undecodable:
        text = bytes(raw)
        if len(text) > MAX_BYTES:
            return _beyond(head_of_object(text), why=TOO_LARGE)
        try:
            return self._object.decode(text)
        except OutOfBoundsError as error:
            return _beyond(head_of_object(text), why=str(error))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            return self._read_again(text, error)

    def read_page(self, body: bytes) -> Page[T]:
        """One page of a list. Raises Unreadable if it is no list."""
        if len(body) > MAX_BYTES:
            return self._read_one_by_one(body)
        try:
            page = self._page.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, OutOfBoundsError):
            return self._read_one_by_one(body)
        return _page(page.metadata, objects=page.items or [], undecodable=[])

    def _read_one_by_one(self, body: bytes) -> Page[T]:
        try:
            page = self._raw_page.decode(body)
            items: Iterable[bytes | msgspec.Raw] = page.items or ()
        except OutOfBoundsError:
            page, items = self._cut(body)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unreadable(f"not a list: {error}") from error
        read = [self.read(raw) for raw in items]
        objects = [item for item in read if not isinstance(item, Undecodable)]
        return _page(
            page.metadata, objects=objects, undecodable=[item for item in read if isinstance(item, Undecodable)]
        )

    def _cut(self, body: bytes) -> tuple[_List[msgspec.Raw], list[bytes]]:
        """The list without items, and the texts of its items, one of which cannot be skipped by a parser."""
        around, items = cut_items(body)
        try:
            return self._raw_page.decode(around), items
        except (msgspec.DecodeError, UnicodeDecodeError, OutOfBoundsError) as error:
            raise Unreadable(f"not a list: {error}") from error

    def read_event(self, line: bytes | LongLine) -> ObjectEvent[T] | Bookmark | ErrorEvent:
        """One line of a watch. Raises Unreadable if it is no watch event: then a change is lost."""
        if isinstance(line, LongLine):
            return _event_beyond(line.head, why=TOO_LARGE)
        if len(line) > MAX_BYTES:
            return self._read_event_in_parts(line)
        try:
            seen = self._line.decode(line)
        except OutOfBoundsError as error:
            return _event_beyond(line, why=str(error))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return self._read_event_in_parts(line)
        if seen.type not in _OBJECT_EVENTS:
            return self._read_event_in_parts(line)
        return ObjectEvent(type=seen.type, object=seen.object)

    def _read_event_in_parts(self, line: bytes) -> ObjectEvent[T] | Bookmark | ErrorEvent:
        """Decode the envelope first: the object is undecodable, or it is a bookmark or a Status."""
        try:
            event = self._event.decode(line)
        except OutOfBoundsError as error:
            return _event_beyond(line, why=str(error))
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise Unreadable(f"not a watch event: {error}") from error
        if event.type == "ERROR":
            status = read_status(bytes(event.object))
            code = status.code if status.code is not None else HTTPStatus.INTERNAL_SERVER_ERROR
            return ErrorEvent(status=code, reason=status.reason or "", message=status.message or "")
        if event.type == "BOOKMARK":
            return _bookmark(_peek(bytes(event.object)))
        if event.type not in _OBJECT_EVENTS:
            raise Unreadable(f"not a watch event: there is no type {event.type!r}")
        return ObjectEvent(type=event.type, object=self.read(event.object))

    def _read_again(self, raw: bytes, first: Exception) -> T | Undecodable:
        try:
            return msgspec.convert(read_leniently(raw), self.kind, strict=True)
        except OutOfBoundsError as error:
            return _beyond(head_of_object(raw), why=str(error))
        except ValueError:
            return _undecodable(raw, why=str(first))


def _page(metadata: ListMetadata, *, objects: list[T], undecodable: list[Undecodable]) -> Page[T]:
    return Page(
        objects=objects,
        undecodable=undecodable,
        resource_version=metadata.resourceVersion or "",
        continue_token=metadata.continue_ or "",
    )


def _bookmark(peeked: _Peek) -> Bookmark:
    notes = peeked.annotations
    ends_list = isinstance(notes, dict) and notes.get(INITIAL_EVENTS_END) == "true"
    return Bookmark(resource_version=_text(peeked.resourceVersion), ends_list=ends_list)


def _undecodable(raw: bytes, *, why: str) -> Undecodable:
    peeked = _peek(raw)
    name = name_of(Metadata(namespace=_text(peeked.namespace), name=_text(peeked.name)))
    return Undecodable(uid=_text(peeked.uid), name=name, resource_version=_text(peeked.resourceVersion), why=why)


def _beyond(head: Head, *, why: str) -> Undecodable:
    said = head.metadata
    name = name_of(Metadata(namespace=said["namespace"], name=said["name"]))
    return Undecodable(uid=said["uid"], name=name, resource_version=said["resourceVersion"], why=why)


def _event_beyond(line: bytes, *, why: str) -> ObjectEvent[Any]:
    """An event about an object beyond the bounds. Raises Unreadable if the line does not say so much."""
    head = head_of_event(line)
    if head.type not in _OBJECT_EVENTS:
        raise Unreadable(f"not a watch event: {why}")
    return ObjectEvent(type=head.type, object=_beyond(head, why=why))


def _peek(raw: bytes) -> _Peek:
    """The metadata of any object, as far as it can be read."""
    try:
        return msgspec.convert(read_leniently(raw), _Peeked).metadata
    except ValueError:
        return _Peek()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
