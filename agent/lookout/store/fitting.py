"""Texts that every database can index: an index of Postgres takes 2,704 bytes at most."""

import hashlib
from typing import Final

from agent.store.columns import Row

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


def fit(column: str, text: str) -> str:
    """The text as the column takes it: if it is too long its start, and a hash so that others stay different ones."""
    if len(text) <= FITS_ALL or len(text) <= (limit := _LIMITS.get(column, _SHORT)):
        return text
    digest = hashlib.sha256(text.encode()).hexdigest()[:_HASH]
    return f"{text[: limit - _HASH - 1]}~{digest}"


def kept(column: str) -> int:
    """How many characters of the start of a text are stored for sure, however long it is."""
    return _LIMITS.get(column, _SHORT) - _HASH - 1


def fitted(row: Row) -> Row:
    """The row with each text as its column takes it."""
    return {
        name: fit(name, value) if type(value) is str and len(value) > FITS_ALL else value for name, value in row.items()
    }
