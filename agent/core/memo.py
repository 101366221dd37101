"""Memo: what was made of an object, for as long as the same object comes again."""

from collections.abc import Callable
from typing import Generic, TypeVar

Source = TypeVar("Source")
Made = TypeVar("Made")

CAPACITY = 4096
"""How many are remembered before all are forgotten; a cluster's nodes, give or take."""


class Memo(Generic[Source, Made]):
    """Calls ``make`` once for each source object. The same means the same object, not an equal one.

    For values only: neither source nor what is made of it may change.
    """

    def __init__(self, make: Callable[[Source], Made], *, capacity: int = CAPACITY) -> None:
        self._make = make
        self._capacity = capacity
        self._made: dict[int, tuple[Source, Made]] = {}

    def __call__(self, source: Source) -> Made:
        """What was made of it, or is made now."""
        known = self._made.get(id(source))
        if known is not None:
            return known[1]
        made = self._make(source)
        if len(self._made) >= self._capacity:
            self._made.clear()
        self._made[id(source)] = (source, made)  # holding the source keeps its id from being given to another
        return made
