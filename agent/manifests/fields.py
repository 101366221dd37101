"""The types of fields that several kinds of documents share."""

import math
import re
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from agent.core import units
from agent.core.classify.conditions import CONDITIONS
from agent.core.retry.delay import LONGEST
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import refuse

MAX_NAME_BYTES = 63
"""The longest name, in bytes of UTF-8 (armadaproject/armada internal/executor/categorizer)."""

MAX_HINT_BYTES = 4096
"""The longest hint, in bytes of UTF-8."""

# The units of Go's time.ParseDuration, both ways to write the micro sign included.
_NANOSECONDS = {
    "ns": 1,
    "us": 1_000,
    "\u00b5s": 1_000,
    "\u03bcs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
# Digits are bounded, because Decimal and int of a very long text are slow.
_PART = re.compile(r"([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_LONGEST_TEXT = 100


def _check_name(text: str) -> str:
    if not text:
        raise refuse("empty", "the name is empty")
    return _check_label(text)


def _check_label(text: str) -> str:
    size = len(text.encode())
    if size > MAX_NAME_BYTES:
        raise refuse("too-long", f"{quote(text)} is {size} bytes long; at most {MAX_NAME_BYTES} are allowed")
    if not text.isprintable():
        raise refuse("control-character", f"{quote(text)} contains a character that cannot be printed")
    return text


def _check_length(most: int) -> Callable[[str], str]:
    def check(text: str) -> str:
        size = len(text.encode())
        if size > most:
            raise refuse("too-long", f"the text is {size} bytes long; at most {most} are allowed")
        return text

    return check


def _check_condition(name: str) -> str:
    if name not in CONDITIONS:
        raise refuse("unknown-condition", f"unknown condition {quote(name)}", hint=nearest_or_all(name, [*CONDITIONS]))
    return name


def _read_bytes(written: object) -> int:
    if not isinstance(written, str):
        number = f"{written}" if isinstance(written, int) and not isinstance(written, bool) else ""
        raise refuse(
            "wrong-type", "expected a quantity", hint=f'if it is bytes, quote it: "{number}"' if number else ""
        )
    try:
        size = units.parse(written)
    except units.QuantityError as error:
        raise refuse(
            "invalid-quantity", f"invalid quantity {quote(written)}", hint="write it like 512Mi or 1.5Gi"
        ) from error
    if size <= 0:
        raise refuse("out-of-range", f"quantity {quote(written)} must be positive")
    return math.ceil(size)


def _check_quantity(text: str) -> str:
    try:
        units.parse(text)
    except units.QuantityError as error:
        raise refuse(
            "invalid-quantity", f"invalid quantity {quote(text)}", hint="write it like 4, 500m or 1.5Gi"
        ) from error
    return text


def _read_status(status: object) -> object:
    return {True: "True", False: "False"}[status] if isinstance(status, bool) else status


def parse_duration(text: str) -> timedelta | None:
    """Return the duration, to the microsecond; ``None`` if the text is no duration of Go's, or a negative one."""
    bare = text.removeprefix("+")
    if bare == "0":
        return timedelta(0)
    if len(text) > _LONGEST_TEXT or not _WHOLE.fullmatch(bare):
        return None
    nanoseconds = sum(Decimal(number) * _NANOSECONDS[unit] for number, unit in _PART.findall(bare))
    microseconds = min(int(nanoseconds / 1000), timedelta.max // timedelta(microseconds=1))
    return timedelta(microseconds=microseconds)


def _read_duration(written: object) -> timedelta:
    if isinstance(written, int | float) and not isinstance(written, bool):
        raise refuse("wrong-type", f"expected a duration, found the number {written}", hint=f"write {written:g}s")
    duration = parse_duration(written) if isinstance(written, str) else None
    if duration is None:
        found = quote(written) if isinstance(written, str) else "something else"
        raise refuse("invalid-duration", f"expected a duration, found {found}", hint="write it like 30s, 5m or 1h30m")
    if duration > LONGEST:
        raise refuse("out-of-range", f"a delay is at most {LONGEST // timedelta(hours=1)}h")
    return duration


Name = Annotated[str, AfterValidator(_check_name)]
"""A name: printable, not empty, at most 63 bytes."""

Label = Annotated[str, AfterValidator(_check_label)]
"""Like a name, but it may be empty, which counts as absent."""

Hint = Annotated[str, AfterValidator(_check_length(MAX_HINT_BYTES))]
"""Advice for people, at most 4096 bytes."""

ConditionName = Annotated[str, AfterValidator(_check_condition)]
"""One of the named conditions, or of their families."""

Bytes = Annotated[int, BeforeValidator(_read_bytes), WithJsonSchema({"type": "string", "examples": ["512Mi"]})]
"""A quantity of memory, in bytes."""

Quantity = Annotated[str, AfterValidator(_check_quantity)]
"""A quantity of any resource, as it is written."""

StatusWord = BeforeValidator(_read_status)
"""Reads a status of Kubernetes, which is text, from the boolean that YAML makes of an unquoted True or False."""


Duration = Annotated[
    timedelta,
    BeforeValidator(_read_duration),
    WithJsonSchema({"type": "string", "pattern": "^[+]?(0|([0-9.]+(ns|us|ms|s|m|h))+)$", "examples": ["30s", "1h30m"]}),
]
"""A field that holds a duration of at most a year."""
