"""pydantic's errors in plain words: of a value of another type, of a limit, of a word that is none of the known."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic_core import ErrorDetails

from agent.documents.problem import nearest, quote

_EXPECTED: Final[Mapping[str, str]] = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_LIMITS: Final[Mapping[str, str]] = {
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "finite_number": "must be a finite number",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "too_short": "needs at least {min_length} values",
    "too_long": "must have at most {max_length} values",
}
_MEMBER: Final = re.compile(r"'([^']*)'")


def expected(detail: ErrorDetails) -> str | None:
    """The type that was expected, like ``a whole number``; ``None`` for an error of another sort."""
    return _EXPECTED.get(detail["type"])


def limit(detail: ErrorDetails, context: Mapping[str, Any] | None = None) -> str | None:
    """Which limit a value exceeds, by the ``context`` if given; ``None`` for an error of another sort."""
    given = detail.get("ctx", {}) if context is None else context
    if detail["type"] in {"string_too_short", "too_short"} and given["min_length"] == 1:
        return "must not be empty"
    words = _LIMITS.get(detail["type"])
    return None if words is None else words.format_map({name: _shown(value) for name, value in given.items()})


def _shown(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def members(detail: ErrorDetails) -> Sequence[str] | None:
    """The words one of which was expected; ``None`` for an error of another sort."""
    if detail["type"] not in {"enum", "literal_error"}:
        return None
    return _MEMBER.findall(detail["ctx"]["expected"])


def unknown_word(written: str, known: Sequence[str]) -> tuple[str, str]:
    """The message and the hint for a word that is none of the known ones."""
    return f"{quote(written)} is not one of {', '.join(known)}", nearest(written, known)


def refusal(detail: ErrorDetails) -> str:
    """What a validator says, or pydantic's own words for an error that none of our models leads to."""
    message = detail["msg"].removeprefix("Value error, ")
    return message if detail["type"] == "value_error" else message[:1].lower() + message[1:]
