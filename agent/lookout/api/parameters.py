"""The parameters of endpoints, as the OpenAPI document declares them: made of the table of columns."""

from collections.abc import Mapping
from typing import Any, Final

from agent.lookout.query.columns import Column, Kind, List, Operator
from agent.lookout.query.conditions import MOST_VALUES, SHORTEST
from agent.lookout.query.question import MOST, USUAL

Declared = dict[str, Any]

_NUMBER: Final = {"type": "integer", "minimum": -(2**31) + 1, "maximum": 2**31 - 1}
_YES_NO: Final = {"type": "boolean"}
_TEXT: Final = {"type": "string", "minLength": 1}
_TIME: Final = {"type": "string", "examples": ["2026-11-26T12:00:00Z", "24h"]}
_SCHEMAS: Final[Mapping[Kind, Declared]] = {
    Kind.TEXT: _TEXT,
    Kind.NUMBER: _NUMBER,
    Kind.TIME: _TIME,
    Kind.YES_NO: _YES_NO,
    Kind.DETAIL: {"type": "string", "pattern": "^[a-z_]+=.+$"},
}

_WORDS: Final[Mapping[Operator, str]] = {
    Operator.EQUALS: "",
    Operator.STARTS_WITH: "Begins so.",
    Operator.CONTAINS: f"Contains these {SHORTEST} characters or more; a to z fit in either case.",
    Operator.GTE: "At least, or not before.",
    Operator.GT: "More than, or after.",
    Operator.LTE: "At most, or not after.",
    Operator.LT: "Less than, or before.",
    Operator.EXISTS: "Whether there is one.",
}

AFTER: Final = "The `next` of the page before, with the same other parameters."
WINDOW: Final = ("Of the list's time: from this time on.", "Of the list's time: before this time.")


def declared(name: str, schema: Mapping[str, Any], text: str) -> Declared:
    """A parameter that may be left out."""
    return {"name": name, "in": "query", "required": False, "description": text, "schema": dict(schema)}


def of_page(of: List) -> list[Declared]:
    """The parameters of a page of a list."""
    sorts = [direction + name for name in of.sorts for direction in ("", "-")]
    return [
        *of_conditions(of),
        *of_window(of),
        declared("sort", {"enum": sorts, "default": f"-{of.time}"}, "The column to sort by; with - the last first."),
        declared("limit", {"type": "integer", "minimum": 1, "maximum": MOST, "default": USUAL}, "Rows of a page."),
        declared("after", _TEXT, AFTER),
        declared("count", {**_YES_NO, "default": False}, "Whether to count the rows, up to 10,000."),
    ]


def of_window(of: List) -> list[Declared]:
    """From when to when."""
    names = ("since", "until")
    return [declared(name, _TIME, f"{of.time}: {text}") for name, text in zip(names, WINDOW, strict=True)]


def of_conditions(of: List) -> list[Declared]:
    """Each column with each of its operators."""
    return [_condition(column, operator) for column in of.columns for operator in column.operators]


def _condition(column: Column, operator: Operator) -> Declared:
    schema = _schema(column, operator)
    if operator is Operator.EQUALS:
        schema = {"type": "array", "items": schema, "maxItems": MOST_VALUES}
    text = " ".join(filter(None, (column.help, _WORDS[operator])))
    return declared(column.parameter(operator), schema, text)


def _schema(column: Column, operator: Operator) -> Declared:
    match operator:
        case Operator.EXISTS:
            return _YES_NO
        case Operator.CONTAINS:
            return {"type": "string", "minLength": SHORTEST}
        case Operator.EQUALS if column.kind is Kind.CHOICE:
            return {"enum": list(column.values)}
        case Operator.EQUALS if column.field == "fingerprint":
            return {"type": "string", "pattern": "^v[0-9]{1,6}:[0-9a-f]{16}$"}
    return dict(_SCHEMAS[column.kind])
