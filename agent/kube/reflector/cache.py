"""What a reflector knows: one pruned entry per object, and what changed since it was last told. No I/O."""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from agent.kube.codec import Readable, Undecodable, name_of

T = TypeVar("T", bound=Readable)
K = TypeVar("K")


class ChangeKind(StrEnum):
    """What happened to an object."""

    ADDED = "added"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[T, K]):
    """One object appeared, changed or went.

    ``object`` is ``None`` only for a deletion whose final state nobody saw: it happened while no watch was open,
    or the object could not be read. ``previous`` is what was kept of the object before, ``None`` if it is new.
    """

    kind: ChangeKind
    uid: str
    object: T | None
    previous: K | None


class _Entry(Struct, Generic[K], frozen=True, gc=False):
    uid: str
    resource_version: str
    kept: K


class Cache(Generic[T, K]):
    """The entries, by name. ``keep`` says what to keep of an object; the object itself is dropped.

    What is kept must lead back to no entry (``gc=False``: there may be 100,000, and nothing is to be looked for there).

    ``remembers``: whether there are entries at all. Where there are none, a duplicate is told as an object that
    appeared, and of an object that nobody saw go nothing is said.

    Resource versions are compared for equality only (performance.md 2c.4).
    """

    def __init__(self, keep: Callable[[T], K], *, remembers: bool = True) -> None:
        self._keep = keep
        self._remembers = remembers
        self._entries: dict[str, _Entry[K]] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def kept(self) -> Mapping[str, K]:
        """What is kept of every object, by uid."""
        return {entry.uid: entry.kept for entry in self._entries.values()}

    def put(self, thing: T) -> Iterator[Change[T, K]]:
        """The object exists in this state. A duplicate changes nothing; a new uid under a known name is two changes."""
        meta = thing.metadata
        uid, version = meta.uid or "", meta.resourceVersion or ""
        if not self._remembers:
            yield Change(kind=ChangeKind.ADDED, uid=uid, object=thing, previous=None)
            return
        key = name_of(meta)
        known = self._entries.get(key)
        if known is not None and known.uid != uid:
            yield from self._drop(key, None)
            known = None
        if known is None:
            self._entries[key] = _Entry(uid, version, self._keep(thing))
            yield Change(kind=ChangeKind.ADDED, uid=uid, object=thing, previous=None)
        elif known.resource_version != version:
            same = known.uid  # the text that is kept already, not another like it
            self._entries[key] = _Entry(same, version, self._keep(thing))
            yield Change(kind=ChangeKind.MODIFIED, uid=same, object=thing, previous=known.kept)

    def remove(self, thing: T) -> Iterator[Change[T, K]]:
        """The object is gone; this was its last state. Nothing is said of an object that was never told of."""
        uid = thing.metadata.uid or ""
        if not self._remembers:
            yield Change(kind=ChangeKind.DELETED, uid=uid, object=thing, previous=None)
        elif (key := self._known(name_of(thing.metadata), uid)) is not None:
            yield from self._drop(key, thing)

    def sweep(self, seen: Container[str]) -> Iterator[Change[T, K]]:
        """A whole list was read: what has none of its uids is gone, and nobody saw its last state."""
        for key in [key for key, entry in self._entries.items() if entry.uid not in seen]:
            yield from self._drop(key, None)

    def put_odd(self, odd: Undecodable) -> None:
        """The object exists and could not be read: what is known of it stays, its version does not."""
        if (key := self._known(odd.name, odd.uid)) is not None:
            self._entries[key] = replace(self._entries[key], resource_version=odd.resource_version)

    def remove_odd(self, odd: Undecodable) -> Iterator[Change[T, K]]:
        """The object is gone; its last state could not be read."""
        if (key := self._known(odd.name, odd.uid)) is not None:
            yield from self._drop(key, None)

    def _known(self, name: str, uid: str) -> str | None:
        """The name, if there is an entry of this very object under it."""
        known = self._entries.get(name)
        return name if known is not None and known.uid == uid else None

    def _drop(self, key: str, last: T | None) -> Iterator[Change[T, K]]:
        known = self._entries.pop(key)
        yield Change(kind=ChangeKind.DELETED, uid=known.uid, object=last, previous=known.kept)


class ListedUids:
    """The uids named so far. ``uid in roll`` is asked once all were named.

    A list that fills an empty inventory names all there is, so nothing is noted of it: with a hundred thousand objects
    that is 6 MB.
    """

    def __init__(self, *, known: int) -> None:
        """For a list that meets so many known objects."""
        self._named: set[str] | None = set() if known else None

    def __contains__(self, uid: object) -> bool:
        return self._named is None or uid in self._named

    def name(self, uid: str) -> None:
        """It exists."""
        if self._named is not None:
            self._named.add(uid)

    def strike(self, uid: str) -> None:
        """It exists no longer."""
        if self._named is not None:
            self._named.discard(uid)

    def clear(self) -> None:
        """Nobody will ask any more."""
        self._named = None
