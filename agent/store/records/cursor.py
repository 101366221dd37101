"""Where a list goes on: an opaque text that fits one question and no other."""

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import msgspec

from agent.json_reader.reader import Reader
from agent.store.records.filters import AnyFilter, BadQuestion, Part

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_LONGEST = 4_096


@dataclass(frozen=True, slots=True)
class Key:
    """The place of a record in its list; ``value`` is that of the column by which it is sorted, if not by its time."""

    at: datetime
    id: str
    value: str | int | None = None


class _Written(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """``at`` in microseconds since 1970, to which stored times are exact."""

    question: str
    at: int
    id: str
    value: str | int | None = None


_WRITTEN = Reader(_Written)


def encode(key: Key, wanted: AnyFilter, part: Part) -> str:
    """A cursor after ``key`` in the answer to a question."""
    written = _Written(_digest(wanted, part), (key.at - _EPOCH) // _MICROSECOND, key.id, key.value)
    return urlsafe_b64encode(msgspec.json.encode(written)).decode().rstrip("=")


def decode(wanted: AnyFilter, part: Part) -> Key | None:
    """The key after which a part begins. Raises BadQuestion for what is no cursor, or another question's."""
    if part.after is None:
        return None
    try:
        written = _read(part.after)
        key = Key(_EPOCH + written.at * _MICROSECOND, written.id, written.value)
    except (ValueError, OverflowError, binascii.Error, msgspec.MsgspecError) as error:
        raise BadQuestion("not a cursor: give what was printed after the last page, whole") from error
    if written.question != _digest(wanted, part):
        raise BadQuestion("the cursor is of another question: ask with the same filters and times")
    return key


def _read(text: str) -> _Written:
    if len(text) > _LONGEST:
        raise ValueError("too long")
    padded = text.encode("ascii") + b"=" * (-len(text) % 4)
    return _WRITTEN.decode(urlsafe_b64decode(padded))


def _digest(wanted: AnyFilter, part: Part) -> str:
    question = (type(wanted).__name__, msgspec.to_builtins(wanted), part.since, part.until, part.sort)
    return hashlib.sha256(msgspec.json.encode(question)).hexdigest()[:12]
