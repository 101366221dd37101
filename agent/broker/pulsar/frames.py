"""The first frame of Pulsar's binary protocol, Connect, and its answer (PulsarApi.proto; "Binary protocol").

What only these show, measured with pulsar-client 3.13 against Pulsar 4.0 (AuthenticationError is never raised):

* A token that is missing, wrong or expired is a Timeout to the library, after all of ``operationTimeout``, and its log
  says TimeOut too. So is a port where nobody listens, ``pulsar://`` at a TLS port, ``pulsar+ssl://`` at a plain one,
  and, with TLS 1.3, a certificate of ours that the broker does not trust. The broker's response to Connect, or a
  missing one, distinguishes them at once.
* ConnectError means a host that does not exist, an authority that is not trusted, a certificate for another host, a
  broker that requires a client certificate, or a port that does not respond. Sockets and ``ssl`` distinguish these, but
  only the protocol shows that such a port is not Pulsar's.

The admin API answers 401 to a refused token, but it is another server, at an address that few settings have
(``adminUrl``) and with its own certificate: it says nothing about the port for messages. The library reports namespace
and permissions (``namespace``), so they are not checked here.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

CONNECT: Final = 2
CONNECTED: Final = 3
ERROR: Final = 14

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
