"""The objects, their versions and their recent history. Plain JSON; each change is serialised once."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from agent.simulator.kinds import KINDS, Json, Kind
from agent.simulator.status import expired

HISTORY: Final = 8192
"""Changes per kind that a watch can start from, unless told otherwise."""

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
        """As it stands in a list, whose items do not say their kind again."""
        head = msgspec.json.encode({name: self.object[name] for name in _TYPE})
        return b"{" + self.raw[len(head) :]


@dataclass(frozen=True, slots=True)
class Recorded:
    """One change. ``previous`` is ``None`` for an object that is new."""

    version: int
    type: str
    object: Json
    previous: Json | None
    raw: bytes

    def line(self, kind: str = "") -> bytes:
        """The change as a watch tells it; ``kind`` is another type for it, where a selector makes it one."""
        return b'{"type":"%s","object":%s}\n' % ((kind or self.type).encode(), self.raw)


class Shelf:
    """All objects of one kind, with their history from ``compacted`` (exclusive) on."""

    def __init__(self, kind: Kind, *, history: int, version: int) -> None:
        self.kind = kind
        self.objects: dict[Key, Stored] = {}
        self.compacted = version
        self.changed = asyncio.Event()
        self._history = history
        self._log: list[Recorded] = []

    def append(self, change: Recorded) -> None:
        """Remember a change, wake who waits for it, and forget what is too old."""
        self._log.append(change)
        if len(self._log) > 2 * self._history:
            self._forget(self._history)
        self.changed.set()
        self.changed = asyncio.Event()

    def since(self, version: int, *, at_most: int) -> list[Recorded]:
        """The next changes after a version, oldest first. Raises Refused (410) if some are forgotten."""
        if version < self.compacted:
            raise expired(asked=version, oldest=self.compacted)
        start = bisect_right(self._log, version, key=lambda change: change.version)
        return self._log[start : start + at_most]

    def compact(self, version: int) -> None:
        """Forget the whole history up to now."""
        self._log.clear()
        self.compacted = version

    def _forget(self, count: int) -> None:
        self.compacted = self._log[count - 1].version
        del self._log[:count]


class Store:
    """Every shelf, under one ever-growing version."""

    def __init__(self, *, version: int, history: int = HISTORY) -> None:
        self.version = version
        self.shelves = {plural: Shelf(kind, history=history, version=version) for plural, kind in KINDS.items()}
        self.listeners: list[Callable[[Kind, Recorded], None]] = []

    def get(self, kind: Kind, key: Key) -> Json | None:
        """An object as it is, ``None`` if there is none."""
        stored = self.shelves[kind.plural].objects.get(key)
        return None if stored is None else stored.object

    def all(self, kind: Kind) -> Iterator[Stored]:
        """Every object of a kind, in the order that the server lists them."""
        objects = self.shelves[kind.plural].objects
        return (objects[key] for key in sorted(objects))

    def put(self, kind: Kind, thing: Json) -> Json:
        """Create or replace an object. Returns it with its new version."""
        key = key_of(thing)
        shelf = self.shelves[kind.plural]
        known = shelf.objects.get(key)
        fresh, raw = self._stamp(thing)
        shelf.objects[key] = Stored(key, fresh, raw)
        change = "ADDED" if known is None else "MODIFIED"
        self._record(shelf, Recorded(self.version, change, fresh, None if known is None else known.object, raw))
        return fresh

    def remove(self, kind: Kind, thing: Json) -> Json:
        """Take an object away; ``thing`` is its last state. Returns that with the version of its removal."""
        shelf = self.shelves[kind.plural]
        known = shelf.objects.pop(key_of(thing))
        last, raw = self._stamp(thing)
        self._record(shelf, Recorded(self.version, "DELETED", last, known.object, raw))
        return last

    def compact(self) -> None:
        """Forget all history: a watch from any earlier version gets 410."""
        for shelf in self.shelves.values():
            shelf.compact(self.version)

    def _stamp(self, thing: Json) -> tuple[Json, bytes]:
        self.version += 1
        stamped = {
            **{name: thing[name] for name in _TYPE},
            **thing,
            "metadata": {**thing["metadata"], "resourceVersion": str(self.version)},
        }
        return stamped, msgspec.json.encode(stamped)

    def _record(self, shelf: Shelf, change: Recorded) -> None:
        shelf.append(change)
        for listener in self.listeners:
            listener(shelf.kind, change)


def key_of(thing: Json) -> Key:
    """Where an object is kept."""
    meta: dict[str, Any] = thing["metadata"]
    return (meta.get("namespace") or "", meta["name"])
