"""Rates of failures that may be compared: how often at least, given how few runs were seen."""

import math
from typing import Final

_DEVIATIONS: Final = 1.959963984540054
"""Of a normal distribution, between which and its opposite 95 % lie."""


def lower_bound(failures: int, runs: int) -> float:
    """The least rate that would still explain so many failures, with a confidence of 97.5 % (Wilson's score interval).

    Without it a node whose only run failed would be the worst.
    """
    if runs == 0:
        return 0.0
    rate, square = failures / runs, _DEVIATIONS**2
    middle = rate + square / (2 * runs)
    spread = _DEVIATIONS * math.sqrt((rate * (1 - rate) + square / (4 * runs)) / runs)
    return max(0.0, (middle - spread) / (1 + square / runs))
