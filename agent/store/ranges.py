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
    for after, through in sorted((bounds[0], bounds[1]) for bounds in ranges):
        if found and after <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], through))
        else:
            found.append((after, through))
    return tuple(found)


def holes(ranges: Ranges) -> Ranges:
    """What is between the ranges."""
    return tuple((lower[1], upper[0]) for lower, upper in pairwise(ranges))


def overlap(first: Range, second: Range) -> bool:
    return first[0] < second[1] and second[0] < first[1]
