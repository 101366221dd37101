"""The parameters of endpoints, as the OpenAPI document declares them: made of the table of columns."""

from collections.abc import Mapping
from typing import Any, Final

from agent.lookout.query.columns import Column, Kind, List, Operator
from agent.lookout.query.conditions import MOST_VALUES, SHORTEST, longest_part
from agent.lookout.query.groups import DEEPEST
from agent.lookout.query.groups import MOST as MOST_GROUPS
from agent.lookout.query.groups import USUAL as USUAL_GROUPS
from agent.lookout.query.question import MOST, USUAL
from agent.lookout.query.series import COUNTED, STEPS
from agent.lookout.query.tops import MOST as MOST_TOPS
from agent.lookout.query.tops import USUAL as USUAL_TOPS

Declared = dict[str, Any]

_NUMBER: Final = {"type": "integer", "minimum": -(2**31) + 1, "maximum": 2**31 - 1}
_YES_NO: Final = {"type": "boolean"}
_TEXT: Final = {"type": "string", "minLength": 1}
_TIME: Final = {"type": "string", "examples": ["2026-11-26T12:00:00Z", "24h"]}
_SCHEMAS: Final[Mapping[Kind, Declared]] = {
    Kind.TEXT: _TEXT,
    Kind.MATCH: _TEXT,
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
        _limit(MOST, USUAL, "Rows of a page."),
        declared("after", _TEXT, AFTER),
        declared("count", {**_YES_NO, "default": False}, "Whether to count the rows, up to 10,000."),
    ]


def of_groups(of: List, name: str) -> list[Declared]:
    """The parameters of groups or facets; ``name`` is the one with the columns."""
    listed = {
        "type": "array",
        "items": {"enum": list(of.groups)},
        "minItems": 1,
        "maxItems": DEEPEST,
        "uniqueItems": True,
    }
    columns = {**declared(name, listed, "Columns, with commas between."), "style": "form", "explode": False}
    return [*of_conditions(of), *of_window(of), columns, _limit(MOST_GROUPS, USUAL_GROUPS, "Groups of each level.")]


def of_series() -> list[Declared]:
    """The parameters of series."""
    return [
        *of_conditions(COUNTED),
        *of_window(COUNTED),
        declared("by", {"enum": list(COUNTED.groups)}, "A line for each value of this column; without it one of all."),
        declared("step", {"enum": list(STEPS), "default": "hour"}, "How far points are apart."),
        declared("zone", {**_TEXT, "default": "UTC"}, "The time zone in which days begin, as Europe/Berlin."),
    ]


def of_tops(of: List, *, compared: int = 0) -> list[Declared]:
    """The parameters of tops; ``compared`` is how many runs are needed, unless asked otherwise, to be compared."""
    least = {"type": "integer", "minimum": 1, "maximum": 1_000_000, "default": compared}
    few = [declared("leastRuns", least, "Runs in the window, without which nothing is said.")] if compared else []
    return [*of_conditions(of), *of_window(of), _limit(MOST_TOPS, USUAL_TOPS, "How many are listed."), *few]


def _limit(most: int, usual: int, text: str) -> Declared:
    return declared("limit", {"type": "integer", "minimum": 1, "maximum": most, "default": usual}, text)


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
            return {"type": "string", "minLength": SHORTEST, "maxLength": longest_part(column)}
        case Operator.STARTS_WITH:
            return {**_TEXT, "maxLength": longest_part(column)}
        case Operator.EQUALS if column.kind is Kind.CHOICE:
            return {"enum": list(column.values)}
        case Operator.EQUALS if column.field == "fingerprint":
            return {"type": "string", "pattern": "^v[0-9]{1,6}:[0-9a-f]{16}$"}
    return dict(_SCHEMAS[column.kind])
