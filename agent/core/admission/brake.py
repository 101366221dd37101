"""The brake: stops all conditions for a while when a cluster gets more than it may.

A rule that is wrong, or a fault that repeats itself everywhere, must not make Jobs ignore failures without end. The
counts of the past are in slots, so that the memory does not grow with the limit. Times are seconds of a monotonic
clock.
"""

from typing import Final, NamedTuple

SLOTS: Final = 60
"""Into how many parts the window is divided: what counts is at most this part of a window older than the window."""


class BrakeLimits(NamedTuple):
    """At most this many pods within ``window``; one more stops everything for ``pause``."""

    at_most: int
    window: float
    pause: float


class Brake(NamedTuple):
    """How many pods got a condition lately: the start of each slot and its count, the oldest first.

    ``until`` is when conditions are given again, if the brake has stopped them.
    """

    slots: tuple[tuple[float, int], ...] = ()
    until: float | None = None

    def holds(self, now: float) -> bool:
        """Whether nothing is given now."""
        return self.until is not None and now < self.until

    def pulled(self, now: float, limits: BrakeLimits) -> "Brake":
        """The brake after one more pod that may get a condition: it is counted, or nothing is given from now on.

        After the pause the count starts again.
        """
        if self.holds(now):
            return self
        oldest = now - limits.window - limits.window / SLOTS
        recent = () if self.until is not None else tuple([slot for slot in self.slots if slot[0] > oldest])
        if sum(count for _, count in recent) >= limits.at_most:
            return Brake(until=now + limits.pause)
        if recent and now < recent[-1][0] + limits.window / SLOTS:
            start, count = recent[-1]
            return Brake(slots=(*recent[:-1], (start, count + 1)))
        return Brake(slots=(*recent, (now, 1)))
