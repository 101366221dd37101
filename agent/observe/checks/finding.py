"""What a check of settings finds in a pod."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.failure import CheckFinding

_MICROSECONDS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A check matched. ``message`` says why, in the words of the event, the container or the check."""

    finding: CheckFinding
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """No check matches yet. ``until`` is when one may even if nothing changes; ``None`` is never."""

    until: datetime | None = None


CheckResult = Found | Waiting
"""What the pending-pod checks find in a pod, or until when they find nothing."""


def go_duration(length: timedelta) -> str:
    """The duration as Go prints it: ``1m30s``, ``2h0m0s``; but ``0.5s`` where Go prints ``500ms``."""
    whole, micro = divmod(length // timedelta(microseconds=1), _MICROSECONDS)
    minutes, seconds = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    rest = f"{seconds}.{micro:06d}".rstrip("0").rstrip(".") if micro else str(seconds)
    if hours:
        return f"{hours}h{minutes}m{rest}s"
    return f"{minutes}m{rest}s" if minutes else f"{rest}s"
