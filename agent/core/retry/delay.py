"""A delay before a retry, as a value. ``backoff`` computes it."""

from datetime import timedelta

from msgspec import Struct

LONGEST = timedelta(days=365)
"""No delay is longer, even without a ``maxDelay``: an exponential delay would otherwise exceed what a date can hold."""


class Delay(Struct, frozen=True, kw_only=True):
    """A delay and its arithmetic: ``min(initial * multiplier ** (number - 1), maximum)``, in seconds.

    ``grown`` is the product before the maximum; ``None`` if it exceeds a float. ``jitter`` is the largest random share
    to subtract, ``jitter_seconds`` what was subtracted. ``reset`` says that the run lasted long enough to reset the
    delays. ``grace_seconds`` is the termination grace period that the delay was raised to, ``None`` if there was none
    to wait for.
    """

    number: int
    initial_seconds: float
    multiplier: float
    maximum_seconds: float
    grown_seconds: float | None
    backoff_seconds: float
    jitter: float = 0.0
    jitter_seconds: float = 0.0
    reset: bool = False
    grace_seconds: float | None = None
    seconds: float

    @property
    def duration(self) -> timedelta:
        return timedelta(0, self.seconds)
