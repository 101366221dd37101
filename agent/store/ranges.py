"""Sets of numbers as ranges. Pure."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

Range = tuple[int, int]
"""The numbers above the first, up to the second: ``(after, through)``."""

Ranges = tuple[Range, ...]
"""Apart from each other, lowest first."""


def joined(ranges: Iterable[Sequence[int]]) -> Ranges:
    """The same numbers in as few ranges as there can be."""
    found: list[Range] = []
    for after, through in sorted((each[0], each[1]) for each in ranges):
        if found and after <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], through))
        else:
            found.append((after, through))
    return tuple(found)


def holes(ranges: Ranges) -> Ranges:
    """What is between the ranges."""
    return tuple((lower[1], upper[0]) for lower, upper in pairwise(ranges))


def overlap(one: Range, other: Range) -> bool:
    return one[0] < other[1] and other[0] < one[1]
