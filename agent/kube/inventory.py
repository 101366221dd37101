"""What a reflector knows: one pruned entry per object, and what changed since it was last told. No I/O."""

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from agent.kube.codec import Odd, Readable
from agent.kube.objects import Metadata

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
    resource_version: str
    name: str
    kept: K


class Inventory(Generic[T, K]):
    """The entries, by uid. ``keep`` says what to keep of an object; the object itself is dropped.

    What is kept must lead back to no entry (``gc=False``: there may be 100,000, and nothing is to be looked for there).

    ``names``: whether objects are known by name too, so that one that takes another's place says that that is gone.

    Resource versions are compared for equality only (performance.md 2c.4).
    """

    def __init__(self, keep: Callable[[T], K], *, names: bool = True) -> None:
        self._keep = keep
        self._names = names
        self._entries: dict[str, _Entry[K]] = {}
        self._uids: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._entries)

    def kept(self) -> Mapping[str, K]:
        """What is kept of every object, by uid."""
        return {uid: entry.kept for uid, entry in self._entries.items()}

    def put(self, thing: T) -> Iterator[Change[T, K]]:
        """The object exists in this state. A duplicate changes nothing; a new uid under a known name is two changes."""
        meta = thing.metadata
        uid, version = meta.uid or "", meta.resourceVersion or ""
        known = self._entries.get(uid)
        if known is not None and known.resource_version == version:
            return
        name = self._name(meta) if known is None else known.name
        namesake = self._uids.get(name)
        if namesake is not None and namesake != uid:
            yield from self.forget(namesake)
        self._entries[uid] = _Entry(version, name, self._keep(thing))
        if known is None:
            if self._names:
                self._uids[name] = uid
            yield Change(kind=ChangeKind.ADDED, uid=uid, object=thing, previous=None)
        else:
            same = self._uids.get(name, uid)  # the text that is kept already, not another like it
            yield Change(kind=ChangeKind.MODIFIED, uid=same, object=thing, previous=known.kept)

    def remove(self, thing: T) -> Iterator[Change[T, K]]:
        """The object is gone; this was its last state. Nothing is said of an object that was never told of."""
        yield from self._drop(thing.metadata.uid or "", thing)

    def forget(self, uid: str) -> Iterator[Change[T, K]]:
        """The object is gone; nobody saw its last state."""
        yield from self._drop(uid, None)

    def sweep(self, seen: Container[str]) -> Iterator[Change[T, K]]:
        """A whole list was read: what is not in it is gone."""
        for uid in [uid for uid in self._entries if uid not in seen]:
            yield from self.forget(uid)

    def put_odd(self, odd: Odd) -> None:
        """The object exists and could not be read: what is known of it stays, its version does not."""
        known = self._entries.get(odd.uid)
        if known is not None:
            self._entries[odd.uid] = replace(known, resource_version=odd.resource_version)

    def _name(self, meta: Metadata) -> str:
        return f"{meta.namespace or ''}/{meta.name or ''}" if self._names else ""

    def _drop(self, uid: str, last: T | None) -> Iterator[Change[T, K]]:
        known = self._entries.pop(uid, None)
        if known is None:
            return
        if self._uids.get(known.name) == uid:
            del self._uids[known.name]
        yield Change(kind=ChangeKind.DELETED, uid=uid, object=last, previous=known.kept)
