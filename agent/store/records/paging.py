"""One page of a list, from a table: by an index, in the order of time and id, bounded however rare what is asked."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Column, ColumnElement, Connection, RowMapping, Select, Table, bindparam, select, tuple_
from sqlalchemy.sql.base import ReadOnlyColumnCollection

from agent.store.records.cursor import Key
from agent.store.records.port import Part

SEARCHED = 10_000
"""Rows that one page looks through for what its index does not know; tens of milliseconds."""

Columns = ReadOnlyColumnCollection[str, Any]
Conditions = Sequence[ColumnElement[bool]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordered:
    """A table in the order of its list, newest first: by ``at``, then ``id``."""

    table: Table
    at: Column[Any]
    id: Column[Any]

    def rows(self, conditions: Conditions, part: Part, after: Key | None) -> Select[Any]:
        """The rows of a part of the list that fulfil conditions, in order."""
        query = select(self.table).where(*conditions)
        if part.since is not None:
            query = query.where(self.at >= part.since)
        if part.until is not None:
            query = query.where(self.at < part.until)
        if after is not None:
            key = (bindparam(None, after.at, type_=self.at.type), bindparam(None, after.id, type_=self.id.type))
            query = query.where(tuple_(self.at, self.id) < tuple_(*key))
        return query.order_by(self.at.desc(), self.id.desc())


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What is looked for: rows of ``of`` that fulfil ``indexed``, and of the first ``searched`` those in ``choose``.

    ``choose`` makes the query of the columns it is given, without order; ``None`` takes every row.
    """

    of: Ordered
    indexed: Conditions
    choose: Callable[[Columns], Select[Any]] | None
    part: Part
    after: Key | None
    searched: int

    def query(self) -> Select[Any]:
        """The rows of a page and one more, in order."""
        rows, most = self.of.rows(self.indexed, self.part, self.after), self.part.limit + 1
        if self.choose is None:
            return rows.limit(most)
        searched = rows.limit(self.searched).subquery("searched")
        order = (searched.c[self.of.at.name].desc(), searched.c[self.of.id.name].desc())
        return self.choose(searched.c).order_by(*order).limit(most)

    def end_query(self) -> Select[Any]:
        """The last of the rows that are looked through."""
        rows = self.of.rows(self.indexed, self.part, self.after)
        return rows.with_only_columns(self.of.at, self.of.id).offset(self.searched - 1).limit(1)

    def page(self, connection: Connection) -> tuple[Sequence[RowMapping], Key | None]:
        """The rows of a page, and the key to go on after; ``None`` at the end of the list."""
        found = connection.execute(self.query()).mappings().all()
        if len(found) > self.part.limit:
            last = found[self.part.limit - 1]
            return found[: self.part.limit], Key(last[self.of.at.name], last[self.of.id.name])
        if self.choose is None:
            return found, None
        end = connection.execute(self.end_query()).one_or_none()
        return found, None if end is None else Key(*end)
