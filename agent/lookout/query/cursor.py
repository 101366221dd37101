"""Cursors: the place after which a page begins, which fits one question and no other.

A cursor has no secret and is not signed: it says nothing that the caller may not ask for.
"""

import binascii
import hashlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from agent.json_reader.reader import Reader
from agent.lookout.query.times import EARLIEST
from agent.store.records.naming import is_storable

_MICROSECOND: Final = timedelta(microseconds=1)
_MOST_MICROSECONDS: Final = (datetime(9999, 1, 1, tzinfo=UTC) - EARLIEST) // _MICROSECOND
_MOST_NUMBER: Final = 2**31 - 1
_LONGEST: Final = 8_192
_DIGITS: Final = 16

Key = str | int | datetime


@dataclass(frozen=True, slots=True)
class After:
    """The place of a row in its list, and the time at which the first page was asked for.

    Times such as ``24h`` are before that time on each page: otherwise pages would be of different questions.
    """

    keys: tuple[Key, ...]
    asked_at: datetime


class _At(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """A time in microseconds since 1970, to which stored times are exact."""

    microseconds: int


class _Written(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    question: str
    asked_at: _At
    keys: tuple[str | int | _At, ...]


_WRITTEN: Final = Reader(_Written)


def digest(question: Sequence[object]) -> str:
    """What tells one question from another."""
    return hashlib.sha256(msgspec.json.encode(question)).hexdigest()[:_DIGITS]


def encode(after: After, question: str) -> str:
    """The cursor of a place in the answer to the question with this digest."""
    keys = tuple(_at(key) if isinstance(key, datetime) else key for key in after.keys)
    written = _Written(question, _at(after.asked_at), keys)
    return urlsafe_b64encode(msgspec.json.encode(written)).decode().rstrip("=")


def asked_at(text: str) -> datetime:
    """When the first page was asked for. Raises ValueError for what is no cursor."""
    return _time(_read(text).asked_at)


def decode(text: str, question: str, kinds: Sequence[type]) -> After:
    """The place that a cursor names. Raises ValueError for what is no cursor, or another question's."""
    written = _read(text)
    if written.question != question:
        raise ValueError("the cursor is of another question; ask with the same parameters, or leave it out")
    keys = tuple(_key(key) for key in written.keys)
    if [type(key) for key in keys] != list(kinds):
        raise _no_cursor()
    return After(keys, _time(written.asked_at))


def _key(written: str | int | _At) -> Key:
    """The key, unless no database takes it: anybody can make up a cursor."""
    if isinstance(written, _At):
        return _time(written)
    fits = is_storable(written) if isinstance(written, str) else abs(written) <= _MOST_NUMBER
    if not fits:
        raise _no_cursor()
    return written


def _at(time: datetime) -> _At:
    return _At((time - EARLIEST) // _MICROSECOND)


def _time(at: _At) -> datetime:
    if not 0 <= at.microseconds <= _MOST_MICROSECONDS:
        raise _no_cursor()
    return EARLIEST + at.microseconds * _MICROSECOND


def _read(text: str) -> _Written:
    try:
        if len(text) > _LONGEST:
            raise _no_cursor()
        padded = text.encode("ascii") + b"=" * (-len(text) % 4)
        return _WRITTEN.decode(urlsafe_b64decode(padded))
    except (ValueError, binascii.Error, msgspec.MsgspecError) as error:
        raise _no_cursor() from error


def _no_cursor() -> ValueError:
    return ValueError("that is no cursor; write the `next` of the page before, whole")
