"""Records from the store's own tables."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar, assert_never

import msgspec
from msgspec.structs import fields
from sqlalchemy import ColumnElement, Connection, exists, select

from agent.core.failure import Detail, DetailKey
from agent.store.columns import Row
from agent.store.errors import StoreError
from agent.store.records.counting import counted
from agent.store.records.cursor import Key, decode, encode
from agent.store.records.filters import (
    NEWEST,
    AnyFilter,
    FailureFilter,
    JobFilter,
    Part,
    RunFilter,
    VerdictFilter,
)
from agent.store.records.groups import Counts, nested
from agent.store.records.job_list import page_of_jobs, searches_of_jobs
from agent.store.records.listing import ListKind, asked_of, search_list
from agent.store.records.naming import named, names_only
from agent.store.records.paging import SEARCHED, Search
from agent.store.records.port import AnyRecord, FailureRecord, JobRecord, Named, Page, RunRecord, VerdictRecord
from agent.store.records.sorting import page_of
from agent.store.store import Store
from agent.store.tables import failures, runs, verdicts

Of = TypeVar("Of", bound=AnyRecord)

RUNS: Final = ListKind(
    table=runs.table,
    at=runs.table.c.first_occurred_at,
    id=runs.table.c.run_id,
    indexed=("node", "job_set", "queue"),
)
FAILURES: Final = ListKind(
    table=failures.table,
    at=failures.table.c.occurred_at,
    id=failures.table.c.event_id,
    indexed=("fingerprint", "node", "job_set", "category", "queue"),
)
BY_DETAIL: Final = ListKind(
    table=failures.table, at=failures.detail_table.c.occurred_at, id=failures.detail_table.c.event_id, indexed=()
)
"""Failures in the order of the index of a detail, which holds their times."""

_NARROWER: Final = ("fingerprint", "node", "job_set")
"""Filters whose index gives fewer failures than that of a detail."""

_OF_VERDICTS: Final = ("action", "reason", "policy", "decided_at", "not_before")


class StoredRecords:
    """Fits ``port.Records``. Each call is one transaction, which reads only. A page looks through ``searched`` rows."""

    def __init__(self, store: Store, *, searched: int = SEARCHED) -> None:
        self._store = store
        self._searched = searched

    def named(self, identifier: str) -> Named:
        """Raises StoreError."""
        with self._store.read() as connection:
            return named(connection, identifier)

    def shortest_names(self, ids: Collection[str], *, ends: Callable[[str], Iterable[str]]) -> Mapping[str, str]:
        """Raises StoreError."""
        with self._store.read() as connection:
            return {
                whole: next((end for end in ends(whole) if names_only(connection, end, whole)), whole) for whole in ids
            }

    def jobs(self, wanted: JobFilter, part: Part = NEWEST) -> Page[JobRecord]:
        """Raises BadQuestion and StoreError."""
        with self._store.read() as connection:
            rows, end = page_of_jobs(connection, wanted, part, searched=self._searched)
        return _page(JobRecord, rows, end, wanted, part)

    def runs(self, wanted: RunFilter, part: Part = NEWEST) -> Page[RunRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(RunRecord, search_runs(wanted, part, searched=self._searched), wanted, part)

    def failures(self, wanted: FailureFilter, part: Part = NEWEST) -> Page[FailureRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(FailureRecord, search_failures(wanted, part, searched=self._searched), wanted, part)

    def verdicts(self, wanted: VerdictFilter, part: Part = NEWEST) -> Page[VerdictRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(VerdictRecord, search_verdicts(wanted, part, searched=self._searched), wanted, part)

    def counts(self, wanted: AnyFilter, by: Sequence[str], part: Part = NEWEST) -> Counts:
        """Raises BadQuestion and StoreError."""
        with self._store.read() as connection:
            rows = (row for search in _searches(wanted, part) for row in counted(connection, search, by))
            return nested(rows, tuple(by), limit=part.limit, since=part.since, until=part.until)

    def _page(self, record: type[Of], search: Search, wanted: AnyFilter, part: Part) -> Page[Of]:
        with self._store.read() as connection:
            rows, end = page_of(connection, search)
            complete = _with_details(connection, rows) if isinstance(wanted, FailureFilter) else list(map(dict, rows))
        return _page(record, complete, end, wanted, part)


def _searches(wanted: AnyFilter, part: Part) -> Iterator[Search]:
    """The searches whose results are a list. Raises BadQuestion."""
    match wanted:
        case JobFilter():
            yield from searches_of_jobs(wanted, part, searched=SEARCHED)
        case RunFilter():
            yield search_runs(wanted, part)
        case VerdictFilter():
            yield search_verdicts(wanted, part)
        case FailureFilter():
            yield search_failures(wanted, part)
        case _:
            assert_never(wanted)


def _page(record: type[Of], rows: Sequence[Row], end: Key | None, wanted: AnyFilter, part: Part) -> Page[Of]:
    names = [field.name for field in fields(record)]
    try:
        records = tuple(msgspec.convert({name: row[name] for name in names}, record) for row in rows)
    except msgspec.ValidationError as error:
        raise StoreError(f"a row cannot be read: {error}") from error
    return Page(records=records, after=None if end is None else encode(end, wanted, part))


def _with_details(connection: Connection, rows: Sequence[Mapping[Any, Any]]) -> Sequence[Row]:
    """The same failures with their details, without those of keys that only a later version knows."""
    values: dict[str, Row] = {row["event_id"]: {} for row in rows}
    details = failures.detail_table
    for detail in connection.execute(select(details).where(details.c.event_id.in_(list(values)))):
        values[detail.event_id][detail.key] = detail.value
    return [{**row, "detail": _in_order(values[row["event_id"]])} for row in rows]


def _in_order(values: Row) -> list[Row]:
    return [{"key": key, "value": values[key]} for key in DetailKey if key in values]


def search_runs(wanted: RunFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """Raises BadQuestion."""
    return search_list(RUNS, asked_of(wanted), part, after=decode(wanted, part), searched=searched)


def search_failures(wanted: FailureFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """Raises BadQuestion."""
    return _search_failures(asked_of(wanted), part, after=decode(wanted, part), searched=searched)


def search_verdicts(wanted: VerdictFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """The failures that were decided, each with its verdict. Raises BadQuestion."""
    asked, verdict = asked_of(wanted), verdicts.table
    of_verdict = [verdict.c.run_id.is_not(None)]
    if "action" in asked:
        of_verdict.append(verdict.c.action == asked.pop("action"))
    found = _search_failures(asked, part, after=decode(wanted, part), searched=searched)
    rows = found.rows.add_columns(*(verdict.c[name] for name in _OF_VERDICTS)).outerjoin(
        verdict, verdict.c.event_id == failures.table.c.event_id
    )
    known = {**found.columns, **{name: verdict.c[name] for name in ("action", "reason", "policy")}}
    return replace(found, rows=rows, columns=known, others=(*found.others, *of_verdict))


def _search_failures(asked: Mapping[str, Any], part: Part, *, after: Key | None, searched: int) -> Search:
    """By the index of the first detail, unless another is better; the other details are looked up for each failure."""
    details = asked.get("detail", ())
    of_failure = {name: value for name, value in asked.items() if name != "detail"}
    if not details or any(name in asked for name in _NARROWER):
        found = search_list(FAILURES, of_failure, part, after=after, searched=searched)
        return replace(found, others=(*found.others, *map(_has, details)))
    found = search_list(BY_DETAIL, of_failure, part, after=after, searched=searched)
    table, (first, *more) = failures.detail_table, details
    return replace(
        found,
        rows=found.rows.join(table, table.c.event_id == failures.table.c.event_id),
        indexed=(table.c.key == first.key.value, table.c.value == first.value),
        others=(*found.others, *map(_has, more)),
    )


def _has(detail: Detail) -> ColumnElement[bool]:
    """Whether a failure has a detail, by the primary key of details."""
    table = failures.detail_table.alias()
    own = table.c.event_id == failures.table.c.event_id
    return exists().where(own, table.c.key == detail.key.value, table.c.value == detail.value)
