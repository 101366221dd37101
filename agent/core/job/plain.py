"""Reads values of expected types from plain mappings, as parsed from JSON or YAML."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

Plain = Mapping[str, object]


def number(written: Plain, key: str) -> int | None:
    """Return a whole number from a mapping, ``None`` if absent. Raises TypeError for anything else."""
    value = written.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError(f"{key}: expected a whole number")


def text(written: Plain, key: str) -> str | None:
    """Return a text from a mapping, as above."""
    value = written.get(key)
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{key}: expected text")


def truth(written: Plain, key: str) -> bool | None:
    """Return a boolean from a mapping, as above."""
    value = written.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise TypeError(f"{key}: expected true or false")


def moment(written: Plain, key: str) -> datetime | None:
    """Return a time from a mapping, as above; ValueError for an invalid time."""
    said = text(written, key)
    return None if said is None else datetime.fromisoformat(said)


def mapping(written: Plain, key: str) -> Plain | None:
    """Return a mapping from a mapping, as above."""
    value = written.get(key)
    if value is None or isinstance(value, Mapping):
        return value
    raise TypeError(f"{key}: expected a mapping")


def items(written: Plain, key: str) -> Sequence[object]:
    """Return a list from a mapping, empty if absent. Raises TypeError for anything else."""
    value = written.get(key)
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value
    raise TypeError(f"{key}: expected a list")


def mappings(written: Plain, key: str) -> Iterator[Plain]:
    """Yield the mappings in a list of a mapping. Raises TypeError for anything else."""
    for found in items(written, key):
        if not isinstance(found, Mapping):
            raise TypeError(f"{key}: expected mappings")
        yield found
