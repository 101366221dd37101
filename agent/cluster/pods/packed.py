"""Entries packed into as few bytes as possible. There may be a hundred thousand pods, and most just run."""

from datetime import datetime
from operator import attrgetter
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference
from agent.observe.entry import PodEntry, Restart


class _PackedEntry(Struct, array_like=True, frozen=True, gc=False):
    identity: tuple[str | int | None, ...]
    namespace: str
    name: str
    node: str
    resource_version: str
    phase: str
    ended: Occurrence | None
    halted: Occurrence | None
    restarts: tuple[Restart, ...]
    due_at: datetime | None
    stopping: bool


_NAMES: Final = tuple(each.name for each in fields(Identity))
_IDENTITY: Final = attrgetter(*_NAMES)
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(_PackedEntry)


def is_idle(entry: PodEntry) -> bool:
    """Whether nothing is under way with the pod: nothing keeps it from starting, and the agent does not remove it."""
    return not entry.start_problems and entry.removal is None


def pack(entry: PodEntry) -> bytes:
    """Pack an idle entry, without the uid of its pod, which is the key it is kept under."""
    pod = entry.reference
    return _ENCODER.encode(
        _PackedEntry(
            _IDENTITY(entry.identity),
            pod.namespace,
            pod.name,
            pod.node,
            entry.resource_version,
            entry.phase,
            entry.ended,
            entry.halted,
            entry.restarts,
            entry.due_at,
            entry.stopping,
        )
    )


def unpack(packed: bytes, *, uid: str) -> PodEntry:
    kept = _DECODER.decode(packed)
    return PodEntry(
        identity=Identity(**dict(zip(_NAMES, kept.identity, strict=True))),  # type: ignore[arg-type]  # by its names
        reference=PodReference(namespace=kept.namespace, name=kept.name, uid=uid, node=kept.node),
        resource_version=kept.resource_version,
        phase=kept.phase,
        ended=kept.ended,
        halted=kept.halted,
        restarts=kept.restarts,
        due_at=kept.due_at,
        stopping=kept.stopping,
    )
