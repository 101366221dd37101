"""The latest events about each pod, each node and each owner of pods, within bounds. No I/O."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from sys import intern
from typing import Any, Final

import msgspec

from agent.cluster.pods.packed import shortened
from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.events import read_event

PER_TYPE = 10
"""Events kept of one pod or node, of each type: as many as a failure can carry."""

_EVENTS_ABOUT_NODES = "Node"
_EVENTS_ABOUT_PODS = "Pod"
_EVENTS_ABOUT_OTHERS = ""
"""What pods belong to; uids say which."""


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(tuple[Any, Event])
_PAIR: Final = b"\x92"
"""What a list of two begins with in MessagePack."""


def pack(uid: str, event: Event) -> bytes:
    """Pack an event with its uid."""
    return _beginning(uid) + _ENCODER.encode(event)


def unpack(packed: bytes) -> Event:
    return _DECODER.decode(packed)[1]


def _beginning(uid: str) -> bytes:
    """What the packed events of this uid, and no others, begin with: MessagePack says how long a text is."""
    return _PAIR + _ENCODER.encode(shortened(uid))


@dataclass(slots=True)
class _Ring:
    """Events about one object, by type, in the order of their last update; packed, because there are many."""

    heard: datetime
    types: dict[str, list[bytes]] = field(default_factory=dict)

    def put(self, event: objects.Event) -> None:
        kept = self.types.setdefault(intern(event.type or ""), [])
        uid = event.metadata.uid or ""
        beginning = _beginning(uid)
        earlier = next((place for place, packed in enumerate(kept) if packed.startswith(beginning)), None)
        if earlier is not None:
            del kept[earlier]
        kept.append(pack(uid, read_event(event)))
        if len(kept) > PER_TYPE:
            del kept[0]

    def events(self) -> list[Event]:
        return [unpack(packed) for kept in self.types.values() for packed in kept]


class EventCache:
    """Up to ``PER_TYPE`` events of each type about each of at most ``things`` pods, nodes and owners.

    Entries without an event for ``age`` are dropped, and the oldest ones if there are too many; ``forgotten`` counts
    the latter. A repeated event has the same uid and a higher count, and replaces itself.
    """

    def __init__(self, *, things: int, age: timedelta) -> None:
        self.forgotten = 0
        self._things = things
        self._age = age
        self._rings: OrderedDict[tuple[str, str], _Ring] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rings)

    def put(self, event: objects.Event, *, now: datetime) -> None:
        """Remember an event; ignore one that is about nothing that can be found again."""
        if (about := _about(event)) is None:
            return
        ring = self._rings.get(about)
        if ring is None:
            ring = self._rings[about] = _Ring(heard=now)
        ring.heard = now
        ring.put(event)
        self._rings.move_to_end(about)
        self._expire(now)

    def about_pod(self, uid: str) -> Sequence[Event]:
        return self._about((_EVENTS_ABOUT_PODS, uid))

    def about_node(self, name: str) -> Sequence[Event]:
        """Events about the node of this name; the kubelet gives them the name as uid."""
        return self._about((_EVENTS_ABOUT_NODES, name))

    def about_owner(self, uid: str) -> Sequence[Event]:
        """Events about a Job, a JobSet or a Workload."""
        return self._about((_EVENTS_ABOUT_OTHERS, uid))

    def forget_pod(self, uid: str) -> None:
        self._rings.pop((_EVENTS_ABOUT_PODS, uid), None)

    def _about(self, key: tuple[str, str]) -> Sequence[Event]:
        ring = self._rings.get(key)
        return () if ring is None else ring.events()

    def _expire(self, now: datetime) -> None:
        while self._rings:
            about, ring = next(iter(self._rings.items()))
            if len(self._rings) <= self._things and now - ring.heard <= self._age:
                return
            self.forgotten += len(self._rings) > self._things
            del self._rings[about]


def about_uid(event: objects.Event) -> str | None:
    """The uid of the pod an event is about; ``None`` if it is about something else."""
    about = _about(event)
    return about[1] if about is not None and about[0] == _EVENTS_ABOUT_PODS else None


def _about(event: objects.Event) -> tuple[str, str] | None:
    thing = event.involvedObject
    match thing.kind:
        case "Pod":
            return (_EVENTS_ABOUT_PODS, thing.uid) if thing.uid else None
        case "Node":
            return (_EVENTS_ABOUT_NODES, thing.name) if thing.name else None
        case _:
            return (_EVENTS_ABOUT_OTHERS, thing.uid) if thing.uid else None
