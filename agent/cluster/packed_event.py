"""Events packed: what a failure tells of an event, in as few bytes as it takes to keep a hundred thousand of them."""

from datetime import datetime
from typing import Final

import msgspec
from msgspec import Struct

from agent.core.evidence import Event


class _Packed(Struct, array_like=True, frozen=True, gc=False):
    reason: str
    message: str
    type: str
    count: int
    first_at: datetime | None
    last_at: datetime | None
    component: str


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(_Packed)


def pack(event: Event) -> bytes:
    """The whole of it."""
    return _ENCODER.encode(
        _Packed(event.reason, event.message, event.type, event.count, event.first_at, event.last_at, event.component)
    )


def unpack(packed: bytes) -> Event:
    """The event again."""
    said = _DECODER.decode(packed)
    return Event(
        reason=said.reason,
        message=said.message,
        type=said.type,
        count=said.count,
        first_at=said.first_at,
        last_at=said.last_at,
        component=said.component,
    )
