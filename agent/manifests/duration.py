"""Durations as Go writes them: ``10s``, ``1h30m``, ``1.5h``, ``0s`` (Go, time.ParseDuration)."""

import re
from datetime import timedelta
from decimal import Decimal
from typing import Annotated

from pydantic import BeforeValidator, WithJsonSchema

from agent.core.retry.backoff import LONGEST
from agent.documents.problem import quote
from agent.documents.shape import refuse

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
_PART = re.compile(r"([0-9]{1,20}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(ns|us|\u00b5s|\u03bcs|ms|s|m|h)")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")
_LONGEST_TEXT = 100


def parse(text: str) -> timedelta | None:
    """Return the duration, to the microsecond; ``None`` if the text is no duration of Go's, or a negative one."""
    bare = text.removeprefix("+")
    if bare == "0":
        return timedelta(0)
    if len(text) > _LONGEST_TEXT or not _WHOLE.fullmatch(bare):
        return None
    nanoseconds = sum(Decimal(number) * _NANOSECONDS[unit] for number, unit in _PART.findall(bare))
    microseconds = min(int(nanoseconds / 1000), timedelta.max // timedelta(microseconds=1))
    return timedelta(microseconds=microseconds)


def _read(written: object) -> timedelta:
    if isinstance(written, int | float) and not isinstance(written, bool):
        raise refuse("wrong-type", f"expected a duration, found the number {written}", hint=f"write {written:g}s")
    duration = parse(written) if isinstance(written, str) else None
    if duration is None:
        found = quote(written) if isinstance(written, str) else "something else"
        raise refuse("invalid-duration", f"expected a duration, found {found}", hint="as 30s, 5m or 1h30m")
    if duration > LONGEST:
        raise refuse("out-of-range", f"no delay is longer than {LONGEST // timedelta(hours=1)}h")
    return duration


Duration = Annotated[
    timedelta,
    BeforeValidator(_read),
    WithJsonSchema({"type": "string", "pattern": "^[+]?(0|([0-9.]+(ns|us|ms|s|m|h))+)$", "examples": ["30s", "1h30m"]}),
]
"""A field that holds a duration of at most a year."""
