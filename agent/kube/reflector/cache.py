"""What a reflector knows: one pruned entry per object, and what changed since the last state. No I/O."""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from agent.kube.codec import Readable, Undecodable, name_of

T = TypeVar("T", bound=Readable)
K = TypeVar("K")


_LONGEST_NUMBER: Final = 20
"""Digits of the highest number of 64 bits."""


class ChangeKind(StrEnum):
    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


class Change(Struct, Generic[T, K], frozen=True, gc=False, kw_only=True):
    """One object appeared, changed or was deleted.

    ``object`` is ``None`` only for a deletion whose final state nobody saw (client-go: DeletedFinalStateUnknown): it
    happened while no watch was open, or the object could not be decoded. ``previous`` is what was kept of the object
    before, ``None`` if it is new.
    """

    kind: ChangeKind
    uid: str
    object: T | None
    previous: K | None


class _Entry(Struct, frozen=True, gc=False):
    """An object of which nothing is kept."""

    uid: str
    resource_version: str | int


class _KeepingEntry(_Entry, Generic[K], frozen=True, gc=False):
    kept: K


class Cache(Generic[T, K]):
    """The entries, by name. ``keep`` says what to keep of an object, ``None``: nothing; the object itself is dropped.

    What is kept must not refer back to an entry: there may be 100,000 entries, and ``gc=False`` hides them from the
    garbage collector.

    ``remembers``: whether there are entries at all. Without entries every state is reported as ADDED, a duplicate
    too, and a deletion that no watch saw is not reported.

    Resource versions are compared for equality only: their order is up to the server (Kubernetes API Concepts,
    "Resource versions").
    """

    def __init__(self, keep: Callable[[T], K] | None, *, remembers: bool = True) -> None:
        self._keep = keep
        self._remembers = remembers
        self._entries: dict[str, _Entry | _KeepingEntry[K]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def kept(self) -> Mapping[str, K | None]:
        """What is kept of each object, by uid."""
        return {entry.uid: _kept(entry) for entry in self._entries.values()}

    def put(self, thing: T) -> Iterator[Change[T, K]]:
        """The object exists in this state. A duplicate changes nothing; a new uid under a known name is two changes.

        Entries are by name, as in etcd: a namesake proves that the object before it is gone.
        """
        meta = thing.metadata
        uid, version = meta.uid or "", _brief(meta.resourceVersion or "")
        if not self._remembers:
            yield Change(kind=ChangeKind.ADDED, uid=uid, object=thing, previous=None)
            return
        key = name_of(meta)
        known = self._entries.get(key)
        if known is not None and known.uid != uid:
            yield from self._drop(key, None)
            known = None
        if known is None:
            self._entries[key] = self._entry(uid, version, thing)
            yield Change(kind=ChangeKind.ADDED, uid=uid, object=thing, previous=None)
        elif known.resource_version != version:
            same = known.uid  # not `uid`, an equal string: the cache would hold it in memory as well
            self._entries[key] = self._entry(same, version, thing)
            yield Change(kind=ChangeKind.MODIFIED, uid=same, object=thing, previous=_kept(known))

    def remove(self, thing: T) -> Iterator[Change[T, K]]:
        """The object is gone; this was its last state. An object without an entry causes no change."""
        uid = thing.metadata.uid or ""
        if not self._remembers:
            yield Change(kind=ChangeKind.DELETED, uid=uid, object=thing, previous=None)
        elif (key := self._known(name_of(thing.metadata), uid)) is not None:
            yield from self._drop(key, thing)

    def sweep(self, seen: Container[str]) -> Iterator[Change[T, K]]:
        """A whole list was read. Entries whose uid is not in it are deleted; their last state is unknown."""
        for key in [key for key, entry in self._entries.items() if entry.uid not in seen]:
            yield from self._drop(key, None)

    def put_undecodable(self, undecodable: Undecodable) -> None:
        """The object exists but could not be decoded: its entry stays, with the new version."""
        if (key := self._known(undecodable.name, undecodable.uid)) is not None:
            self._entries[key] = replace(self._entries[key], resource_version=_brief(undecodable.resource_version))

    def remove_undecodable(self, undecodable: Undecodable) -> Iterator[Change[T, K]]:
        """The object is gone; its last state could not be decoded."""
        if (key := self._known(undecodable.name, undecodable.uid)) is not None:
            yield from self._drop(key, None)

    def _entry(self, uid: str, version: str | int, thing: T) -> _Entry | _KeepingEntry[K]:
        return _Entry(uid, version) if self._keep is None else _KeepingEntry(uid, version, self._keep(thing))

    def _known(self, name: str, uid: str) -> str | None:
        """The name, if its entry is of this very object."""
        known = self._entries.get(name)
        return name if known is not None and known.uid == uid else None

    def _drop(self, key: str, last: T | None) -> Iterator[Change[T, K]]:
        known = self._entries.pop(key)
        yield Change(kind=ChangeKind.DELETED, uid=known.uid, object=last, previous=_kept(known))


def _kept(entry: _Entry | _KeepingEntry[K]) -> K | None:
    return entry.kept if isinstance(entry, _KeepingEntry) else None


def _brief(version: str) -> str | int:
    """The version as a number, if it is written as one, as all versions of kube-apiserver are.

    A number takes half the memory of a text.
    """
    is_number = version.isascii() and version.isdigit() and len(version) <= _LONGEST_NUMBER
    return int(version) if is_number and not version.startswith("0") else version


class ListedUids:
    """The uids that a list named so far, to find afterwards what is gone.

    The first list fills an empty cache, so there is nothing to find: then no uid is stored, and every uid counts as
    listed. With 100,000 objects that saves 6 MB.
    """

    def __init__(self, *, known: int) -> None:
        """``known``: how many objects the cache holds when the list begins."""
        self._named: set[str] | None = set() if known else None

    def __contains__(self, uid: object) -> bool:
        return self._named is None or uid in self._named

    def add(self, uid: str) -> None:
        if self._named is not None:
            self._named.add(uid)

    def discard(self, uid: str) -> None:
        if self._named is not None:
            self._named.discard(uid)

    def clear(self) -> None:
        self._named = None


@dataclass(slots=True)
class StreamedList:
    """A streamed list under way. ``answered``: the server has sent at least one event of it."""

    began: float
    listed: ListedUids
    answered: bool = False
    complete: bool = False
