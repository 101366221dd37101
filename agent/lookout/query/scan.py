"""Finds the rows of a page by the index that has to read the fewest.

Either an index gives the rows in the order that is asked for, and the other conditions are tested on one row after the
other until the page is full. That is fast unless few rows fit. Or few rows fit one of the conditions: then an index
gives these, and they are sorted. Counting up to ``FEW`` rows of each index says which. So a page of a million rows
takes some thousand of them, whether what is asked for is rare or not.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, bindparam, func, literal, select, tuple_

from agent.lookout.query.cursor import After, Key
from agent.lookout.query.predicates import hidden
from agent.lookout.query.reader import Reading

FEW: Final = 5_000
"""Rows that are sorted, rather than searched for in a list that is in order."""

LATEST: Final = 8
"""Rows of an index, for each that a page has, among which the first page of the newest rows mostly is."""

MANY: Final = 50_000
"""Rows that are looked through for a count, rather than all rows of a list in its order."""

COUNTED: Final = 10_001
"""Rows that are counted; one more than the number that people read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A condition. ``holds`` is tested row by row.

    ``found`` is the same as an index answers it, and ``rows`` a query for what that has to read; ``None`` if none does.
    ``in_order``: the index has the rows in the order of the list's time. ``in_orders``: each index that has an order of
    the list has the column, too, so that ``holds`` is tested without reading rows. ``candidates``, if it takes far
    longer to test a row than to find one: all rows that may fit, as the index alone answers it.

    ``latest``, if the index has rows that lead to those of the list by a time of their own: these, the latest first, in
    three columns. ``own`` is the id of the list's row, ``at`` a time that is not before the list's, and ``fits`` 1 if
    the list's row fits because of this one.
    """

    holds: ColumnElement[bool]
    found: ColumnElement[bool] | None = None
    candidates: ColumnElement[bool] | None = None
    latest: Select[Any] | None = None
    rows: Select[Any] | None = None
    in_order: bool = False
    in_orders: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The rows that are asked for: those for which ``always``, ``window`` and all tests hold.

    ``keys`` give a row its place, the last of them is its id. ``by_time``: the list is sorted by its time.
    """

    keys: Sequence[ColumnElement[Any]]
    descending: bool
    by_time: bool
    always: Sequence[ColumnElement[bool]]
    window: Sequence[Test]
    tests: Sequence[Test]

    def page(self, reading: Reading, *, limit: int, after: After | None) -> list[tuple[Key, ...]]:
        """The keys of the rows of a page and of one more, in order."""
        if self.by_time and self.descending and after is None:
            return self._newest(reading, limit)
        return self._page(reading, self.narrowest(reading), limit, after)

    def _newest(self, reading: Reading, limit: int) -> list[tuple[Key, ...]]:
        """The first page. An index to which there is no other is not counted first: its latest rows mostly fill it."""
        is_alone = sum(test.rows is not None for test in (*self.tests, *self.window)) == 1
        few = None if is_alone else self.narrowest(reading)
        found = self._among_latest(reading, self.tests if few is None else [few], limit)
        if found is not None:
            return found
        return self._page(reading, self.narrowest(reading) if is_alone else few, limit, None)

    def _page(self, reading: Reading, few: Test | None, limit: int, after: After | None) -> list[tuple[Key, ...]]:
        if few is None or few.candidates is None:
            return _keys(reading, self.query(few, after).limit(limit + 1))
        return _keys(reading, self._tested(few, few.candidates, after).limit(limit + 1))

    def _among_latest(self, reading: Reading, tests: Sequence[Test], limit: int) -> list[tuple[Key, ...]] | None:
        """The page, if it is full of rows that are newer than all to which the other rows of an index lead."""
        few, latest = next(((test, test.latest) for test in tests if test.latest is not None), (None, None))
        if few is None or latest is None:
            return None
        rows = latest.limit(LATEST * limit).cte("latest").prefix_with("MATERIALIZED")
        last = select(func.min(rows.c.at)).scalar_subquery().label("last")
        others = [hidden(holds) for holds in self._others([few])]
        fitting = select(rows.c.own).where(rows.c.fits == 1)
        places = select(*self.keys, last).where(*self.always, self.keys[-1].in_(fitting), *others)
        found = _keys(reading, self._directed(places, self.keys).limit(limit + 1))
        if len(found) <= limit:
            return None
        place, bound = found[-1][0], found[-1][-1]
        is_whole = isinstance(place, datetime) and isinstance(bound, datetime) and place > bound
        return [keys[:-1] for keys in found] if is_whole else None

    def count(self, reading: Reading) -> int:
        """How many rows the whole list has, up to ``COUNTED``."""
        query = self.query(self.narrowest(reading, few=MANY), None)  # in order, as the page: by the same index
        return reading.number(select(func.count()).select_from(query.limit(COUNTED).subquery()))

    def narrowest(self, reading: Reading, *, few: int = FEW) -> Test | None:
        """The test that the fewest rows fit, if they are few."""
        if self.by_time and all(test.in_order for test in self.tests) and len(self.tests) <= 1:
            return None  # one index has exactly these rows, in this order
        fewest, chosen = few + 1, None
        for test in [*self.tests, *self.window]:
            if test.rows is not None:
                found = test.rows.limit(fewest).subquery()
                number = reading.number(select(func.count()).select_from(found))
                if number < fewest:
                    fewest, chosen = number, test
        return chosen

    def query(self, few: Test | None, after: After | None) -> Select[Any]:
        """The keys of all rows after a place, in order; by the index of ``few``, or else by one that has the order."""
        if few is None:
            return self._directed(self._in_order(after), self.keys)
        others = [hidden(holds) for holds in self._others([few])]
        later = [] if after is None else [hidden(self._later(after))]
        assert few.found is not None  # noqa: S101 - it was counted
        found = select(*self.keys).where(*self.always, few.found, *others, *later)
        rows = found.cte("few").prefix_with("MATERIALIZED")
        return self._directed(select(*rows.c), list(rows.c))

    def _tested(self, few: Test, candidates: ColumnElement[bool], after: After | None) -> Select[Any]:
        """The candidates in order, each tested when it is its turn: once a page is full, no more are."""
        later = [] if after is None else [hidden(self._later(after))]
        found = select(*self.keys).where(*self.always, candidates, *later)
        # no database tests a row before it is sorted if it is to skip some of the sorted ones
        rows = self._directed(found, self.keys).offset(0).subquery("candidate")
        own, tests = self.keys[-1], [few.holds, *self._others([few])]
        fits = select(literal(1)).where(own == rows.c[own.name], *map(hidden, tests)).limit(1).correlate(rows)
        fitting = select(*rows.c).where(func.coalesce(fits.scalar_subquery(), 0) == 1)
        return self._directed(fitting, list(rows.c))

    def _in_order(self, after: After | None) -> Select[Any]:
        leading = [test for test in self.tests if test.in_order and self.by_time][:1]
        visible = [test.found for test in [*leading, *self.window] if test.found is not None]
        inside = [test for test in self.tests if test.in_orders]
        others = [hidden(holds) for holds in self._others([*leading, *self.window, *inside])]
        later = [] if after is None else [self._later(after)]
        return select(*self.keys).where(*self.always, *visible, *later, *(test.holds for test in inside), *others)

    def _others(self, used: Sequence[Test]) -> Iterator[ColumnElement[bool]]:
        """The other tests, each once: several may hold by the same condition."""
        said = {id(test.holds) for test in used}
        for test in [*self.tests, *self.window]:
            if id(test.holds) not in said:
                said.add(id(test.holds))
                yield test.holds

    def _later(self, after: After) -> ColumnElement[bool]:
        values = [bindparam(None, key, type_=column.type) for key, column in zip(after.keys, self.keys, strict=True)]
        place, given = tuple_(*self.keys), tuple_(*values)
        return place < given if self.descending else place > given

    def _directed(self, query: Select[Any], keys: Sequence[ColumnElement[Any]]) -> Select[Any]:
        return query.order_by(*(key.desc() if self.descending else key.asc() for key in keys))


def _keys(reading: Reading, query: Select[Any]) -> list[tuple[Key, ...]]:
    return [tuple(row.values()) for row in reading.rows(query)]
