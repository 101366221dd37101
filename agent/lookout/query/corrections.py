"""What people say that failures were: shown with jobs and runs, and exported to judge rules by."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from pydantic import Field
from sqlalchemy import ColumnElement, and_, bindparam, func, or_, select, true, tuple_

from agent.core.failure import Failure
from agent.core.failure_text.category import leaf
from agent.diagnose.bundle import bundle
from agent.lookout.query import cursor
from agent.lookout.query.cursor import After
from agent.lookout.query.question import bad_cursor
from agent.lookout.query.reader import Reading
from agent.lookout.query.refusal import Refused
from agent.lookout.query.run_rows import LATEST_LAST
from agent.lookout.query.shapes import Shape
from agent.lookout.store.corrections import Place
from agent.lookout.store.failures import whole
from agent.lookout.store.fitting import fit
from agent.lookout.store.tables import correction_table as table
from agent.lookout.store.tables import failure_table, log_table, run_table

_AT_ONCE: Final = 50
"""Corrections in memory: each has all that was known of its failure."""

FIRST: Final = ""
"""Before the id of any failure."""

_SHOWN: Final = [column for column in table.c if column.name != "info"]


class Correction(Shape):
    """What somebody says of a failure, and what the rules had said."""

    correction_id: str
    job_id: str
    run_id: str
    failure_id: str
    at: datetime
    by: str
    category: str
    subcategory: str
    origin: str
    retryable: bool | None = Field(description="Whether the unchanged job may succeed when it runs again.")
    reason: str
    said_category: str
    said_subcategory: str
    said_origin: str


class Corrections(Shape):
    """A page of corrections, the latest first."""

    items: list[Correction]
    next: str | None = Field(description="The `after` of the next page; null at the end.")


def corrections(reading: Reading, which: ColumnElement[bool], *, most: int) -> list[dict[str, Any]]:
    """Those of some rows, the latest first."""
    query = select(*_SHOWN).where(which).order_by(table.c.at.desc(), table.c.correction_id.desc()).limit(most)
    return [Correction.of(row) for row in reading.rows(query)]


def page(reading: Reading, *, run_id: str | None, limit: int, after: str | None, now: datetime) -> dict[str, Any]:
    """A page of all corrections, or of those of a run, the latest first. Raises Refused for what is no cursor of it."""
    digest = cursor.digest(["corrections", run_id])
    of_all = true() if run_id is None else of_run(run_id)
    found = corrections(reading, of_all & _beyond(after, digest), most=limit + 1)
    items, next_one = found[:limit], None
    if len(found) > limit:
        last = items[-1]
        next_one = cursor.encode(After((last["at"], last["correctionId"]), now), digest)
    return Corrections.of({"items": items, "next": next_one})


def _beyond(after: str | None, digest: str) -> ColumnElement[bool]:
    """The rows after a place, in the order of pages."""
    if after is None:
        return true()
    try:
        place = cursor.decode(after, digest, (datetime, str))
    except ValueError as error:
        raise Refused([bad_cursor(error)]) from error
    columns = (table.c.at, table.c.correction_id)
    values = [bindparam(None, key, type_=column.type) for key, column in zip(place.keys, columns, strict=True)]
    return tuple_(*columns) < tuple_(*values)


def of_id(correction_id: str) -> ColumnElement[bool]:
    """The correction with an id."""
    return table.c.correction_id == correction_id


def of_job(job_id: str) -> ColumnElement[bool]:
    """The corrections of the failures of a job."""
    return table.c.job_id == job_id


def of_run(run_id: str) -> ColumnElement[bool]:
    """The corrections of the failures of a run."""
    return table.c.run_id == fit("run_id", run_id)


def found_failure(reading: Reading, event_id: str) -> tuple[Place, Failure] | None:
    """A failure that can be corrected, with the evidence that came last, and its place; ``None`` if there is none.

    Whatever amends a failure is about the same one, and what was seen when it was corrected is the latest.
    """
    own, named = failure_table.c, failure_table.alias("named")
    amended = func.coalesce(named.c.amends, named.c.event_id)
    same = and_(own.run_id == named.c.run_id, or_(own.event_id == amended, own.amends == amended))
    query = (
        select(
            *(run_table.c[name] for name in ("job_id", "namespace", "pod_name", "node")),
            *(own.run_id, own.info, amended.label("failure_id"), log_table.c.tails),
        )
        .select_from(named)
        .join(failure_table, same)
        .join(run_table, run_table.c.run_id == own.run_id)
        .outerjoin(log_table, log_table.c.event_id == own.event_id)
        .where(named.c.event_id == fit("event_id", event_id))
        .order_by(*LATEST_LAST)
    )
    for row in reading.rows(query)[-1:]:
        place = Place(**{name: row[name] for name in Place.__struct_fields__})
        return place, whole(row)
    return None


def labelled(reading: Reading, *, after: str) -> tuple[Sequence[Mapping[str, Any]], str | None]:
    """Some labelled failures, as ``failctl evaluate`` reads them, in the order of ids, and after which there are more.

    What was said last of a failure is what counts.
    """
    rows = _next(reading, after)
    more = rows[-1]["failure_id"] if len(rows) == _AT_ONCE else None
    return [_labelled(row) for row in rows], more


def _next(reading: Reading, after: str) -> list[Mapping[str, Any]]:
    """The last corrections of the failures after one, whose own may be another by now."""
    later = table.alias("later")
    is_last = ~(
        select(later.c.correction_id)
        .where(
            later.c.failure_id == table.c.failure_id,
            tuple_(later.c.at, later.c.correction_id) > tuple_(table.c.at, table.c.correction_id),
        )
        .exists()
    )
    query = select(table).where(is_last, table.c.failure_id > after).order_by(table.c.failure_id)
    return list(reading.rows(query.limit(_AT_ONCE)))


def _labelled(row: Mapping[str, Any]) -> Mapping[str, Any]:
    place = {name: row[name] for name in ("namespace", "node")}
    return {
        "id": row["failure_id"],
        "source": f"corrected by {row['by'] or 'somebody'}, {row['at'].isoformat()}",
        **bundle(row["info"], name=row["pod_name"], **place),
        "labels": {
            "category": leaf(row["category"], row["subcategory"]),
            "origin": row["origin"],
            "retryable": row["retryable"],
        },
        "why": row["reason"],
    }
