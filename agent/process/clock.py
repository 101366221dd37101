"""The clock the agent lives by: it never goes back and never leaps, whatever happens to the system's."""

import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from agent.telemetry import cluster_metrics as metrics

_log = structlog.get_logger(__name__)

SLEW: Final = 0.05
"""By how much faster or slower it goes to come back to the system's clock."""

_LOGGED_OFFSET: Final = timedelta(seconds=5)
"""A difference to the system's clock that is logged."""


def _system_time() -> datetime:
    return datetime.now(UTC)


def _elapsed() -> float:
    """Seconds that have passed, those in which the machine slept among them."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class SteadyClock:
    """Starts with the system's time and goes on by the time that passes; a leap of the system's clock is slewed.

    So a leap of an hour forward gives up no pod that has waited a minute, and one back makes nobody wait an hour.
    It comes back to the system's time by at most a twentieth of the time that passes; a new process begins there.
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
        """The time now, in UTC."""
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
                "the system's clock has jumped; times told drift back to it slowly, or with a restart at once",
                seconds=offset.total_seconds(),
            )
        self._jumped = jumped
