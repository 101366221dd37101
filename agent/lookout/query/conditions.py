"""Conditions: a column, an operator and values, read from the parameters of a request."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from msgspec.structs import replace

from agent.documents.problem import nearest_or_all, quote
from agent.lookout.query.columns import Column, Kind, Operator
from agent.lookout.query.refusal import any_of
from agent.lookout.query.times import read_time
from agent.lookout.store.fitting import fit, kept
from agent.store.records.filters import BadQuestion, CategoryName, read_details
from agent.store.records.naming import is_storable

SHORTEST: Final = 3
"""Characters of what is searched for within texts: a text index knows sequences of three."""

MOST_VALUES: Final = 100
"""Values of which any fits."""

_MOST_NUMBER: Final = 2**31 - 1
_NUMBER: Final = re.compile(r"-?[0-9]{1,10}")
_CUT_AS: Final = {"reason": "failure_reason", "categories": "category"}
"""Columns whose texts are cut under another name: see ``store.outlines``."""

_BOOLEANS: Final = {"true": True, "false": False}


@dataclass(frozen=True, slots=True)
class Condition:
    """A column compared with any of ``values``; of operators other than EQUALS there is one value."""

    column: Column
    operator: Operator
    values: tuple[Any, ...]

    @property
    def value(self) -> Any:  # noqa: ANN401 - of any kind
        """The one value."""
        (only,) = self.values
        return only


def read_condition(column: Column, operator: Operator, texts: Sequence[str], *, now: datetime) -> Condition:
    """The condition that was written. Raises ValueError, which says what to write."""
    if len(texts) > (MOST_VALUES if operator is Operator.EQUALS else 1):
        most = f"at most {MOST_VALUES} times" if operator is Operator.EQUALS else "once"
        raise ValueError(f"write it {most}, not {len(texts):,} times")
    if column.kind is Kind.DETAIL:
        return Condition(column, operator, _details(texts))
    values = tuple(dict.fromkeys(_value(column, operator, text, now=now) for text in texts))
    return Condition(column, operator, values)


def _details(texts: Sequence[str]) -> tuple[Any, ...]:
    """All of them must hold, where any of the values of another column does."""
    for text in texts:
        _refuse_unstorable(text)
    try:
        details = read_details(texts)
    except BadQuestion as error:
        raise ValueError(str(error)) from error
    return tuple(replace(detail, value=fit("detail", detail.value)) for detail in details)


def _value(column: Column, operator: Operator, text: str, *, now: datetime) -> object:
    if not text:
        raise ValueError(f"it is empty; write a value, or {column.name}.exists=false for those that have none")
    _refuse_unstorable(text)
    match operator:
        case Operator.EXISTS:
            return _boolean(text)
        case Operator.STARTS_WITH:
            return _kept(column, text)
        case Operator.CONTAINS:
            return _kept(column, _part(text))
    return _whole(column, text, now=now)


def _refuse_unstorable(text: str) -> None:
    if not is_storable(text):
        raise ValueError("no stored text has such characters: NUL, or half of a surrogate pair")


def _boolean(text: str) -> bool:
    if text not in _BOOLEANS:
        raise ValueError(f"{quote(text)} is neither true nor false; write one of them")
    return _BOOLEANS[text]


def _kept(column: Column, text: str) -> str:
    """The text, unless a stored one may have been cut before it ends."""
    if len(text) > (most := longest_part(column)):
        found = f"it has {len(text):,} characters, and of long texts the first {most:,} are kept"
        raise ValueError(f"{found}; write at most {most:,}, or with {column.name} the whole text")
    return text


def longest_part(column: Column) -> int:
    """Characters of a text that the column can be searched for, other than as a whole."""
    return kept(_cut_as(column))


def _cut_as(column: Column) -> str:
    return _CUT_AS.get(column.field, column.field)


def _part(text: str) -> str:
    if len(text) < SHORTEST:
        raise ValueError(f"{quote(text)} is too short to search for; write {SHORTEST} characters or more")
    return text


def _whole(column: Column, text: str, *, now: datetime) -> object:
    match column.kind:
        case Kind.CHOICE:
            return _choice(column, text)
        case Kind.NUMBER:
            return _number(text)
        case Kind.TIME:
            return read_time(text, now=now)
        case Kind.YES_NO:
            return _boolean(text)
    return _text(column, text)


def _choice(column: Column, text: str) -> str:
    if text not in column.values:
        raise ValueError(f"there is no {column.name} {quote(text)}; {nearest_or_all(text, list(column.values))}")
    return text


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text) or abs(int(text)) > _MOST_NUMBER:
        raise ValueError(f"{quote(text)} is not a whole number up to {_MOST_NUMBER:,}")
    return int(text)


def _text(column: Column, text: str) -> object:
    """What is stored of the text: a long one is cut."""
    try:
        value = text if column.read is None else column.read(text)
    except BadQuestion as error:
        raise ValueError(str(error)) from error
    if isinstance(value, CategoryName):
        below = None if value.subcategory is None else fit("subcategory", value.subcategory)
        return CategoryName(fit("category", value.category), below)
    return fit(_cut_as(column), str(value))


def operators_of(column: Column) -> str:
    """The parameters by which the column is asked for, as an error lists them."""
    return any_of([column.parameter(operator) for operator in column.operators])
