"""Search for parts of texts, by the text index of the database."""

from collections.abc import Iterable
from typing import Any, Final

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    and_,
    case,
    column,
    func,
    literal,
    literal_column,
    select,
    table,
)

from agent.lookout.query.columns import Operator
from agent.lookout.query.conditions import SHORTEST, Condition
from agent.lookout.query.predicates import contains
from agent.lookout.query.reader import Reading
from agent.lookout.query.refusal import Fault, Refused
from agent.lookout.store.text_index import FIX, INDEX, POSTGRES_INDEX, RUNS

_MOST_SEQUENCES: Final = 20
"""Sequences of three characters that are looked up: with these hardly a row is found that does not fit."""

_RUNS: Final = table(RUNS, column("id"), column("run_id"))
_INDEX: Final = table(INDEX, column("rowid"))


def check_searchable(reading: Reading, conditions: Iterable[Condition]) -> None:
    """Raise Refused if a text is to be searched, and the database has no index for that."""
    searching = [condition for condition in conditions if condition.operator is Operator.CONTAINS]
    if searching and not reading.number(_is_there(reading.dialect)):
        raise Refused(_not_searched(condition) for condition in searching)


def _is_there(dialect: str) -> Select[Any]:
    if dialect == "postgresql":
        return select(case((func.to_regclass(POSTGRES_INDEX).is_not(None), 1), else_=0))
    master = table("sqlite_master", column("name"))
    return select(func.count()).select_from(master).where(master.c.name == INDEX)


def _not_searched(condition: Condition) -> Fault:
    name = condition.column.parameter(condition.operator)
    others = condition.column.parameter(Operator.STARTS_WITH)
    return Fault(name, "this database has no index of texts", f"write {others} instead, or have the operator {FIX}")


def searched(condition: Condition, run: FromClause, dialect: str) -> ColumnElement[bool]:
    """The rows of runs that the text index finds. On SQLite some of them do not fit: their order is not known."""
    if dialect == "postgresql":
        return _fitting(condition, run)
    return run.c.run_id.in_(select(_RUNS.c.run_id).where(_RUNS.c.id.in_(_numbers(condition))))


def entries(condition: Condition, run: FromClause, dialect: str) -> Select[Any]:
    """What the text index has to read for a condition."""
    return select(literal(1)).where(_fitting(condition, run)) if dialect == "postgresql" else _numbers(condition)


def _fitting(condition: Condition, run: FromClause) -> ColumnElement[bool]:
    return and_(run.c.failed_at.is_not(None), contains(run.c[condition.column.field], condition.value))


def _numbers(condition: Condition) -> Select[Any]:
    sequences = _sequences(condition.column.field, condition.value)
    return select(_INDEX.c.rowid).where(literal_column(INDEX).op("MATCH", is_comparison=True)(sequences))


def _sequences(field: str, part: str) -> str:
    """The query of FTS5 for all sequences of three characters of a text, in a column."""
    found = dict.fromkeys(part[start : start + SHORTEST] for start in range(len(part) - SHORTEST + 1))
    quoted = [f'"{sequence.replace(chr(34), chr(34) * 2)}"' for sequence in list(found)[:_MOST_SEQUENCES]]
    return f"{field} : ({' AND '.join(quoted)})"
