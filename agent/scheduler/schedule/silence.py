"""Which clusters are lost: silent for longer than their lease, by this process's monotonic clock. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

TOGETHER: Final = timedelta(minutes=5)
"""If the leases of several clusters run out within this time, something else is wrong than each of them."""
_PART: Final = 12
"""Of a lease that is short: within a twelfth of it."""


class Silence:
    """Since when this process has not heard of each cluster; it begins with having heard of all of them."""

    def __init__(self, *, now: float) -> None:
        self._began = now
        self._heard: dict[str, tuple[datetime, float]] = {}

    def hear(self, latest: Iterable[tuple[str, datetime]], *, now: float) -> None:
        """Take the time of the latest heartbeat of each cluster, as the store has it."""
        for cluster_id, at in latest:
            if cluster_id not in self._heard:
                self._heard[cluster_id] = (at, self._began)
            elif self._heard[cluster_id][0] != at:
                self._heard[cluster_id] = (at, now)

    def since(self, cluster_id: str, *, now: float) -> float:
        """Seconds since it was heard last."""
        return now - self._heard[cluster_id][1] if cluster_id in self._heard else now - self._began


@dataclass(frozen=True, slots=True, kw_only=True)
class Lost:
    """Clusters whose lease ran out, with the seconds since then, and those that are held because they are several."""

    lost: Mapping[str, float]
    held: frozenset[str]


def lost_clusters(silent: Mapping[str, float], *, lease: timedelta) -> Lost:
    """Which clusters are lost. ``silent`` has the seconds since each that has open runs was heard last.

    If the leases of two or more run out at almost the same time, none is lost.
    """
    most = lease.total_seconds()
    together = min(TOGETHER.total_seconds(), most / _PART)
    out = {cluster_id: seconds - most for cluster_id, seconds in silent.items() if seconds >= most}
    held = frozenset(
        cluster_id
        for cluster_id in out
        if any(
            other != cluster_id and abs(seconds - silent[cluster_id]) < together and seconds >= most - together
            for other, seconds in silent.items()
        )
    )
    return Lost(lost={cluster_id: over for cluster_id, over in out.items() if cluster_id not in held}, held=held)
