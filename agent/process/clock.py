"""A clock that never goes back and never jumps, whatever happens to the clock that it follows."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

SLEW: Final = 0.05
"""How much faster or slower it runs, as a fraction, to return to the clock that it follows."""

STEP: Final = 0.001
"""Seconds for which it gives the same time: it is read for every change of a pod, and advancing it is the slow part."""


def system_time() -> datetime:
    return datetime.now(UTC)


def elapsed_time() -> float:
    """Seconds passed since some start, including those in which the machine was suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class SteadyClock:
    """Starts at the time of ``followed`` and advances by elapsed time; a jump of ``followed`` is slewed.

    If the followed clock jumps an hour forward, a pod that has waited a minute is not given up; if it jumps back,
    nothing waits an hour longer. The difference shrinks by at most a twentieth of the time that passes. A new process
    starts at the followed time. The clock advances in steps. Safe to use from several threads.
    """

    def __init__(
        self, *, followed: Callable[[], datetime] = system_time, elapsed: Callable[[], float] = elapsed_time
    ) -> None:
        self._followed = followed
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._now = followed()
        self._at = elapsed()

    def __call__(self) -> datetime:
        """In UTC."""
        with self._lock:
            return self._advance()

    def _advance(self) -> datetime:
        at = self._elapsed()
        if at - self._at < STEP:
            return self._now
        passed = timedelta(seconds=at - self._at)
        self._at = at
        offset = self._followed() - (self._now + passed)
        most = passed * SLEW
        self._now += passed + max(-most, min(most, offset))
        return self._now
