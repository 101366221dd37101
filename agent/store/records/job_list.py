"""The list of jobs, newest first: those whose runs agents reported, and submitted ones of which none was yet.

Both are lists of their own, in the same order, and are merged page by page.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlalchemy import Connection, func, select

from agent.store.columns import Row
from agent.store.records.cursor import Key, decode
from agent.store.records.filters import OBSERVED, JobFilter, Part
from agent.store.records.listing import OWNER, ListKind, asked_of, search_list
from agent.store.records.paging import SEARCHED, Search
from agent.store.records.sorting import NEWEST_FIRST, Order, key_of, page_of
from agent.store.records.submitted import not_observed
from agent.store.submitted.tables import job_table as submitted
from agent.store.tables.jobs import table as job
from agent.store.tables.runs import table as run

JOBS: Final = ListKind(table=job, at=job.c.last_at, id=job.c.job_id, indexed=("job_set", "category", "state", "queue"))

_OF_SUBMITTED: Final = frozenset({"queue", "job_set", "namespace", "state", "owner"})
"""The filters that fit a job none of whose runs was reported."""

_COLUMNS: Final = ("job_id", "queue", "job_set", "namespace", "state", "client_id", "submitted_at")
_NOT_KNOWN: Final[Row] = {
    "cluster": "",
    "runs": 0,
    "latest_run": "",
    "node": "",
    "pod_name": "",
    **dict.fromkeys(("action", "category", "subcategory", "origin", "grade", "corroborated", "container", "exit_code")),
}


@dataclass(frozen=True, slots=True)
class _Place:
    """A row and where it is in the list."""

    key: Key
    row: Row


def page_of_jobs(
    connection: Connection, wanted: JobFilter, part: Part, *, searched: int
) -> tuple[Sequence[Row], Key | None]:
    """A page, and the key to go on after; ``None`` at the end of the list. Raises BadQuestion."""
    order = NEWEST_FIRST if part.sort is None else Order.of(part.sort)
    places: list[_Place] = []
    ends: list[Key] = []
    for search in searches_of_jobs(wanted, part, searched=searched):
        rows, end = page_of(connection, search)
        places += [_Place(key_of(search, row), _row(dict(row))) for row in rows]
        ends += [] if end is None else [end]
    places.sort(key=lambda place: order.place(place.key), reverse=order.descending)
    # Beyond the nearest end the other list may have rows that were not read.
    ends.sort(key=order.place, reverse=order.descending)
    nearest = ends[0] if ends else None
    kept = [place for place in places if nearest is None or not order.is_beyond(place.key, nearest)]
    shown = kept[: part.limit]
    return [place.row for place in shown], shown[-1].key if len(kept) > part.limit else nearest


def searches_of_jobs(wanted: JobFilter, part: Part, *, searched: int) -> Iterator[Search]:
    """The searches whose results are the jobs. Raises BadQuestion."""
    yield search_jobs(wanted, part, searched=searched)
    unobserved = search_unobserved(wanted, part, searched=searched)
    if unobserved is not None:
        yield unobserved


def search_jobs(wanted: JobFilter, part: Part, *, searched: int = SEARCHED) -> Search:
    """Jobs whose runs were reported. Raises BadQuestion."""
    asked = asked_of(wanted)
    of_others = []
    if wanted.state is not None and wanted.state not in OBSERVED:
        of_others.append(func.coalesce(submitted.c.state, job.c.state) == asked.pop("state").value)
    if wanted.node is not None:
        of_others.append(run.c.node == asked.pop("node"))
    found = search_list(JOBS, asked, part, after=decode(wanted, part), searched=searched)
    columns = (submitted.c.state.label("submitted_state"), submitted.c.client_id, run.c.node, run.c.pod_name)
    rows = found.rows.add_columns(*columns).outerjoin(run, run.c.run_id == job.c.latest_run)
    known = {**found.columns, "node": run.c.node, "state": func.coalesce(submitted.c.state, job.c.state)}
    return replace(found, rows=rows, columns=known, others=(*found.others, *of_others))


def search_unobserved(wanted: JobFilter, part: Part, *, searched: int = SEARCHED) -> Search | None:
    """Submitted jobs of which no run was reported; ``None``: none of them fits. Raises BadQuestion."""
    asked = asked_of(wanted)
    if asked.keys() - _OF_SUBMITTED or wanted.state in OBSERVED:
        return None
    columns = {name: OWNER if name == "owner" else submitted.c[name] for name in _OF_SUBMITTED}
    return Search(
        rows=select(*(submitted.c[name] for name in _COLUMNS), OWNER.label("owner")).select_from(submitted),
        at=submitted.c.submitted_at,
        id=submitted.c.job_id,
        columns=columns,
        indexed=(),
        others=(*(columns[name] == value for name, value in asked.items()), not_observed(submitted.c.job_id)),
        part=part,
        after=decode(wanted, part),
        searched=searched,
    )


def _row(row: dict[str, Any]) -> Row:
    """The fields of a record."""
    if "submitted_at" in row:
        return {**_NOT_KNOWN, **row, "first_at": row["submitted_at"], "last_at": row["submitted_at"]}
    found = {**row, "state": row["submitted_state"] or row["state"]}
    return {**found, **{name: row[name] or "" for name in ("node", "pod_name")}}
