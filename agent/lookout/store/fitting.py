"""Texts that every database can store and index.

Postgres refuses NUL, no driver encodes half of a surrogate pair, and an index of Postgres takes 2,704 bytes at most.
"""

import hashlib
import re
from typing import Any, Final, TypeVar

import msgspec

from agent.core.summary.texts import TextPlace, rewrite
from agent.store.columns import Row

Value = TypeVar("Value", bound=msgspec.Struct)

FITS_ALL: Final = 150
"""No text up to this length is cut: four of them fit in one index."""
_SHORT: Final = 400
"""The longest text of which one is in an index, with a number or a time."""
_LONG: Final = 4_000
_LIMITS: Final = {
    **dict.fromkeys(("category", "subcategory", "queue", "cluster", "pack", "revision"), FITS_ALL),
    **dict.fromkeys(("key_line", "sentence", "rejection", "reason", "refused", "retry_policies"), _LONG),
}
_HASH: Final = 16
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")
_ESCAPED: Final = b"\\u0000"
_JSON: Final = msgspec.json.Encoder()


def storable(value: Value) -> tuple[Value, tuple[str, ...]]:
    """The value without NUL and halves of surrogate pairs, and the paths of the texts that had any.

    Encoding is far faster than walking through the value; its output has the escape only if a text holds NUL or spells
    out the escape.
    """
    try:
        if _ESCAPED not in _JSON.encode(value):
            return value, ()
    except UnicodeEncodeError:
        pass
    stripping = _Stripping()
    return rewrite(value, stripping), tuple(stripping.paths)


def fit(column: str, text: str) -> str:
    """The text as the column takes it: if it is too long its start, and a hash so that others stay different ones."""
    if len(text) <= FITS_ALL or len(text) <= (limit := _LIMITS.get(column, _SHORT)):
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_HASH]
    return f"{text[: limit - _HASH - 1]}~{digest}"


def fitted(row: Row) -> Row:
    """The row with each text as its column takes it."""
    return {
        name: fit(name, value) if type(value) is str and len(value) > FITS_ALL else value for name, value in row.items()
    }


class _Stripping:
    def __init__(self) -> None:
        self.paths: list[str] = []

    def text(self, text: str, place: TextPlace) -> str:
        stripped = _UNSTORABLE.sub("", text)
        if stripped != text:
            self.paths.append(place.path)
        return stripped

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:  # noqa: ARG002 - part of Rewriting
        return items
