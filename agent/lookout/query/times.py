"""Times as people write them: RFC 3339 with a zone, how long ago, or ``beginning``."""

from datetime import UTC, datetime, timedelta
from typing import Final

from agent.settings.base import parse_duration

BEGINNING: Final = "beginning"
"""How people write the time before which nothing was stored."""

HINT: Final = "write a time with its zone, as 2026-11-26T12:00:00Z, or how long ago, as 24h"
EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
_LATEST: Final = datetime(9999, 1, 1, tzinfo=UTC)


def read_time(text: str, *, now: datetime) -> datetime:
    """The time in UTC. Raises ValueError, which says what to write."""
    if text == BEGINNING:
        return EARLIEST
    length = _read_ago(text)
    at = _read_written(text) if length is None else _before(now, length)
    if not EARLIEST <= at <= _LATEST:
        raise ValueError(f"{text!r} is before 1970 or after 9998; {HINT}")
    return at


def _read_ago(text: str) -> timedelta | None:
    try:
        return parse_duration(text)
    except (ValueError, OverflowError):
        return None


def _before(now: datetime, length: timedelta) -> datetime:
    try:
        return now - length
    except OverflowError:
        raise ValueError(f"that is before 1970; {HINT}") from None


def _read_written(text: str) -> datetime:
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        plus = "; in an address the + of a zone is written %2B" if " " in text else ""
        raise ValueError(f"{text!r} is not a time; {HINT}{plus}") from None
    if at.tzinfo is None or "T" not in text.upper():
        raise ValueError(f"{text!r} has no zone; {HINT}")
    try:
        return at.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{text!r} is before 1970 or after 9998; {HINT}") from None
