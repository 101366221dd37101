"""The objects, their versions and their recent history: what etcd and the watch cache are to a real server.

Plain JSON; each change is serialised once, however many watches read it.
"""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from agent.simulator.kinds import KINDS, Json, Kind
from agent.simulator.status import expired

HISTORY: Final = 8192
"""Changes per kind that a watch can start from, unless configured otherwise."""

_TYPE: Final = ("kind", "apiVersion")

Key = tuple[str, str]
"""Namespace (``""`` for cluster-wide kinds) and name."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One object as it is, and as it goes over the wire: ``raw`` begins with its kind and apiVersion."""

    key: Key
    object: Json
    raw: bytes

    @property
    def bare(self) -> bytes:
        """As an item of a list, which does not repeat its kind."""
        head = msgspec.json.encode({name: self.object[name] for name in _TYPE})
        return b"{" + self.raw[len(head) :]


@dataclass(frozen=True, slots=True)
class StoredChange:
    """One change. ``previous`` is ``None`` for an object that is new."""

    version: int
    type: str
    object: Json
    previous: Json | None
    raw: bytes

    def line(self, kind: str = "") -> bytes:
        """The change as a line of a watch; ``kind`` is another event type, where a selector makes it one."""
        return b'{"type":"%s","object":%s}\n' % ((kind or self.type).encode(), self.raw)


class Collection:
    """All objects of one kind, with their history from ``compacted`` (exclusive) on."""

    def __init__(self, kind: Kind, *, history: int, version: int) -> None:
        self.kind = kind
        self.objects: dict[Key, Stored] = {}
        self.compacted = version
        self.changed = asyncio.Event()
        self._history = history
        self._log: list[StoredChange] = []

    def append(self, change: StoredChange) -> None:
        """Record a change, wake the watches that wait, and drop what is too old."""
        self._log.append(change)
        if len(self._log) > 2 * self._history:
            self._forget(self._history)
        self.changed.set()
        self.changed = asyncio.Event()

    def since(self, version: int, *, at_most: int) -> list[StoredChange]:
        """The next changes after a version, oldest first. Raises StatusError (410) if some are forgotten."""
        if version < self.compacted:
            raise expired(asked=version, oldest=self.compacted)
        start = bisect_right(self._log, version, key=lambda change: change.version)
        return self._log[start : start + at_most]

    def compact(self, version: int) -> None:
        self._log.clear()
        self.compacted = version

    def _forget(self, count: int) -> None:
        self.compacted = self._log[count - 1].version
        del self._log[:count]


class Store:
    """Every collection, under one increasing version, as etcd has one revision."""

    def __init__(self, *, version: int, history: int = HISTORY) -> None:
        self.version = version
        self.collections = {
            plural: Collection(kind, history=history, version=version) for plural, kind in KINDS.items()
        }
        self.listeners: list[Callable[[Kind, StoredChange], None]] = []

    def get(self, kind: Kind, key: Key) -> Json | None:
        stored = self.collections[kind.plural].objects.get(key)
        return None if stored is None else stored.object

    def all(self, kind: Kind) -> Iterator[Stored]:
        """Every object of a kind, in the order that the server lists them."""
        objects = self.collections[kind.plural].objects
        return (objects[key] for key in sorted(objects))

    def put(self, kind: Kind, thing: Json) -> Json:
        """Create or replace an object. Returns it with its new version."""
        key = key_of(thing)
        collection = self.collections[kind.plural]
        known = collection.objects.get(key)
        fresh, raw = self._stamp(thing)
        collection.objects[key] = Stored(key, fresh, raw)
        change = "ADDED" if known is None else "MODIFIED"
        self._record(
            collection, StoredChange(self.version, change, fresh, None if known is None else known.object, raw)
        )
        return fresh

    def remove(self, kind: Kind, thing: Json) -> Json:
        """Remove an object; ``thing`` is its last state. Returns it with the version of its removal."""
        collection = self.collections[kind.plural]
        known = collection.objects.pop(key_of(thing))
        last, raw = self._stamp(thing)
        self._record(collection, StoredChange(self.version, "DELETED", last, known.object, raw))
        return last

    def compact(self) -> None:
        """Forget all history: a watch from any earlier version gets 410."""
        for collection in self.collections.values():
            collection.compact(self.version)

    def _stamp(self, thing: Json) -> tuple[Json, bytes]:
        self.version += 1
        stamped = {
            **{name: thing[name] for name in _TYPE},
            **thing,
            "metadata": {**thing["metadata"], "resourceVersion": str(self.version)},
        }
        return stamped, msgspec.json.encode(stamped)

    def _record(self, collection: Collection, change: StoredChange) -> None:
        collection.append(change)
        for listener in self.listeners:
            listener(collection.kind, change)


def key_of(thing: Json) -> Key:
    meta: dict[str, Any] = thing["metadata"]
    return (meta.get("namespace") or "", meta["name"])
