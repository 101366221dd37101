"""Errors about fields with the API server's messages (apimachinery ``field.Error``)."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Sort(StrEnum):
    """The kind of a field's error, by Kubernetes' names."""

    INVALID = "Invalid"
    REQUIRED = "Required"
    NOT_SUPPORTED = "NotSupported"
    TOO_MANY = "TooMany"
    TOO_LONG = "TooLong"
    DUPLICATE = "Duplicate"


_SAID = {
    Sort.INVALID: "Invalid value",
    Sort.REQUIRED: "Required value",
    Sort.NOT_SUPPORTED: "Unsupported value",
    Sort.TOO_MANY: "Too many",
    Sort.TOO_LONG: "Too long",
    Sort.DUPLICATE: "Duplicate value",
}
_VALUE_LEFT_OUT = frozenset({Sort.REQUIRED, Sort.TOO_LONG})


class Omitted:
    """Placeholder for a value that is not shown."""


OMITTED = Omitted()


class Struct:
    """Placeholder for a struct, whose Go text is not reproduced."""


STRUCT = Struct()

Value = int | str | tuple[int, ...] | Omitted | Struct | None
"""The displayed value of a field; ``None`` is a list that is not set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldError:
    """An error in one field: its path, like ``spec.podFailurePolicy.rules[0].action``, its value, and the reason."""

    sort: Sort
    field: str
    value: Value = OMITTED
    detail: str = ""

    @property
    def body(self) -> str:
        """The API server's message, without the path."""
        value = "" if self.sort in _VALUE_LEFT_OUT or isinstance(self.value, Omitted) else f": {_shown(self.value)}"
        detail = f": {self.detail}" if self.detail else ""
        return f"{_SAID[self.sort]}{value}{detail}"

    @property
    def text(self) -> str:
        """The API server's message, as in its response."""
        return f"{self.field}: {self.body}"


def invalid(field: str, value: Value, detail: str) -> FieldError:
    """Return the error of an invalid value."""
    return FieldError(sort=Sort.INVALID, field=field, value=value, detail=detail)


def required(field: str, detail: str) -> FieldError:
    """Return the error of a missing value."""
    return FieldError(sort=Sort.REQUIRED, field=field, detail=detail)


def not_supported(field: str, value: str, supported: Sequence[str]) -> FieldError:
    """Return the error of an unknown value."""
    words = ", ".join(quoted(word) for word in supported)
    return FieldError(sort=Sort.NOT_SUPPORTED, field=field, value=value, detail=f"supported values: {words}")


def too_many(field: str, count: int, most: int) -> FieldError:
    """Return the error of a list that is too long."""
    return FieldError(sort=Sort.TOO_MANY, field=field, value=count, detail=f"must have at most {most} items")


def too_long(field: str, most: int) -> FieldError:
    """Return the error of a text that is too long."""
    return FieldError(sort=Sort.TOO_LONG, field=field, detail=f"may not be more than {most} bytes")


def not_negative(field: str, value: int | None) -> Iterable[FieldError]:
    """Yield the error of a number below 0 (``ValidateNonnegativeField``)."""
    if value is not None and value < 0:
        yield invalid(field, value, "must be greater than or equal to 0")


def listed(words: Sequence[str]) -> str:
    """Return words as Go prints a list of quoted strings."""
    return f"[{' '.join(quoted(word) for word in words)}]"


def quoted(text: str) -> str:
    """Return a text as Go quotes it."""
    return json.dumps(text, ensure_ascii=False)


def _shown(value: Value) -> str:
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, tuple):
        return f"[]int32{{{', '.join(str(number) for number in value)}}}"
    if value is None:
        return "[]int32(nil)"
    return "<struct>" if isinstance(value, Struct) else str(value)
