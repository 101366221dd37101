"""Decodes JSON to a type, or to plain values."""

import json
import re
from typing import Any, Final, Generic, TypeVar

import msgspec

from agent.bounds import TOO_DEEP, OutOfBoundsError, check, check_numbers

T = TypeVar("T")

_HALF_OF_A_PAIR: Final = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u(?P<half>[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_QUESTION_MARK: Final = rb"\u003f"


class Reader(Generic[T]):
    """Decodes JSON to one type."""

    def __init__(self, kind: type[T]) -> None:
        self._decode = msgspec.json.Decoder(kind).decode

    def decode(self, text: bytes) -> T:
        """Return the value. Raises OutOfBoundsError, msgspec.DecodeError and UnicodeDecodeError."""
        check_numbers(text)
        try:
            return self._decode(text)
        except RecursionError as error:
            raise OutOfBoundsError(TOO_DEEP) from error


_ANY: Final = msgspec.json.Decoder()


def read_value(text: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of one object; half of a surrogate pair becomes ``?``.

    Raises OutOfBoundsError, msgspec.DecodeError and UnicodeDecodeError.
    """
    check(text)
    try:
        return _ANY.decode(text)
    except msgspec.DecodeError:
        whole = _HALF_OF_A_PAIR.sub(lambda found: _QUESTION_MARK if found["half"] else found.group(), text)
        if whole == text:
            raise
        return _ANY.decode(whole)


def read_leniently(text: bytes) -> Any:  # noqa: ANN401 - any JSON
    """Return the value of one object; bytes that are not UTF-8 are replaced, halves of surrogate pairs stay.

    Raises ValueError.
    """
    check(text)
    return json.loads(text.decode(errors="replace"))
