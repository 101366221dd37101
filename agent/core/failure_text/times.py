"""Times as text. The zone and the present are arguments."""

from datetime import datetime, timedelta, timezone, tzinfo

_AGES = ((86_400, "d"), (3_600, "h"), (60, "min"))
_UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
_MOMENT = timedelta(seconds=1)


def at(time: datetime, zone: tzinfo | None) -> str:
    """A time like ``2026-11-21 13:00:05 CET``; ``zone`` ``None`` is the local zone."""
    there = time.astimezone(zone)
    return f"{there:%Y-%m-%d %H:%M:%S} {zone_of(there)}"


def briefly_at(time: datetime, zone: tzinfo | None, *, now: datetime) -> str:
    """A time like ``13:00``, with its date unless that is today."""
    there, today = time.astimezone(zone), now.astimezone(zone).date()
    return f"{there:%H:%M}" if there.date() == today else f"{there:%Y-%m-%d %H:%M}"


def zone_of(time: datetime) -> str:
    """The zone of an aware time, like ``CET``, ``UTC`` or ``UTC+05:30``. Raises ValueError for a naive time."""
    name, offset = time.tzname(), time.utcoffset()
    if name is None or offset is None:
        raise ValueError("a time without a zone")
    return name if name[0].isalpha() else str(timezone(offset))


def relative(time: datetime, now: datetime) -> str:
    """``5 min ago``, ``in 2 h``, ``3 d ago``, ``now``: the largest unit, rounded down."""
    apart = abs(now - time)
    if apart < _MOMENT:
        return "now"
    return f"{age(apart)} ago" if time < now else f"in {age(apart)}"


def age(span: timedelta) -> str:
    """``3 d``, ``2 h``, ``5 min`` or ``40 s``: the largest unit, rounded down."""
    seconds = int(span.total_seconds())
    for size, unit in _AGES:
        if seconds >= size:
            return f"{seconds // size} {unit}"
    return f"{seconds} s"


def lasted(seconds: float) -> str:
    """Seconds like ``3d 4h``, ``2h 5m``, ``12m 3s`` or ``4s``."""
    left = int(seconds)
    parts: list[str] = []
    for unit, size in _UNITS:
        count, left = divmod(left, size)
        if count or parts:
            parts.append(f"{count}{unit}")
    return " ".join(parts[:2]) or "0s"
