"""Rows of runs, and what is said of their failures in other tables."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import ColumnElement, Text, cast, func, select, type_coerce
from sqlalchemy.dialects.postgresql import JSONB

from agent.lookout.query.predicates import hidden, is_among
from agent.lookout.query.reader import Reading
from agent.lookout.query.shapes import FailureInfo, Run
from agent.lookout.store.tables import decision_table, failure_table, run_category_table, run_table
from agent.store.columns import Row

_LONGEST_MESSAGE: Final = 4_000


def _of_verdict(name: str) -> ColumnElement[Any]:
    """A column of the latest verdict on a run; null without one."""
    table = decision_table
    return select(table.c[name]).where(table.c.event_id == run_table.c.decision_id).scalar_subquery()


_OTHERS: Final[Mapping[str, ColumnElement[Any]]] = {
    "action": run_table.c.verdict,
    "decided_on": func.coalesce(_of_verdict("failure_id"), ""),
    "not_before": _of_verdict("not_before"),
}

RUN_COLUMNS: Final = [
    (_OTHERS[name] if name in _OTHERS else run_table.c[name]).label(name) for name in Run.model_fields
]
"""The columns of a run, by the names of its fields."""


LATEST_LAST: Final = (failure_table.c.amends.is_not(None), failure_table.c.observed_at, failure_table.c.event_id)
"""The order of a failure and of what amends it, the last of which a run shows: see ``store.outlines.choose``."""


def runs_by_id(reading: Reading, run_ids: Sequence[str]) -> list[dict[str, Any]]:
    """Those of these runs that are there, in the order of the ids: one may be pruned since its id was found."""
    query = select(*RUN_COLUMNS).where(is_among(run_table.c.run_id, run_ids, reading.dialect))
    found = {row["run_id"]: Run.of(row) for row in reading.rows(query)} if run_ids else {}
    return [found[run_id] for run_id in run_ids if run_id in found]


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
    table = run_category_table
    for row in reading.rows(select(table).where(is_among(table.c.run_id, run_ids, reading.dialect))):
        named[row["run_id"]].append(row["category"])
    return named


def _messages(reading: Reading, failed: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """The beginnings of what the containers said last, by run, as the evidence that came last has it."""
    table, reasons = failure_table, [row["failure_id"] for row in failed.values()]
    if reading.dialect == "postgresql":
        said = type_coerce(table.c.info, JSONB)["termination_message"].astext
    else:
        said = func.json_extract(cast(table.c.info, Text), "$.termination_message")
    begins = func.substr(func.coalesce(said, ""), 1, _LONGEST_MESSAGE).label("message")
    evidence = evidence_of(list(failed), reasons, reading.dialect)
    query = select(table.c.run_id, begins).where(*evidence).order_by(*LATEST_LAST)
    return {row["run_id"]: row["message"] for row in reading.rows(query)}


def evidence_of(run_ids: Sequence[str], reasons: Sequence[str], dialect: str) -> list[ColumnElement[bool]]:
    """The failures that say why runs failed, and what amends them; by runs, of which there is an index."""
    own = failure_table.c
    says_why = is_among(own.event_id, reasons, dialect) | is_among(own.amends, reasons, dialect)
    return [is_among(own.run_id, run_ids, dialect), hidden(says_why)]
