"""The clock of the agent in a cluster: the time of the API server, estimated from its answers."""

import math
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from agent.process.clock import SteadyClock, elapsed_time, system_time
from agent.process.server_time import Estimate, Sample, combine, error

MOST_ERROR: Final = 5.0
"""Seconds by which the clock may differ from the server's; beyond that no pod is given up."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class ServerClock:
    """Starts at the server's time if that is known by then, else at the system's, and follows the server's time.

    The system's clock does not matter once the server's time is known: the clock advances by elapsed time. It never
    jumps. While it may be more than ``MOST_ERROR`` off, ``doubt`` says so, and nothing must be given up by it.
    """

    def __init__(
        self, *, system: Callable[[], datetime] = system_time, elapsed: Callable[[], float] = elapsed_time
    ) -> None:
        self._system = system
        self._elapsed = elapsed
        self._lock = threading.Lock()
        self._estimate: Estimate | None = None
        self._offset: float | None = None
        self._clock: SteadyClock | None = None

    def hear(self, *, sent: float, received: float, date: datetime) -> None:
        """Take the time of an answer, in whole seconds. ``sent`` and ``received`` are times of ``elapsed``."""
        said = (date - _EPOCH).total_seconds()
        with self._lock:
            self._estimate = combine(
                self._estimate, Sample(sent=sent, received=received, earliest=said, latest=said + 1)
            )
            if self._estimate.counts:
                interval = self._estimate.interval
                self._offset = interval.middle if self._offset is None else interval.closest_to(self._offset)

    def __call__(self) -> datetime:
        """In UTC."""
        clock = self._clock
        if clock is None:
            clock = self._start()
        return clock()

    def _start(self) -> SteadyClock:
        with self._lock:
            if self._clock is None:
                self._clock = SteadyClock(followed=self._followed, elapsed=self._elapsed)
            return self._clock

    @property
    def known(self) -> bool:
        """Whether the server's time is known well enough to set a clock by it."""
        estimate, at = self._estimate, self._elapsed()
        return estimate is not None and error(estimate, estimate.now(at).middle, elapsed=at) <= MOST_ERROR

    def heard_ago(self) -> float:
        """Seconds since the last answer that had a time; infinite before the first."""
        estimate = self._estimate
        return math.inf if estimate is None else self._elapsed() - estimate.at

    def error(self) -> float:
        """The most by which it may differ from the server's clock, in seconds; infinite if not known."""
        offset, at = self._reading()
        return error(self._estimate, offset, elapsed=at)

    def system_offset(self) -> timedelta:
        """By how much the system's clock is ahead."""
        return self._system() - self()

    def doubt(self) -> str | None:
        """Why nothing may be given up by this clock now; ``None`` if it is right."""
        seconds = self.error()
        if seconds <= MOST_ERROR:
            return None
        if math.isinf(seconds):
            return "the API server's time is not known: too few of its answers give a time on which they agree"
        return f"the agent's time may differ from the API server's by {seconds:.0f} s"

    def lag(self) -> float:
        """By how much it certainly differs from the server's clock, in seconds; 0 if it may be right."""
        estimate = self._estimate
        if estimate is None or not estimate.counts:
            return 0.0
        offset, at = self._reading()
        return abs(estimate.now(at).closest_to(offset) - offset)

    def _followed(self) -> datetime:
        """The server's time; before it is known for the first time, the system's."""
        offset = self._offset
        return self._system() if offset is None else _EPOCH + timedelta(seconds=self._elapsed() + offset)

    def _reading(self) -> tuple[float, float]:
        """The offset of this clock from elapsed time, and that time."""
        now = self()
        at = self._elapsed()
        return (now - _EPOCH).total_seconds() - at, at
