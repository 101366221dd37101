"""The delay before a retry: three levels, the most specific wins field by field (seed, "Backoff")."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from agent.core.retry.policy import Backoff

LONGEST = timedelta(days=365)
"""No delay is longer, also where no ``maxDelay`` is written; without it an exponent leaves the calendar."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """A delay and its arithmetic: ``min(initial * multiplier ** (number - 1), maximum)``, in seconds.

    ``grown`` is the product before the maximum; ``None`` where no float holds it. ``grace_seconds`` is the
    termination grace period the delay was raised to, ``None`` where there was none to wait for.
    """

    number: int
    initial_seconds: float
    multiplier: float
    maximum_seconds: float
    grown_seconds: float | None
    backoff_seconds: float
    grace_seconds: float | None = None
    seconds: float

    @property
    def duration(self) -> timedelta:
        """The delay."""
        return timedelta(seconds=self.seconds)


def resolve(levels: Sequence[Backoff]) -> Backoff:
    """One backoff of several, the most specific first; a field no level has stays ``None``."""
    return Backoff(
        initial=next((level.initial for level in levels if level.initial is not None), None),
        maximum=next((level.maximum for level in levels if level.maximum is not None), None),
        multiplier=next((level.multiplier for level in levels if level.multiplier is not None), None),
    )


def delay(backoff: Backoff, *, number: int, grace: timedelta | None) -> Delay:
    """The delay before retry ``number`` of its rule, from 1; at least ``grace``, where there is one to wait for.

    No initial delay is 0, no multiplier is 1, no maximum is LONGEST.
    """
    initial = (backoff.initial or timedelta(0)).total_seconds()
    multiplier = 1.0 if backoff.multiplier is None else backoff.multiplier
    maximum = min(LONGEST if backoff.maximum is None else backoff.maximum, LONGEST).total_seconds()
    grown = _grown(initial, multiplier, number - 1)
    bounded = maximum if grown is None else min(grown, maximum)
    grace_seconds = None if grace is None else grace.total_seconds()
    return Delay(
        number=number,
        initial_seconds=initial,
        multiplier=multiplier,
        maximum_seconds=maximum,
        grown_seconds=grown,
        backoff_seconds=bounded,
        grace_seconds=grace_seconds,
        seconds=bounded if grace_seconds is None else max(bounded, grace_seconds),
    )


def _grown(initial: float, multiplier: float, exponent: int) -> float | None:
    if initial == 0:
        return 0.0
    try:
        grown = initial * multiplier**exponent
    except OverflowError:
        return None
    return grown if math.isfinite(grown) else None
