"""NUL: no text that holds one can be stored, so none is read."""

from typing import Any, Final, TypeVar

import msgspec

from agent.core.summary.texts import TextPlace, rewrite
from agent.wire.error import WireError

Value = TypeVar("Value")

_ESCAPED: Final = b"\\u0000"
_JSON: Final = msgspec.json.Encoder()


def without_nul(value: Value, payload: bytes) -> Value:
    """The value that was read from the payload; raises WireError, with the field, where a text holds NUL.

    A payload holds the byte where a number is 0, too. JSON, written far faster than the value is walked through,
    holds its escape only where a text does, or where one spells the escape out.
    """
    suspect = b"\x00" in payload and _ESCAPED in _JSON.encode(value)
    return rewrite(value, _NulCheck()) if suspect else value


class _NulCheck:
    """Refuses texts that hold NUL."""

    def text(self, text: str, place: TextPlace) -> str:
        if "\x00" in text:
            raise WireError(f"{place.path} holds NUL")
        return text

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
