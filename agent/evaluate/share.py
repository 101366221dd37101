"""A share of cases, with the interval in which the true share probably lies."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.959963984540054
"""The 97.5 % point of the normal distribution: intervals of 95 %."""

_DRAWS = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """``count`` of ``of`` cases; ``low`` and ``high`` bound the true share with 95 % confidence.

    Wilson's score interval; for a count of 0 the upper bound is the rule of three, 3/n.
    """

    count: int
    of: int
    share: float
    low: float
    high: float

    def __str__(self) -> str:
        """As ``86.0% (83-89)``, a count of 0 with its upper bound, as ``0 of 132 (<2.3%)``."""
        if not self.of:
            return "no case"
        if not self.count:
            return f"0 of {self.of} (<{self.high:.1%})"
        return f"{self.share:.1%} ({100 * self.low:.0f}-{100 * self.high:.0f})"


def share(truths: Sequence[bool]) -> Share:
    """The share of those that are true; with no case at all, the interval is everything."""
    count, of = sum(truths), len(truths)
    if not of:
        return Share(count=0, of=0, share=0.0, low=0.0, high=1.0)
    if not count:
        return Share(count=0, of=of, share=0.0, low=0.0, high=min(1.0, 3 / of))
    low, high = _wilson(count, of)
    return Share(count=count, of=of, share=count / of, low=low, high=high)


def _wilson(count: int, of: int) -> tuple[float, float]:
    part, square = count / of, _Z * _Z
    middle = (part + square / (2 * of)) / (1 + square / of)
    half = _Z / (1 + square / of) * math.sqrt(part * (1 - part) / of + square / (4 * of * of))
    high = 1.0 if count == of else middle + half  # if all are true, the sum is 1 except for rounding
    return max(0.0, middle - half), min(1.0, high)


def grouped_share(groups: Sequence[Sequence[bool]], *, seed: int) -> Share:
    """The share over all groups; the interval is bootstrapped over groups, whose cases depend on one another.

    The same seed gives the same interval.
    """
    filled = [group for group in groups if group]
    every = [truth for group in filled for truth in group]
    if len(filled) < 2 or len(set(every)) == 1:  # noqa: PLR2004 - one group, or equal ones, cannot show how groups differ
        return share(every)
    draw = random.Random(seed)  # noqa: S311 - draws samples, guards nothing
    shares = sorted(_resampled(filled, draw) for _ in range(_DRAWS))
    low, high = shares[round(_DRAWS * 0.025)], shares[round(_DRAWS * 0.975) - 1]
    return Share(count=sum(every), of=len(every), share=sum(every) / len(every), low=low, high=high)


def _resampled(groups: Sequence[Sequence[bool]], draw: random.Random) -> float:
    drawn = draw.choices(groups, k=len(groups))
    return sum(map(sum, drawn)) / sum(map(len, drawn))
