"""Server time: how far a server's clock is ahead of our elapsed time, from what its answers say. Pure.

An answer that says ``t`` was written between the sending of its request and its receipt. At some moment in between the
server's clock was ``t``, which bounds the offset from two sides. The bounds of several answers are intersected. They
widen with time, because clocks drift. Answers that contradict each other begin the estimate again.

Our own wall clock is not used: if it jumps, the offset from elapsed time stays the same.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

DRIFT: Final = 1e-3
"""How much faster or slower one clock may run than the other: twice what NTP slews by at most (500 ppm)."""

TOLERANCE: Final = 0.5
"""Seconds by which the clock of one replica of the server may differ from what their clocks show together."""

AGREEING: Final = 3
"""Answers that must agree before the estimate counts: a single one may come from a cache or a proxy."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One answer: when its request was sent and when it arrived, in seconds of our elapsed time.

    ``earliest`` and ``latest`` bound the server's clock when it wrote the answer, in Unix seconds.
    """

    sent: float
    received: float
    earliest: float
    latest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The offset of the server's clock, in seconds: its Unix time minus our elapsed time."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2

    def farthest(self, offset: float) -> float:
        """The most by which this offset may be wrong."""
        return max(abs(self.high - offset), abs(offset - self.low))

    def closest_to(self, offset: float) -> float:
        """The offset in the interval that differs least from this one."""
        return min(max(offset, self.low), self.high)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The ``interval`` as of ``at``, in elapsed seconds, and the number of answers that agreed on it in a row."""

    interval: Interval
    at: float
    agreed: int

    @property
    def counts(self) -> bool:
        """Whether enough answers agree."""
        return self.agreed >= AGREEING

    def now(self, elapsed: float) -> Interval:
        """The interval at a later time."""
        drifted = DRIFT * max(0.0, elapsed - self.at)
        return Interval(low=self.interval.low - drifted, high=self.interval.high + drifted)


def combine(estimate: Estimate | None, sample: Sample) -> Estimate:
    """The estimate with one more answer. An answer that contradicts it begins it again."""
    found = _interval(sample)
    if estimate is None:
        return Estimate(interval=found, at=sample.received, agreed=1)
    at = max(estimate.at, sample.received)
    known = estimate.now(at)
    drifted = DRIFT * (at - sample.received)
    low, high = max(known.low, found.low - drifted), min(known.high, found.high + drifted)
    if low > high:
        return Estimate(interval=found, at=sample.received, agreed=1)
    return replace(estimate, interval=Interval(low=low, high=high), at=at, agreed=estimate.agreed + 1)


def _interval(sample: Sample) -> Interval:
    """What one answer says about the offset at the time it was received."""
    drifted = DRIFT * (sample.received - sample.sent)
    return Interval(
        low=sample.earliest - sample.received - drifted - TOLERANCE,
        high=sample.latest - sample.sent + drifted + TOLERANCE,
    )


def error(estimate: Estimate | None, offset: float, *, elapsed: float) -> float:
    """The most by which a clock with this offset may differ from the server's, in seconds; infinite if not known."""
    if estimate is None or not estimate.counts:
        return math.inf
    return estimate.now(elapsed).farthest(offset)
