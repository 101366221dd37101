"""Counts of records by their columns, nested: the interface and its results. No database here."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from msgspec import Struct

Value = str | int | None
"""A value of a column; ``None`` where a record has none."""

ROWS: Final = "rows"
"""What is counted: the records themselves. A Lookout may count ``rollups`` instead."""


class Group(Struct, frozen=True, kw_only=True):
    """Records with one value of a column, by the columns below, the most frequent first.

    ``left_out``: groups below that are not listed, because there are more than were asked for.
    """

    value: Value
    count: int
    groups: tuple["Group", ...] = ()
    left_out: int = 0


class Counts(Struct, frozen=True, kw_only=True):
    """All records that fit, by the first column of ``by`` and so on.

    ``since`` and ``until`` bound what was counted, ``None`` where nothing does; ``base`` is what was counted.
    """

    by: tuple[str, ...]
    count: int
    groups: tuple[Group, ...]
    left_out: int = 0
    since: datetime | None = None
    until: datetime | None = None
    base: str = ROWS


class _Tally:
    """Records that are counted, and the same by the values of the next column."""

    def __init__(self) -> None:
        self.count = 0
        self.below: dict[Value, _Tally] = {}

    def add(self, values: Sequence[Value], count: int) -> None:
        self.count += count
        if values:
            self.below.setdefault(values[0], _Tally()).add(values[1:], count)

    def groups(self, limit: int) -> tuple[Group, ...]:
        ranked = sorted(self.below.items(), key=lambda group: (-group[1].count, str(group[0])))
        return tuple(
            Group(value=value, count=tally.count, groups=tally.groups(limit), left_out=max(len(tally.below) - limit, 0))
            for value, tally in ranked[:limit]
        )


def nested(
    rows: Iterable[tuple[Sequence[Value], int]],
    by: tuple[str, ...],
    *,
    limit: int,
    since: datetime | None,
    until: datetime | None,
) -> Counts:
    """Counts of the values of all columns together, as groups: at most ``limit`` on each level. The numbers are of all.

    Empty texts are no values.
    """
    whole = _Tally()
    for values, count in rows:
        whole.add([None if value == "" else value for value in values], count)
    left_out = max(len(whole.below) - limit, 0)
    groups = whole.groups(limit)
    return Counts(by=by, count=whole.count, groups=groups, left_out=left_out, since=since, until=until)
