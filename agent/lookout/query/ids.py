"""Many ids as one parameter of a statement.

A database and its driver take longer for a statement with hundreds of parameters than for the rows.
"""

from collections.abc import Sequence

import msgspec
from sqlalchemy import ColumnElement, String, any_, bindparam, cast, func, select
from sqlalchemy.dialects.postgresql import JSONB


def is_among(column: ColumnElement[str], parameter: str, dialect: str) -> ColumnElement[bool]:
    """Whether a column is one of the ids that ``Reading.rows`` is given by this name."""
    ids = bindparam(parameter, type_=String)
    if dialect == "postgresql":
        listed = select(func.jsonb_array_elements_text(cast(ids, JSONB)))
        return column == any_(func.array(listed.scalar_subquery()))
    return column.in_(select(func.json_each(ids).table_valued("value").c.value))


def as_parameter(ids: Sequence[str]) -> str:
    """The ids as their parameter."""
    return msgspec.json.encode(ids).decode()
