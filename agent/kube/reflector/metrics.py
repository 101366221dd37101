"""What reflectors count, and how it becomes metrics."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from prometheus_client import Counter as Metric

from agent.telemetry import cluster_metrics as metrics


@dataclass(slots=True)
class ReflectorStats:
    """What a reflector did so far.

    ``lists`` are begun, streamed ones too; ``watches`` are requests, so that a streamed list is one of each.
    ``last_heard`` is in seconds of its clock, ``None`` before the first answer; ``sync_seconds`` is what the last whole
    list took, ``None`` before the first.
    """

    lists: int = 0
    watches: int = 0
    gone: int = 0
    errors: int = 0
    forbidden: int = 0
    bad: int = 0
    bookmarks: int = 0
    changes: int = 0
    last_heard: float | None = None
    sync_seconds: float | None = None


_COUNTED: Final[tuple[tuple[str, Metric], ...]] = (
    ("lists", metrics.REFLECTOR_LISTS),
    ("watches", metrics.REFLECTOR_WATCHES),
    ("gone", metrics.REFLECTOR_GONE),
    ("errors", metrics.REFLECTOR_RECONNECTS),
    ("forbidden", metrics.REFLECTOR_FORBIDDEN),
    ("bookmarks", metrics.REFLECTOR_BOOKMARKS),
    ("bad", metrics.BAD_OBJECTS),
)


class ReflectorMetrics:
    """Adds to the metrics what reflectors counted since the last call.

    Reflectors count in plain attributes, so that no change of an object has to take the lock of a metric.
    """

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()

    def measure(self, kind: str, stats: Sequence[ReflectorStats], *, objects: int, now: float) -> None:
        """Take the stats of all reflectors of a kind; ``now`` is on their clock. Of times, the longest counts.

        ``objects``: how many their caches hold.
        """
        metrics.REFLECTOR_OBJECTS.labels(kind).set(objects)
        for name, metric in _COUNTED:
            total = sum(getattr(reflector, name) for reflector in stats)
            metric.labels(kind).inc(total - self._counts[kind, name])
            self._counts[kind, name] = total
        silent = [now - reflector.last_heard for reflector in stats if reflector.last_heard is not None]
        metrics.REFLECTOR_SILENT_SECONDS.labels(kind).set(max(silent, default=0.0))
        took = [reflector.sync_seconds for reflector in stats if reflector.sync_seconds is not None]
        metrics.REFLECTOR_SYNC_SECONDS.labels(kind).set(max(took, default=0.0))
