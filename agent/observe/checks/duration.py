"""Durations as Go writes them, which is how settings and Armada's messages have them."""

from datetime import timedelta

_MICROSECONDS = 1_000_000


def go_duration(length: timedelta) -> str:
    """``1m30s``, ``2h0m0s``, ``0.5s``; fractions of a second in seconds, where Go would change to ms."""
    whole, micro = divmod(length // timedelta(microseconds=1), _MICROSECONDS)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    rest = f"{seconds}.{micro:06d}".rstrip("0").rstrip(".") if micro else str(seconds)
    if hours:
        return f"{hours}h{minutes}m{rest}s"
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
