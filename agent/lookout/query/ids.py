"""Many ids as one parameter of a statement.

A database and its driver take longer for a statement with hundreds of parameters than for the rows.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from sqlalchemy import ColumnElement, Select, String, any_, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB

_POSTGRES: Final = "postgresql"


def is_among(column: ColumnElement[str], parameter: str, dialect: str) -> ColumnElement[bool]:
    """Whether a column is one of the ids that ``Reading.rows`` is given by this name: an index of it finds them."""
    ids = listed(parameter, dialect)
    return column == any_(func.array(ids.scalar_subquery())) if dialect == _POSTGRES else column.in_(ids)


def listed(parameter: str, dialect: str) -> Select[Any]:
    """The ids as rows, in which another row's can be looked for."""
    ids = bindparam(parameter, type_=String)
    if dialect == _POSTGRES:
        return select(func.jsonb_array_elements_text(cast(ids, JSONB)))
    return select(func.json_each(ids).table_valued("value").c.value)


def as_parameter(ids: Sequence[str]) -> str:
    """The ids as their parameter."""
    return msgspec.json.encode(ids).decode()
