"""Memo: a cache keyed by the identity of an object, for values that come again and again."""

from collections.abc import Callable
from typing import Generic, TypeVar

Source = TypeVar("Source")
Made = TypeVar("Made")

CAPACITY = 4096
"""How many results are kept before all are dropped: about as many as a cluster has nodes."""


class Memo(Generic[Source, Made]):
    """Calls ``make`` once for each source object. The same means the same object, not an equal one.

    For values only: neither source nor what is made of it may change.
    """

    def __init__(self, make: Callable[[Source], Made], *, capacity: int = CAPACITY) -> None:
        self._make = make
        self._capacity = capacity
        self._made: dict[int, tuple[Source, Made]] = {}

    def __call__(self, source: Source) -> Made:
        """The remembered result, else a new one."""
        known = self._made.get(id(source))
        if known is not None:
            return known[1]
        made = self._make(source)
        if len(self._made) >= self._capacity:
            self._made.clear()
        self._made[id(source)] = (source, made)  # holding the source keeps its id from being given to another
        return made
