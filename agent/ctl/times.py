"""Times on the command line."""

import re
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final

from agent.console.exits import UsageError
from agent.console.terminal import visible

_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_AGO: Final = re.compile(r"([0-9]{1,6})([smhdw])")


BEGINNING: Final = "beginning"
"""How an option spells that there is no earliest time."""


def read_start(option: str, text: str, *, now: datetime) -> datetime | None:
    """The earliest time that an option names; ``None`` for the beginning. Raises UsageError."""
    return None if text == BEGINNING else read_time(option, text, now=now)


def read_time(option: str, text: str | None, *, now: datetime, zone: tzinfo | None = None) -> datetime | None:
    """The time that an option names. One without a zone is in ``zone``, or local time. Raises UsageError."""
    if text is None:
        return None
    try:
        if (ago := _AGO.fullmatch(text)) is not None:
            return now - timedelta(**{_UNITS[ago[2]]: int(ago[1])})
        given = datetime.fromisoformat(text)
        return (given.replace(tzinfo=zone) if given.tzinfo is None else given).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        shown = f"{option} {visible(text)}: not a time"
        raise UsageError(f"{shown}; write how long ago, as 30m, 2h or 1d, or a date, as 2026-11-01T14:00") from error
