"""Records from the store's own tables."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final, TypeVar

import msgspec
from sqlalchemy import ColumnElement, Select, select

from agent.store import failures, jobs, runs, verdicts
from agent.store.errors import StoreError
from agent.store.records.cursor import decode, encode
from agent.store.records.naming import is_storable, named
from agent.store.records.paging import SEARCHED, Columns, Conditions, Ordered, Search
from agent.store.records.port import (
    NEWEST,
    AnyFilter,
    AnyRecord,
    BadQuestion,
    CategoryName,
    FailureFilter,
    FailureRecord,
    JobCondition,
    JobFilter,
    JobRecord,
    Named,
    Page,
    Part,
    RunFilter,
    RunRecord,
    VerdictFilter,
    VerdictRecord,
)
from agent.store.store import Store

Of = TypeVar("Of", bound=AnyRecord)

_MOST_EXIT_CODE = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """A list. ``indexed``: the filters that an index answers in order; the first that is asked does."""

    rows: Ordered
    indexed: tuple[str, ...]


JOBS: Final = _Kind(
    rows=Ordered(table=jobs.table, at=jobs.table.c.last_at, id=jobs.table.c.job_id),
    indexed=("job_set", "category", "state", "queue"),
)
RUNS: Final = _Kind(
    rows=Ordered(table=runs.table, at=runs.table.c.first_occurred_at, id=runs.table.c.run_id),
    indexed=("node", "job_set", "queue"),
)
FAILURES: Final = _Kind(
    rows=Ordered(table=failures.table, at=failures.table.c.occurred_at, id=failures.table.c.event_id),
    indexed=("node", "job_set", "category", "queue"),
)

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

    def jobs(self, wanted: JobFilter, part: Part = NEWEST) -> Page[JobRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(JobRecord, search_jobs(wanted, part, searched=self._searched), wanted, part)

    def runs(self, wanted: RunFilter, part: Part = NEWEST) -> Page[RunRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(RunRecord, search_runs(wanted, part, searched=self._searched), wanted, part)

    def failures(self, wanted: FailureFilter, part: Part = NEWEST) -> Page[FailureRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(FailureRecord, search_failures(wanted, part, searched=self._searched), wanted, part)

    def verdicts(self, wanted: VerdictFilter, part: Part = NEWEST) -> Page[VerdictRecord]:
        """Raises BadQuestion and StoreError."""
        return self._page(VerdictRecord, search_verdicts(wanted, part, searched=self._searched), wanted, part)

    def _page(self, record: type[Of], search: Search, wanted: AnyFilter, part: Part) -> Page[Of]:
        with self._store.read() as connection:
            rows, end = search.page(connection)
        names = [one.name for one in fields(record)]
        try:
            records = tuple(msgspec.convert({name: row[name] for name in names}, record) for row in rows)
        except msgspec.ValidationError as error:
            raise StoreError(f"a row cannot be read: {error}") from error
        return Page(records=records, after=None if end is None else encode(end, wanted, part))


def search_jobs(wanted: JobFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """Raises BadQuestion."""
    return _search(JOBS, wanted, part, searched)


def search_runs(wanted: RunFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """Raises BadQuestion."""
    return _search(RUNS, wanted, part, searched)


def search_failures(wanted: FailureFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """Raises BadQuestion."""
    return _search(FAILURES, wanted, part, searched)


def search_verdicts(wanted: VerdictFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """The failures that were decided, each with its verdict. Raises BadQuestion."""
    asked = _asked(wanted)
    action = asked.pop("action", None)
    indexed, others = _divided(FAILURES, asked)

    def choose(columns: Columns) -> Select[Any]:
        of_verdict = (verdicts.table.c[name] for name in _OF_VERDICTS)
        decided = select(*columns, *of_verdict).join(verdicts.table, verdicts.table.c.event_id == columns.event_id)
        query = decided.where(*_conditions(columns, others))
        return query if action is None else query.where(verdicts.table.c.action == action)

    return Search(
        of=FAILURES.rows,
        indexed=_conditions(failures.table.c, indexed),
        choose=choose,
        part=part,
        after=decode(wanted, part),
        searched=searched,
    )


def _search(kind: _Kind, wanted: AnyFilter, part: Part, searched: int) -> Search:
    indexed, others = _divided(kind, _asked(wanted))

    def choose(columns: Columns) -> Select[Any]:
        return select(*columns).where(*_conditions(columns, others))

    return Search(
        of=kind.rows,
        indexed=_conditions(kind.rows.table.c, indexed),
        choose=choose if others else None,
        part=part,
        after=decode(wanted, part),
        searched=searched,
    )


def _asked(wanted: AnyFilter) -> dict[str, Any]:
    """The filters that are asked for, as columns have them."""
    asked = {name: value for name, value in _fields(wanted).items() if value is not None}
    category = asked.get("category")
    if isinstance(category, CategoryName):
        asked["category"] = category.category
        if category.subcategory is not None:
            asked["subcategory"] = category.subcategory
    for name, value in asked.items():
        _refuse_unstorable(name, value)
    return asked


def _fields(wanted: AnyFilter) -> dict[str, Any]:
    """The fields of a filter by name."""
    return {one.name: getattr(wanted, one.name) for one in fields(wanted)}


def _refuse_unstorable(name: str, value: object) -> None:
    """Raise BadQuestion for a value that a database would refuse."""
    if isinstance(value, int) and not 0 <= value <= _MOST_EXIT_CODE:
        raise BadQuestion(f"{name}: there is no exit code {value}")
    if isinstance(value, str) and not is_storable(value):
        raise BadQuestion(f"{name}: no stored text has such characters")


def _divided(kind: _Kind, asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The filter that an index answers, and the others."""
    by_index = [name for name in kind.indexed if name in asked and asked[name] is not JobCondition.ANY_FAILURE]
    indexed = {name: asked[name] for name in by_index[:1]}
    return indexed, {name: value for name, value in asked.items() if name not in indexed}


def _conditions(columns: Columns, asked: Mapping[str, Any]) -> Conditions:
    found: list[ColumnElement[bool]] = []
    for name, value in asked.items():
        if name == "state":
            found.append(columns.failed_at.is_not(None))
        if value is not JobCondition.ANY_FAILURE:
            found.append(columns[name] == value)
    return found
