"""Entries packed into as few bytes as possible. There may be a hundred thousand pods, and most just run."""

from datetime import datetime
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import fields

from agent.core.failure import Occurrence
from agent.core.run_event import Identity, PodReference
from agent.observe.entry import PodEntry, Restart, RunProgress


class _PackedEntry(Struct, array_like=True, frozen=True, gc=False):
    identity: tuple[Any, ...]
    namespace: str
    name: str | tuple[str, str]
    node: str
    phase: str
    ended: Occurrence | None
    halted: Occurrence | None
    restarts: tuple[Restart, ...]
    due_at: datetime | None
    stopping: bool
    run: RunProgress | None = None


_NAMES: Final = tuple(field.name for field in fields(Identity))
_IDENTITY: Final = attrgetter(*_NAMES)
_UUID: Final = len("00000000-0000-0000-0000-000000000000")
_DIGITS: Final = 32
_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(_PackedEntry)


def is_idle(entry: PodEntry) -> bool:
    """Whether nothing is under way with the pod: nothing keeps it from starting, and the agent does not remove it."""
    return not entry.start_problems and entry.removal is None


def pack(entry: PodEntry) -> bytes:
    """Pack an idle entry.

    Left out are the uid of its pod, which is the key it is kept under, and the version, which only a removal asks for.
    """
    pod = entry.reference
    return _ENCODER.encode(
        _PackedEntry(
            tuple([shortened(part) if isinstance(part, str) else part for part in _IDENTITY(entry.identity)]),
            pod.namespace,
            _without_job(pod.name, entry.identity.job_id),
            pod.node,
            entry.phase,
            entry.ended,
            entry.halted,
            entry.restarts,
            entry.due_at,
            entry.stopping,
            entry.run,
        )
    )


def unpack(packed: bytes, *, uid: str) -> PodEntry:
    kept = _DECODER.decode(packed)
    identity = Identity(**dict(zip(_NAMES, map(_lengthened, kept.identity), strict=True)))
    name = kept.name if isinstance(kept.name, str) else identity.job_id.join(kept.name)
    return PodEntry(
        identity=identity,
        reference=PodReference(namespace=kept.namespace, name=name, uid=uid, node=kept.node),
        phase=kept.phase,
        ended=kept.ended,
        halted=kept.halted,
        restarts=kept.restarts,
        due_at=kept.due_at,
        stopping=kept.stopping,
        run=kept.run,
    )


def _without_job(name: str, job_id: str) -> str | tuple[str, str]:
    """What is before and after the job's id in the name of a pod, where Armada writes it; else the name."""
    if not job_id:
        return name
    before, found, after = name.partition(job_id)
    return (before, after) if found else name


def shortened(text: str) -> str | bytes:
    """A uuid as its 16 bytes, any other text as it is."""
    if len(text) != _UUID or not text[8] == text[13] == text[18] == text[23] == "-":
        return text
    digits = text.replace("-", "")
    try:
        brief = bytes.fromhex(digits)
    except ValueError:
        return text
    return brief if len(digits) == _DIGITS and brief.hex() == digits else text


def _lengthened(part: Any) -> Any:  # noqa: ANN401 - whatever an identity has
    if not isinstance(part, bytes):
        return part
    digits = part.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
