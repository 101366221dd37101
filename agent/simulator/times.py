"""Times of a simulated cluster: its clocks, times as Kubernetes writes them, and durations as people do."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

Now = Callable[[], datetime]


def utc_now() -> datetime:
    return datetime.now(UTC)


def stamp(at: datetime) -> str:
    """RFC 3339 in UTC to the second, as metav1.Time."""
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def milliseconds(at: datetime) -> int:
    """Unix time in milliseconds."""
    return round(at.timestamp() * 1000)


_DIFFERENT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The server's clock is ``skew`` ahead of this machine's, and those of nodes at most ``spread`` off the server's.

    There are ten different ones, evenly from ``spread`` behind to ``spread`` ahead, by the last digit of a node's name.
    """

    skew: timedelta = timedelta(0)
    spread: timedelta = timedelta(0)

    def server(self) -> datetime:
        return utc_now() + self.skew

    def node(self, name: str) -> datetime:
        """The time on this node; the server's for ``""``, as a pod without a node has it."""
        if not name[-1:].isdecimal():
            return self.server()
        return self.server() + self.spread * (2 * int(name[-1]) / (_DIFFERENT - 1) - 1)


Seconds = float

_UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h)")


def seconds(text: str) -> Seconds:
    """Read ``500ms``, ``2s``, ``1.5m`` or ``1h``. Raises ValueError."""
    match = _DURATION.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"{text!r} is no duration: write a number and ms, s, m or h, as 500ms or 2s")
    return float(match[1]) * _UNITS[match[2]]
