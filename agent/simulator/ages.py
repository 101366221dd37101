"""How long ago something was, as kubectl shows it (apimachinery: pkg/util/duration)."""

from datetime import datetime, timedelta
from typing import Final

UNKNOWN: Final = "<unknown>"
_MINUTE: Final = 60
_HOUR: Final = 60 * _MINUTE
_DAY: Final = 24 * _HOUR
_YEAR: Final = 365 * _DAY


def age(stamp: object, now: datetime) -> str:
    """The time since a timestamp of the API, as ``5m12s``; ``<unknown>`` if there is none."""
    if not isinstance(stamp, str) or not stamp:
        return UNKNOWN
    return human(now - datetime.fromisoformat(stamp))


def human(passed: timedelta) -> str:
    """A duration with at most two units, so that it stays short. Clocks may differ by a second."""
    seconds = int(passed.total_seconds())
    for below, large, small in (
        (2 * _MINUTE, (1, "s"), None),
        (10 * _MINUTE, (_MINUTE, "m"), (1, "s")),
        (3 * _HOUR, (_MINUTE, "m"), None),
        (8 * _HOUR, (_HOUR, "h"), (_MINUTE, "m")),
        (2 * _DAY, (_HOUR, "h"), None),
        (8 * _DAY, (_DAY, "d"), (_HOUR, "h")),
        (2 * _YEAR, (_DAY, "d"), None),
        (8 * _YEAR, (_YEAR, "y"), (_DAY, "d")),
    ):
        if seconds < below:
            return _written(seconds, large, small)
    return f"{seconds // _YEAR}y"


def _written(seconds: int, large: tuple[int, str], small: tuple[int, str] | None) -> str:
    if seconds < 0:
        return "0s" if seconds == -1 else "<invalid>"
    whole, rest = divmod(seconds, large[0])
    less = 0 if small is None else rest // small[0]
    return f"{whole}{large[1]}" + (f"{less}{small[1]}" if small is not None and less else "")
