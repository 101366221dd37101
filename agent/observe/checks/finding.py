"""Finding: what a check made of a pod (reference/armada-today.md 1.4, 1.5)."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.failure import CheckFinding


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A check asks for something. ``message`` is why, in the words of the event, the container or the check."""

    finding: CheckFinding
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """No check asks for anything yet. ``until`` is when one may, though nothing is heard; ``None`` is never."""

    until: datetime | None = None


CheckResult = Found | Waiting
"""What the pending-pod checks make of a pod."""


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
