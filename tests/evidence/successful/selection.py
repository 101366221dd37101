"""Which lines of the logs are kept: distinct ones, and of no tool more than a share of all."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from agent.evaluate.successful import Log
from tests.evidence.successful.mask import distinct

SHARE: Final = 10
"""No tool has more than one in this many of all lines."""

_AROUND: Final = (-1, 1, 2, 3)
"""Which lines next to a problem that the run survived are kept even if they repeat."""

IsProblem = Callable[[Log, str], bool]


def select(found: Iterable[Log], *, most: int, is_problem: IsProblem = lambda _log, _line: False) -> tuple[Log, ...]:
    """Return the logs with the lines to keep, at most ``most`` a tool and at most its share; no empty log."""
    known: set[str] = set()
    logs = [replace(log, lines=tuple(_kept(log, known, is_problem))) for log in found]
    by_tool: dict[str, list[Log]] = defaultdict(list)
    for log in logs:
        by_tool[log.tool].append(log)
    limit = min(most, tool_limit({tool: sum(map(_size, of_tool)) for tool, of_tool in by_tool.items()}))
    kept = (log for of_tool in by_tool.values() for log in shortened(of_tool, limit))
    return tuple(log for log in kept if log.lines)


def tool_limit(counts: Mapping[str, int]) -> int:
    """Return the most lines that a tool may have so that it has at most its share; 0 if there are too few tools."""
    limit = max(counts.values(), default=0)
    while limit > (share := sum(min(count, limit) for count in counts.values()) // SHARE):
        limit = share
    return limit


def shortened(logs: Sequence[Log], limit: int) -> list[Log]:
    """Return logs with at most ``limit`` lines together: the long ones lose lines from their beginning."""
    most = even_limit([len(log.lines) for log in logs], limit)
    return [replace(log, lines=log.lines[max(0, len(log.lines) - most) :]) for log in logs]


def even_limit(sizes: Sequence[int], total: int) -> int:
    """Return the largest size to which each may be cut so that together they are at most ``total``."""
    left = total
    for number, size in enumerate(sorted(sizes)):
        share = left // (len(sizes) - number)
        if size > share:
            return share
        left -= size
    return max(sizes, default=0)


def _kept(log: Log, known: set[str], is_problem: IsProblem) -> Iterator[str]:
    """Yield the new lines of a log, and the neighbours of those that report a problem."""
    first = {line: number for number, line in reversed([*enumerate(log.lines)])}
    new = {first[line] for line in distinct(log.lines, known)}
    around = {number + step for number in new if is_problem(log, log.lines[number]) for step in _AROUND}
    for number, line in enumerate(log.lines):
        if number in new or number in around:
            yield line


def _size(log: Log) -> int:
    return len(log.lines)
