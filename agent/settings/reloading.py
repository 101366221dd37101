"""Settings and the files they name, read again when their content has changed; the last good reading is kept."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import BaseModel

Value = TypeVar("Value")

Seen = Mapping[Path, str]
"""What was in files: a digest each, or why a file cannot be read."""

_AGAIN_LOOKS: Final = 30
"""Looks after which files that could not be used are read again although they are the same: another may have come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[Value]):
    """What files say, and what was in each of them just before it was read."""

    value: Value
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken(Generic[Value]):
    """The files have changed and can be used: this is what they say now."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The files have changed and cannot be used: every fault of them. What was read before holds."""

    problem: str


class Reloading(Generic[Value]):
    """Looks whether the files of a reading have changed.

    Files are told by their content, so a ConfigMap's swapped symlink is seen as well as an edit in place; a change is
    taken when two looks have found the same, so that no half-written file is. ``read`` raises one of ``refusals``
    for files that cannot be used.
    """

    def __init__(
        self,
        reading: Reading[Value],
        *,
        read: Callable[[], Reading[Value]],
        refusals: tuple[type[Exception], ...],
    ) -> None:
        self._read = read
        self._refusals = refusals
        self._seen = reading.seen
        self._settling: Seen | None = None
        self._looks_refused: int | None = None

    def look(self) -> Taken[Value] | Refused | None:
        """Look once; ``None`` where there is nothing new to say. Reads files."""
        now = look_at(self._seen)
        if now == self._seen and not self._is_time_again():
            self._settling = None
            return None
        if now not in (self._settling, self._seen):
            self._settling = now
            return None
        return self._take(now)

    def _take(self, now: Seen) -> Taken[Value] | Refused | None:
        known, self._settling = self._looks_refused is not None and now == self._seen, None
        try:
            reading = self._read()
        except self._refusals as error:
            self._seen, self._looks_refused = now, 0
            return None if known else Refused(problem=str(error))
        self._seen, self._looks_refused = reading.seen, None
        return Taken(value=reading.value)

    def _is_time_again(self) -> bool:
        if self._looks_refused is None:
            return False
        self._looks_refused += 1
        return self._looks_refused >= _AGAIN_LOOKS


def look_at(files: Iterable[Path]) -> Seen:
    """What is in these files now."""
    return {file: _content(file) for file in files}


def changed(before: BaseModel, after: BaseModel) -> tuple[str, ...]:
    """The settings that differ, as files spell them with their dots, in the order of the model's fields."""
    return tuple(
        name
        for field, info in type(before).model_fields.items()
        for name in _changed(info.alias or field, getattr(before, field), getattr(after, field))
    )


def _changed(name: str, before: object, after: object) -> tuple[str, ...]:
    if before == after:
        return ()
    if isinstance(before, BaseModel) and type(before) is type(after) and isinstance(after, BaseModel):
        return tuple(f"{name}.{inner}" for inner in changed(before, after))
    return (name,)


def _content(file: Path) -> str:
    try:
        return hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
