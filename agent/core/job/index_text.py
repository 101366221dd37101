"""Validation of index lists, as by the API server (``validateIndexesFormat``)."""

from agent.core.job.field_error import quoted
from agent.core.job.indexes import read_number

_MOST_PARTS = 2


class IndexTextError(Exception):
    """An index list that the API server refuses; the text is the server's message."""


def count_indexes(text: str, *, completions: int) -> int:
    """Return the number of indexes in a list. Raises IndexTextError."""
    total, previous = 0, None
    for part in text.split(",") if text else ():
        first, last = _interval(part, completions)
        if previous is not None and previous >= first:
            raise IndexTextError(f"non-increasing order, previous: {previous}, current: {first}")
        total += last - first + 1
        previous = last
    return total


def overlap_at(completed: str, failed: str, *, completions: int) -> int | None:
    """Return the first index that is in both lists; invalid parts are ignored."""
    if not completed or not failed:
        return None
    done, lost = _readable(completed, completions), _readable(failed, completions)
    in_done = in_lost = 0
    while in_done < len(done) and in_lost < len(lost):
        (first, last), (begin, end) = done[in_done], lost[in_lost]
        if first <= end and begin <= last:
            return max(first, begin)
        if first <= begin:
            in_done += 1
        else:
            in_lost += 1
    return None


def _readable(text: str, completions: int) -> list[tuple[int, int]]:
    found = []
    for part in text.split(","):
        try:
            found.append(_interval(part, completions))
        except IndexTextError:
            continue
    return found


def _interval(part: str, completions: int) -> tuple[int, int]:
    limits = part.split("-")
    if len(limits) > _MOST_PARTS:
        rule = "violates the requirement that an index interval can have at most two parts separated by '-'"
        raise IndexTextError(f"the fragment {quoted(part)} {rule}")
    first = _index(limits[0], completions)
    if len(limits) == 1:
        return first, first
    last = _index(limits[1], completions)
    if first >= last:
        raise IndexTextError(f"non-increasing order, previous: {first}, current: {last}")
    return first, last


def _index(text: str, completions: int) -> int:
    index = read_number(text)
    if index is None:
        raise IndexTextError(f"cannot convert string to integer for index: {quoted(text)}")
    if index >= completions:
        raise IndexTextError(f"too large index: {quoted(text)}")
    return index
