"""NUL: no text that holds one can be stored, so none is read."""

from typing import Any, TypeVar

from agent.core.texts import Place, rewrite
from agent.wire.error import WireError

Value = TypeVar("Value")


def without_nul(value: Value, payload: bytes) -> Value:
    """The value that was read from the payload; raises WireError, with the field, where a text holds NUL."""
    return rewrite(value, _Refusing()) if b"\x00" in payload else value


class _Refusing:
    """Refuses texts that hold NUL."""

    def text(self, text: str, place: Place) -> str:
        if "\x00" in text:
            raise WireError(f"{place.path} holds NUL")
        return text

    def items(self, items: tuple[Any, ...], place: Place) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
