"""Sets of indexes as intervals, and their text form: ``0,2-5`` (indexed_job_utils.go)."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator

_INT64 = 2**63
_MOST_DIGITS = 19
"""Digits of a 64-bit number at most; a longer text is not converted."""


class IndexSet:
    """Indexes as ordered intervals that neither touch nor overlap. Adding one costs a binary search."""

    __slots__ = ("_first", "_last", "_total")

    def __init__(self, intervals: Iterable[tuple[int, int]] = ()) -> None:
        self._first: list[int] = []
        self._last: list[int] = []
        self._total = 0
        for first, last in intervals:
            self.add_interval(first, last)

    def __len__(self) -> int:
        return self._total

    def __bool__(self) -> bool:
        return self._total > 0

    def __contains__(self, index: object) -> bool:
        if not isinstance(index, int):
            return False
        at = bisect_right(self._first, index) - 1
        return at >= 0 and self._last[at] >= index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IndexSet) and (self._first, self._last) == (other._first, other._last)

    __hash__ = None  # type: ignore[assignment]  # a set that changes has no hash

    def __str__(self) -> str:
        return ",".join(_written(first, last) for first, last in self.intervals())

    def intervals(self) -> Iterator[tuple[int, int]]:
        """Yield the first and last index of each interval, ascending."""
        return zip(self._first, self._last, strict=True)

    def copy(self) -> "IndexSet":
        """Return an independent set with the same indexes."""
        made = IndexSet()
        made._first, made._last, made._total = [*self._first], [*self._last], self._total
        return made

    def add(self, index: int) -> bool:
        """Add one index; return whether it is new."""
        before = self._total
        self.add_interval(index, index)
        return self._total > before

    def add_interval(self, first: int, last: int) -> None:
        """Add ``first`` to ``last``, both included; merges what then touches."""
        low = bisect_left(self._last, first - 1)
        high = bisect_right(self._first, last + 1)
        if low < high:
            first, last = min(first, self._first[low]), max(last, self._last[high - 1])
            self._total -= sum(self._last[at] - self._first[at] + 1 for at in range(low, high))
        self._first[low:high], self._last[low:high] = [first], [last]
        self._total += last - first + 1

    def discard(self, index: int) -> None:
        """Remove one index, if present."""
        at = bisect_right(self._first, index) - 1
        if at < 0 or self._last[at] < index:
            return
        first, last = self._first[at], self._last[at]
        parts = [part for part in ((first, index - 1), (index + 1, last)) if part[0] <= part[1]]
        self._first[at : at + 1] = [part[0] for part in parts]
        self._last[at : at + 1] = [part[1] for part in parts]
        self._total -= 1

    def gaps(self, end: int) -> Iterator[int]:
        """Yield the indexes below ``end`` that are not in the set, ascending."""
        candidate = 0
        for first, last in self.intervals():
            yield from range(candidate, min(first, end))
            candidate = last + 1
        yield from range(candidate, end)

    def overlap(self, other: "IndexSet") -> int:
        """Return how many indexes are in both."""
        mine, theirs = [*self.intervals()], [*other.intervals()]
        shared, at, their_at = 0, 0, 0
        while at < len(mine) and their_at < len(theirs):
            (first, last), (begin, end) = mine[at], theirs[their_at]
            shared += max(0, min(last, end) - max(first, begin) + 1)
            if last < end:
                at += 1
            else:
                their_at += 1
        return shared


def parse(text: str, *, completions: int) -> IndexSet:
    """Parse a list as the Job controller does.

    Invalid parts are skipped, the first part that starts beyond ``completions`` ends the list, and the end of an
    interval is clamped. If parts overlap or are out of order, which the API server refuses, the result is their union
    (docs/jobs.md).
    """
    found = IndexSet()
    for part in text.split(",") if text else ():
        limits = part.split("-")
        first = read_number(limits[0])
        if first is None:
            continue
        if first >= completions:
            break
        last = first if len(limits) == 1 else read_number(limits[1])
        if last is not None and min(last, completions - 1) >= first:
            found.add_interval(first, min(last, completions - 1))
    return found


def _written(first: int, last: int) -> str:
    if first == last:
        return str(first)
    return f"{first},{last}" if last == first + 1 else f"{first}-{last}"


def read_number(text: str) -> int | None:
    """Parse a number like Go's Atoi: 64 bits; ``None`` for an invalid text."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    significant = digits.lstrip("0")
    if not (digits.isascii() and digits.isdigit()) or len(significant) > _MOST_DIGITS:
        return None
    number = int(significant or "0") * (-1 if text[0] == "-" else 1)
    return number if -_INT64 <= number < _INT64 else None
