"""Counts of the rows of a list by several columns."""

from collections.abc import Iterator, Sequence
from typing import Final

from sqlalchemy import Connection, func, literal

from agent.store.records.filters import BadQuestion
from agent.store.records.groups import Value
from agent.store.records.paging import Search

MOST: Final = 200_000
"""Different values, of all columns together, that are counted."""


def counted(connection: Connection, search: Search, by: Sequence[str]) -> Iterator[tuple[Sequence[Value], int]]:
    """The different values of columns in all rows that a search looks for, whatever its limit, each with its number.

    A column that the rows do not have has no value in them. Raises BadQuestion where there are very many.
    """
    values = [search.columns.get(name, literal(None)).label(f"by{place}") for place, name in enumerate(by)]
    known = [column for column, name in zip(values, by, strict=True) if name in search.columns]
    rows = search.everything().with_only_columns(*values, func.count().label("number"))
    found = connection.execute(rows.group_by(*known).limit(MOST + 1)).all()
    if len(found) > MOST:
        raise _too_many()
    yield from ((tuple(row)[:-1], row.number) for row in found if row.number)


def _too_many() -> BadQuestion:
    message = f"these columns have more than {MOST:,} different values together"
    return BadQuestion(f"{message}; write fewer columns, a shorter time, or filters")
