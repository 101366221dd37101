"""Times as Kubernetes writes them."""

from collections.abc import Callable
from datetime import UTC, datetime

Now = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def stamp(at: datetime) -> str:
    """RFC 3339 in UTC to the second, as metav1.Time."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def micro_stamp(at: datetime) -> str:
    """RFC 3339 in UTC to the microsecond, as metav1.MicroTime."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def milliseconds(at: datetime) -> int:
    """Unix time in milliseconds."""
    return round(at.timestamp() * 1000)
