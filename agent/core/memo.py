"""Memo: a cache keyed by the identity of an object, for values that are used repeatedly."""

from collections.abc import Callable
from typing import TypeVar

Source = TypeVar("Source")
Made = TypeVar("Made")

CAPACITY = 4096
"""How many results are kept before all are dropped: about the number of nodes in a cluster."""


def keep_last(make: Callable[[Source], Made]) -> Callable[[Source], Made]:
    """``make``, called once for a source object that is given several times in a row. For values only, as ``memo``."""
    kept: tuple[object, Made] | None = None  # one value, which threads replace as a whole

    def remember(source: Source) -> Made:
        nonlocal kept
        last = kept
        if last is not None and last[0] is source:
            return last[1]
        result = make(source)
        kept = (source, result)
        return result

    return remember


def memo(make: Callable[[Source], Made], *, capacity: int = CAPACITY) -> Callable[[Source], Made]:
    """``make``, called once for each source object. The same means the same object, not an equal one.

    For values only: neither the source nor the result may change.
    """
    made: dict[int, tuple[Source, Made]] = {}
    known = made.get

    def remember(source: Source) -> Made:
        found = known(id(source))
        if found is not None:
            return found[1]
        result = make(source)
        if len(made) >= capacity:
            made.clear()
        made[id(source)] = (source, result)  # holding the source keeps its id from being given to another
        return result

    return remember
