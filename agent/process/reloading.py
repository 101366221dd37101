"""Files read again when their content has changed; the last good reading is kept."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

Value = TypeVar("Value")

Digests = Mapping[Path, str]
"""The content of files: a digest of each, or why it cannot be read."""

_RETRY_POLLS: Final = 30
"""Polls after which unusable files are read again although they are the same: a file they name may exist now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading(Generic[Value]):
    """The value that files give, and the digest of each just before it was read."""

    value: Value
    seen: Digests


@dataclass(frozen=True, slots=True, kw_only=True)
class Reloaded(Generic[Value]):
    """The files have changed and can be used: this is their new value."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ReloadRefused:
    """The files have changed and cannot be used, with every fault. The earlier value stays in effect."""

    problem: str


class Reloading(Generic[Value]):
    """Checks whether the files of a reading have changed.

    Contents are compared, so a ConfigMap's swapped symlink is seen as well as an edit in place. A change is taken
    when two polls in a row have found the same content, so that a half-written file is not. ``read`` raises one
    of ``refusals`` for files that cannot be used.
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
        self._settling: Digests | None = None
        self._polls_refused: int | None = None

    def poll(self) -> Reloaded[Value] | ReloadRefused | None:
        """Check the files once; ``None`` where there is nothing new to report. Reads files."""
        now = digests_of(self._seen)
        if now == self._seen and not self._is_retry_due():
            self._settling = None
            return None
        if now not in (self._settling, self._seen):
            self._settling = now
            return None
        return self._take(now)

    def _take(self, now: Digests) -> Reloaded[Value] | ReloadRefused | None:
        known, self._settling = self._polls_refused is not None and now == self._seen, None
        try:
            reading = self._read()
        except self._refusals as error:
            self._seen, self._polls_refused = now, 0
            return None if known else ReloadRefused(problem=str(error))
        self._seen, self._polls_refused = reading.seen, None
        return Reloaded(value=reading.value)

    def _is_retry_due(self) -> bool:
        if self._polls_refused is None:
            return False
        self._polls_refused += 1
        return self._polls_refused >= _RETRY_POLLS


def digests_of(files: Iterable[Path]) -> Digests:
    """Return the digest of each of these files, as it is now."""
    return {file: _content(file) for file in files}


def _content(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
