"""Who asks, as metadata of gRPC and headers of HTTP say it: in ASCII, other characters percent-encoded.

Nobody checks it: both APIs listen on loopback only.
"""

from typing import Final
from urllib.parse import quote, unquote

WHO: Final = "failure-agent-user"
"""The name of the metadata, and of the header."""

_LONGEST: Final = 256
_PRINTABLE: Final = "".join(map(chr, range(0x20, 0x7F))).replace("%", "")


def encode(name: str) -> str:
    """The name as a client sends it."""
    return quote(name, safe=_PRINTABLE, errors="replace")


def decode(said: str) -> str:
    """The name that a client says; printable, and of a bounded length. ``unknown`` if there is none."""
    text = unquote(said, errors="replace")
    return "".join(character for character in text if character.isprintable())[:_LONGEST].strip() or "unknown"
