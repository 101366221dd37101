"""Rows of runs, and what is said of their failures in other tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Text, cast, func, select, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from agent.lookout.query.ids import is_among, listed
from agent.lookout.query.predicates import hidden
from agent.lookout.query.reader import Reading
from agent.lookout.query.shapes import FailureInfo, Run
from agent.lookout.store.tables import decision_table, failure_table, run_category_table, run_table
from agent.store.columns import Row

_LONGEST_MESSAGE: Final = 4_000


_OTHERS: Final[Mapping[str, ColumnElement[Any]]] = {
    "action": run_table.c.verdict,
    "decided_on": func.coalesce(decision_table.c.failure_id, ""),
    "not_before": decision_table.c.not_before,
}

_COLUMNS: Final = [(_OTHERS[name] if name in _OTHERS else run_table.c[name]).label(name) for name in Run.model_fields]
"""The columns of a run, by the names of its fields."""


def select_runs(*more: ColumnElement[Any]) -> Select[Any]:
    """The columns of runs and of the latest verdicts on them, and more columns."""
    of_verdict = decision_table.c.event_id == run_table.c.decision_id
    return select(*_COLUMNS, *more).select_from(run_table.outerjoin(decision_table, of_verdict))


LATEST_LAST: Final = (failure_table.c.amends.is_not(None), failure_table.c.observed_at, failure_table.c.event_id)
"""The order of a failure and of what amends it, the last of which a run shows: see ``store.outlines.choose``."""


def runs_by_id(reading: Reading, run_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Those of these runs that are there, in the order of the ids: one may be pruned since its id was found."""
    rows = reading.rows(_runs(reading.dialect), run_ids=run_ids) if run_ids else ()
    found = {row["run_id"]: Run.of(row) for row in rows}
    return [found[run_id] for run_id in run_ids if run_id in found]


# A statement of many columns takes milliseconds to make, longer than its rows take.
@cache
def _runs(dialect: str) -> Select[Any]:
    return select_runs().where(is_among(run_table.c.run_id, "run_ids", dialect))


def failure_infos(reading: Reading, rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Why each of these rows of runs failed, by run, in the words of the proposal."""
    failed = {row["run_id"]: row for row in rows if row["failure_id"] is not None}
    if not failed:
        return {}
    categories = _categories(reading, list(failed))
    messages = _messages(reading, failed)
    return {run_id: FailureInfo.of(_info(row, categories[run_id], messages)) for run_id, row in failed.items()}


def _info(row: Mapping[str, Any], categories: Sequence[str], messages: Mapping[str, str]) -> Row:
    return {
        "exit_code": row["exit_code"],
        "termination_message": messages.get(row["run_id"], ""),
        "categories": sorted(categories, key=lambda name: (name != row["category"], name)),
        "container_name": row["container"],
    }


def _categories(reading: Reading, run_ids: Sequence[str]) -> Mapping[str, list[str]]:
    named: dict[str, list[str]] = defaultdict(list)
    for row in reading.rows(_categories_of_runs(reading.dialect), run_ids=run_ids):
        named[row["run_id"]].append(row["category"])
    return named


@cache
def _categories_of_runs(dialect: str) -> Select[Any]:
    table = run_category_table
    return select(table).where(is_among(table.c.run_id, "run_ids", dialect))


def _messages(reading: Reading, failed: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The beginnings of what the containers said last, by run, as the evidence that came last has it."""
    reasons = [row["failure_id"] for row in failed.values()]
    rows = reading.rows(_messages_of_runs(reading.dialect), run_ids=list(failed), reasons=reasons)
    return {row["run_id"]: row["message"] for row in rows}


@cache
def _messages_of_runs(dialect: str) -> Select[Any]:
    table = failure_table
    if dialect == "postgresql":
        said = type_coerce(table.c.info, JSONB)["termination_message"].astext
    else:
        said = func.json_extract(cast(table.c.info, Text), "$.termination_message")
    begins = func.substr(func.coalesce(said, ""), 1, _LONGEST_MESSAGE).label("message")
    return select_evidence(table.c.run_id, begins, dialect=dialect)


def select_evidence(*columns: ColumnElement[Any], dialect: str) -> Select[Any]:
    """Columns of the failures that say why runs failed, and of what amends them, the last of which a run shows.

    Its parameters are ``run_ids``, by which there is an index, and ``reasons``, the ids of these failures.
    """
    own = failure_table.c
    reasons = listed("reasons", dialect)
    says_why = own.event_id.in_(reasons) | own.amends.in_(reasons)
    found = select(*columns).where(is_among(own.run_id, "run_ids", dialect), hidden(says_why))
    return found.order_by(*LATEST_LAST)
