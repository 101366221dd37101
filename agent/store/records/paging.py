"""One page of a list, from a table: by an index, in the order of time and id, bounded however rare what is asked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Select, bindparam, case, select, tuple_

from agent.store.records.cursor import Key
from agent.store.records.filters import Part

SEARCHED = 10_000
"""Rows that one page looks through for what its index does not know; tens of milliseconds."""

Conditions = Sequence[ColumnElement[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for: of the rows that ``indexed`` gives, by ``at`` and ``id``, those that ``others`` hold for.

    ``rows`` selects them, with ``at`` and ``id`` among them; by ``columns`` they are sorted and counted.
    Where there are others, ``searched`` rows are looked through and, so that every row is in one page, those of the
    same time as the last.
    """

    rows: Select[Any]
    at: Column[Any]
    id: Column[Any]
    columns: Mapping[str, ColumnElement[Any]]
    indexed: Conditions
    others: Conditions
    part: Part
    after: Key | None
    searched: int

    def page(self, connection: Connection) -> tuple[Sequence[RowMapping], Key | None]:
        """The rows of a page, and the key to go on after; ``None`` at the end of the list."""
        until = connection.scalar(self.edge()) if self.others else None
        found = connection.execute(self.query(until)).mappings().all()
        if len(found) > self.part.limit:
            last = found[self.part.limit - 1]
            return found[: self.part.limit], Key(last[self.at.name], last[self.id.name])
        return found, None if until is None else Key(until, "")

    def edge(self) -> Select[Any]:
        """The time of the last row that is looked through, from the index alone; no row if there are fewer."""
        return self._bounded(select(self.at)).order_by(self.at.desc()).offset(self.searched - 1).limit(1)

    def query(self, edge: datetime | None) -> Select[Any]:
        """The rows of a page and one more, in order, down to the edge."""
        query = self._bounded(self.rows).where(*map(_unplanned, self.others))
        if edge is not None:
            query = query.where(self.at >= edge)
        return query.order_by(self.at.desc(), self.id.desc()).limit(self.part.limit + 1)

    def everything(self) -> Select[Any]:
        """All rows, in no order."""
        return self._in_time(self.rows).where(*self.others)

    def _bounded(self, query: Select[Any]) -> Select[Any]:
        query = self._in_time(query)
        if self.after is not None:
            at: ColumnElement[Any] = bindparam(None, self.after.at, type_=self.at.type)
            query = query.where(tuple_(self.at, self.id) < tuple_(at, bindparam(None, self.after.id)))
        return query

    def _in_time(self, query: Select[Any]) -> Select[Any]:
        query = query.where(*self.indexed)
        if self.part.since is not None:
            query = query.where(self.at >= self.part.since)
        if self.part.until is not None:
            query = query.where(self.at < self.part.until)
        return query


def _unplanned(condition: ColumnElement[bool]) -> ColumnElement[bool]:
    """The same, so that no database chooses another index or order of tables by it.

    Postgres takes it that a third of the rows pass such a comparison, and only one in 200 an equation: then it would
    rather read and sort everything than stop when a page is full.
    """
    return case((condition, 1), else_=0) > 0
