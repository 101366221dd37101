"""A delay queue: keys that are due later. One heap, so that a burst of pods needs no timer or task each."""

import heapq
from datetime import datetime, timedelta
from typing import Generic, TypeVar

Key = TypeVar("Key", str, int, tuple[str, str])

_STALE_ALLOWED = 64
"""A changed time leaves its old heap entry behind; the heap is rebuilt when these outnumber the live ones by this."""


class DelayQueue(Generic[Key]):
    """One time for each key. Setting, clearing and taking cost the logarithm of what is waiting.

    ``farthest``: the longest delay anybody sets. A time that is further ahead was set before the clock was set back; it
    counts as due when it is the earliest.
    """

    def __init__(self, *, farthest: timedelta | None = None) -> None:
        self._farthest = farthest
        self._times: dict[Key, datetime] = {}
        self._heap: list[tuple[datetime, Key]] = []

    def __len__(self) -> int:
        return len(self._times)

    def set(self, key: Key, when: datetime | None) -> None:
        """The key is due then, instead of when it was due before; ``None`` is never."""
        if self._times.get(key) == when:
            return
        if when is None:
            del self._times[key]
        else:
            self._times[key] = when
            heapq.heappush(self._heap, (when, key))
        self._drop_stale()

    def take(self, now: datetime) -> list[Key]:
        """Remove and return the keys that are due, earliest first."""
        taken: list[Key] = []
        while self._heap and self._has_come(self._heap[0][0], now):
            when, key = heapq.heappop(self._heap)
            if self._times.get(key) == when:
                del self._times[key]
                taken.append(key)
        return taken

    def next(self) -> datetime | None:
        """When the first key is due."""
        while self._heap and self._times.get(self._heap[0][1]) != self._heap[0][0]:
            heapq.heappop(self._heap)
        return self._heap[0][0] if self._heap else None

    def _has_come(self, when: datetime, now: datetime) -> bool:
        return when <= now or (self._farthest is not None and when - now > self._farthest)

    def _drop_stale(self) -> None:
        if len(self._heap) > 2 * len(self._times) + _STALE_ALLOWED:
            self._heap = [entry for entry in self._heap if self._times.get(entry[1]) == entry[0]]
            heapq.heapify(self._heap)
