"""A clock that never goes back and never jumps, whatever happens to the system's clock."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

SLEW: Final = 0.05
"""How much faster or slower it runs, as a fraction, to return to the system's clock."""

_LOGGED_OFFSET: Final = timedelta(seconds=5)
"""An offset from the system's clock that is logged."""


def _system_time() -> datetime:
    return datetime.now(UTC)


def _elapsed() -> float:
    """Seconds passed since some start, including those in which the machine was suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class SteadyClock:
    """Starts at the system's time and advances by elapsed time; a jump of the system's clock is slewed.

    So after a jump of an hour forward no pod that has waited a minute is given up, and after one back nothing waits for
    an hour. It returns to the system's time by at most a twentieth of the time that passes; a new process starts there.
    Safe to use from several threads.
    """

    def __init__(
        self, *, system: Callable[[], datetime] = _system_time, elapsed: Callable[[], float] = _elapsed
    ) -> None:
        self._system = system
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._now = system()
        self._at = elapsed()
        self._jumped = False

    def __call__(self) -> datetime:
        """In UTC."""
        with self._lock:
            return self._advance()

    def _advance(self) -> datetime:
        at = self._elapsed()
        passed = timedelta(seconds=max(0.0, at - self._at))
        self._at = max(at, self._at)
        offset = self._system() - (self._now + passed)
        most = passed * SLEW
        self._now += passed + max(-most, min(most, offset))
        self._report_offset(offset)
        return self._now

    def _report_offset(self, offset: timedelta) -> None:
        metrics.CLOCK_OFFSET_SECONDS.set(offset.total_seconds())
        jumped = abs(offset) >= _LOGGED_OFFSET
        if jumped and not self._jumped:
            _log.error(
                "the system clock jumped; reported times return to it slowly, or at once after a restart",
                seconds=offset.total_seconds(),
            )
        self._jumped = jumped
