"""NUL in texts: Postgres cannot store it, so a message with one is refused."""

from typing import Any, Final, TypeVar

import msgspec

from agent.core.summary.texts import TextPlace, rewrite
from agent.wire.error import WireError

Value = TypeVar("Value", bound=msgspec.Struct)

_ESCAPED: Final = b"\\u0000"
_JSON: Final = msgspec.json.Encoder()


def without_nul(value: Value, payload: bytes) -> Value:
    """The value that was read from the payload; raises WireError, naming the field, if a text holds NUL.

    A byte 0 in the payload may also be part of a number, so two cheap tests come first. Encoding to JSON is far faster
    than walking through the value; its output has the escape only if a text holds NUL or spells out the escape.
    """
    suspect = b"\x00" in payload and _ESCAPED in _JSON.encode(value)
    return rewrite(value, _NulCheck()) if suspect else value


class _NulCheck:
    def text(self, text: str, place: TextPlace) -> str:
        if "\x00" in text:
            raise WireError(f"{place.path} holds NUL")
        return text

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
