"""The few commands of Pulsar's binary protocol that a pre-flight check speaks (PulsarApi.proto; "Binary protocol").

The library raises a bare Timeout for a refused token; the broker's own answer says what is wrong.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

CONNECT: Final = 2
CONNECTED: Final = 3
ERROR: Final = 14
PARTITIONED_METADATA: Final = 21
PARTITIONED_METADATA_RESPONSE: Final = 22
AUTH_CHALLENGE: Final = 36

AUTHENTICATION_ERROR: Final = 3
AUTHORIZATION_ERROR: Final = 4

_PROTOCOL_VERSION: Final = 19
_VARINT: Final = 0
_BYTES: Final = 2
_SEVEN_BITS: Final = 0x7F
_MORE: Final = 0x80
_FIXED: Final = {1: 8, 5: 4}

Fields = Mapping[int, int | bytes]
"""A message's fields by number; of a repeated one, the last."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its type, and the fields of the message named after it."""

    kind: int
    fields: Fields


def connect(*, method: str, data: bytes) -> bytes:
    """The first frame: our credentials for an authentication method; ``""`` means none."""
    fields: dict[int, int | bytes] = {1: b"failure-agent", 4: _PROTOCOL_VERSION}
    if method:
        fields |= {3: data, 5: method.encode()}
    return frame(Command(CONNECT, fields))


def partitions(topic: str) -> bytes:
    """Ask how many partitions a topic has. The broker checks namespace and permission before it answers."""
    return frame(Command(PARTITIONED_METADATA, {1: topic.encode(), 2: 1}))


def frame(command: Command) -> bytes:
    """A command as it is sent: after the sizes of frame and command."""
    body = _encoded({1: command.kind, command.kind: _encoded(command.fields)})
    return (len(body) + 4).to_bytes(4) + len(body).to_bytes(4) + body


def command_of(body: bytes) -> Command:
    """The command in a frame without the frame's size. Raises ValueError if there is none."""
    size = int.from_bytes(body[:4])
    fields = dict(_decoded(body[4 : 4 + size]))
    kind = fields.get(1)
    if not isinstance(kind, int):
        raise ValueError("a frame without a command")  # noqa: TRY004 - of bytes, no type is wrong
    inside = fields.get(kind, b"")
    return Command(kind, dict(_decoded(inside)) if isinstance(inside, bytes) else {})


def text(fields: Fields, number: int) -> str:
    """A field of text; ``""`` if it is missing."""
    found = fields.get(number, b"")
    return found.decode("utf-8", "replace") if isinstance(found, bytes) else str(found)


def _encoded(fields: Fields) -> bytes:
    return b"".join(_field(number, value) for number, value in sorted(fields.items()))


def _field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return _varint(number << 3 | _VARINT) + _varint(value)
    return _varint(number << 3 | _BYTES) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > _SEVEN_BITS:
        out.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    return bytes([*out, value])


def _decoded(data: bytes) -> Iterator[tuple[int, int | bytes]]:
    at = 0
    while at < len(data):
        tag, at = _read_varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            value, at = _read_varint(data, at)
            yield number, value
            continue
        size, at = _read_varint(data, at) if wire == _BYTES else (_fixed(wire), at)
        if at + size > len(data):
            raise ValueError("the frame is cut short")
        yield number, data[at : at + size]
        at += size


def _fixed(wire: int) -> int:
    if wire not in _FIXED:
        raise ValueError("not a frame of Pulsar's protocol")
    return _FIXED[wire]


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data):
        byte = data[at]
        value |= (byte & _SEVEN_BITS) << shift
        at, shift = at + 1, shift + 7
        if byte < _MORE:
            return value, at
    raise ValueError("the frame is cut short")
