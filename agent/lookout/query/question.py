"""Questions for a page of a list."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from agent.lookout.query import cursor
from agent.lookout.query.columns import Kind, List
from agent.lookout.query.conditions import Condition
from agent.lookout.query.cursor import After
from agent.lookout.query.parameters import Items, Parameters, one_of, whole_number, yes_or_no
from agent.lookout.query.refusal import Fault, Refused

MOST: Final = 500
"""Rows of one page."""

USUAL: Final = 50

_OF_PAGE: Final = frozenset({"after", "limit", "count"})
"""Parameters that do not change which rows a list has, nor their order."""

_KINDS: Final = {Kind.NUMBER: int, Kind.TIME: datetime}


@dataclass(frozen=True, slots=True)
class Sort:
    """The column by which a list is sorted. What is equal in it is sorted by time and then by id, the same way."""

    column: str
    descending: bool

    def __str__(self) -> str:
        return f"-{self.column}" if self.descending else self.column


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Which rows of a list, from when to when, in which order, and which page of them.

    ``digest`` tells questions apart whose pages must not be mixed. ``asked_at`` is when the first page was asked for.
    """

    of: List
    conditions: tuple[Condition, ...]
    since: datetime | None
    until: datetime | None
    sort: Sort
    limit: int
    count: bool
    digest: str
    asked_at: datetime
    after: After | None = None

    @property
    def keys(self) -> Sequence[str]:
        """The columns that give a row its place, before its id."""
        return tuple(dict.fromkeys([self.sort.column, self.of.time]))

    def cursor(self, keys: Sequence[cursor.Key]) -> str:
        """The cursor of the row with these keys and id."""
        return cursor.encode(After(tuple(keys), self.asked_at), self.digest)


def read_question(of: List, items: Items, *, now: datetime) -> Question:
    """The question that the parameters of a request ask. Raises Refused."""
    items = tuple(items)
    written = [text for name, text in items if name == "after"]
    asked_at = _asked_at(written, now)
    parameters = Parameters(items, now=asked_at)
    since, until = parameters.window()
    question = Question(
        of=of,
        since=since,
        until=until,
        sort=parameters.take("sort", lambda text: _sort(of, text), Sort(of.time, descending=True)),
        limit=parameters.take("limit", whole_number(1, MOST), USUAL),
        count=parameters.take("count", yes_or_no, otherwise=False),
        conditions=parameters.conditions(of),
        digest=_digest(of, items),
        asked_at=asked_at,
    )
    after = parameters.take("after", lambda text: _after(question, text), None)
    parameters.done()
    return replace(question, after=after)


def _asked_at(written: Sequence[str], now: datetime) -> datetime:
    try:
        return cursor.asked_at(written[0]) if written else now
    except ValueError as error:
        raise Refused([bad_cursor(error)]) from error


def bad_cursor(error: ValueError) -> Fault:
    """What is wrong with a cursor, and what to do."""
    message, _, fix = str(error).partition("; ")
    return Fault("after", message, fix)


def _sort(of: List, text: str) -> Sort:
    name = text.removeprefix("-")
    return Sort(one_of(of.sorts, "column to sort by")(name), descending=text.startswith("-"))


def _after(question: Question, text: str) -> After:
    kinds = [_KINDS.get(question.of.named(name).kind, str) for name in question.keys]
    return cursor.decode(text, question.digest, [*kinds, str])


def _digest(of: List, items: Sequence[tuple[str, str]]) -> str:
    return cursor.digest([of.name, sorted(item for item in items if item[0] not in _OF_PAGE)])
