"""What is asked for, as conditions on the rows of a table, and the index that answers it in order."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import fields
from sqlalchemy import Column, ColumnElement, Table, func, select

from agent.core.failure import Detail
from agent.store.records.cursor import Key
from agent.store.records.filters import AnyFilter, BadQuestion, CategoryName, JobCondition, Part
from agent.store.records.naming import is_storable
from agent.store.records.paging import Conditions, Search
from agent.store.submitted.tables import job_table as submitted
from agent.store.tables.failures import LONGEST_VALUE

_MOST_NUMBER = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ListKind:
    """A list. ``indexed``: the filters that an index answers in order; the first that is asked does."""

    table: Table
    at: Column[Any]
    id: Column[Any]
    indexed: tuple[str, ...]


OWNER: Final = func.coalesce(submitted.c.submitted_by, "")
"""Who submitted a job; empty of one that was only observed."""


def search_list(kind: ListKind, asked: Mapping[str, Any], part: Part, *, after: Key | None, searched: int) -> Search:
    """A search of the rows of a table, each with the submission of its job, if there is one."""
    indexed, others = _divided(kind, asked)
    whose = submitted.c.job_id == kind.table.c.job_id
    return Search(
        rows=select(kind.table, OWNER.label("owner")).select_from(kind.table).outerjoin(submitted, whose),
        at=kind.at,
        id=kind.id,
        columns={**kind.table.c, "owner": OWNER},
        indexed=_conditions(kind.table, indexed),
        others=_conditions(kind.table, others),
        part=part,
        after=after,
        searched=searched,
    )


def asked_of(wanted: AnyFilter) -> dict[str, Any]:
    """The filters that are asked for, by the names of their columns."""
    fields_of = {field.name: getattr(wanted, field.name) for field in fields(wanted)}
    asked = {name: value for name, value in fields_of.items() if value is not None}
    category = asked.get("category")
    if isinstance(category, CategoryName):
        asked["category"] = category.category
        if category.subcategory is not None:
            asked["subcategory"] = category.subcategory
    for name, value in asked.items():
        _refuse_unstorable(name, value)
    for detail in asked.get("detail", ()):
        _refuse_unstorable(detail.key, detail.value)
        _refuse_long(detail)
    return asked


def _refuse_unstorable(name: str, value: object) -> None:
    """Raise BadQuestion for a value that a database would refuse."""
    if isinstance(value, int) and not 0 <= value <= _MOST_NUMBER:
        raise BadQuestion(f"{name}: there is no {name.replace('_', ' ')} {value}")
    if isinstance(value, str) and not is_storable(value):
        raise BadQuestion(f"{name}: no stored text has such characters")


def _refuse_long(detail: Detail) -> None:
    """Raise BadQuestion for a value that no row holds whole."""
    if len(detail.value) > LONGEST_VALUE:
        most = f"stored values have at most {LONGEST_VALUE} characters"
        raise BadQuestion(f"{detail.key}: {most}, not {len(detail.value):,}")


def _divided(kind: ListKind, asked: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The filter that an index answers, and the others."""
    by_index = [name for name in kind.indexed if name in asked and asked[name] is not JobCondition.ANY_FAILURE]
    indexed = {name: asked[name] for name in by_index[:1]}
    return indexed, {name: value for name, value in asked.items() if name not in indexed}


def _conditions(table: Table, asked: Mapping[str, Any]) -> Conditions:
    found: list[ColumnElement[bool]] = []
    for name, value in asked.items():
        if name == "state":
            found.append(table.c.failed_at.is_not(None))
        if value is not JobCondition.ANY_FAILURE:
            found.append((OWNER if name == "owner" else table.c[name]) == value)
    return found
