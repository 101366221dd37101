"""Bounds: no field of a failure is longer than its limit, and no failure larger than 64 KiB.

Limits are tried from wide to tight until the failure fits; the tightest fit any failure.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from msgspec import Struct
from msgspec.structs import fields, replace

from agent.core.failure import Failure, KeyLine, Match
from agent.core.summary.texts import TextPlace, rewrite

FAILURE_BYTES = 64 * 1024
"""No encoded FailureInfo is larger."""

CUT = "...[truncated]"
"""Marks where a text was cut: at its end, or at the start if its end matters, as for a log."""

WORD_BYTES = 256
"""Limit of names, reasons, types and everything else without a specific limit."""

MESSAGE_BYTES = 4096
"""Limit of messages; the kubelet keeps the same amount of a termination message."""

POD_ERROR_BYTES = 8192
"""Limit of the pod's one message, which joins those of its containers."""

LOG_TAIL_BYTES = 8192
"""Limit of the end of one container's log."""

MARKS = 32
"""How many paths each of ``truncated``, ``sanitized`` and ``redacted`` names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bytes that a text of each kind may have in UTF-8, and how many items a list may have."""

    word: int = WORD_BYTES
    message: int = MESSAGE_BYTES
    main_message: int = MESSAGE_BYTES
    pod_error: int = POD_ERROR_BYTES
    log_tail: int = LOG_TAIL_BYTES
    log_line: int = MESSAGE_BYTES
    hint: int = MESSAGE_BYTES
    match: int = MESSAGE_BYTES
    key_line: int = MESSAGE_BYTES
    image: int = MESSAGE_BYTES
    containers: int = 64
    conditions: int = 32
    taints: int = 32
    events: int = 10
    log_lines: int = 50
    log_tails: int = 16
    matches: int = 32
    hypotheses: int = 16
    candidates: int = 3
    names: int = 64
    marks: int = MARKS


LADDER = (
    Limits(),
    Limits(log_tail=2048, log_lines=16, log_line=512, hint=1024, match=1024, key_line=1024, image=512),
    Limits(message=1024, log_tail=1024, log_lines=16, log_line=256, hint=1024, match=512, key_line=512, image=512),
    Limits(
        word=128, message=256, pod_error=4096, log_tail=1024, log_line=128, log_lines=8, hint=512, match=128, image=256,
        containers=32, conditions=24, taints=16, log_tails=8, matches=16, hypotheses=8, names=32, key_line=256,
    ),
    Limits(
        word=64, message=64, pod_error=4096, log_tail=512, log_line=64, log_lines=4, hint=512, match=64, image=128,
        containers=16, conditions=16, taints=8, log_tails=4, matches=8, hypotheses=4, names=16, marks=16, key_line=256,
    ),
)  # fmt: skip # the table reads better by kind
WIDEST = LADDER[0]
"""Wide to tight. The largest failure within the last limits is below FAILURE_BYTES; a test adds it up."""

_LIMIT_OF_TEXT = {
    "message": "message",
    "termination_message": "main_message",
    "tail": "main_message",
    "key_line": "main_message",
    "pod_error": "pod_error",
    "log_lines": "log_line",
    "text": "log_tail",
    "hint": "hint",
    "image": "image",
}
_ENDS_MATTER = frozenset({"text", "tail"})
_LIMIT_OF_ITEMS = {
    "containers": "containers",
    "conditions": "conditions",
    "taints": "taints",
    "events": "events",
    "log_lines": "log_lines",
    "log_tails": "log_tails",
    "matches": "matches",
    "hypotheses": "hypotheses",
    "candidates": "candidates",
    "truncated": "marks",
    "sanitized": "marks",
    "redacted": "marks",
}

_MOST_BYTES = 4
"""The longest encoding of a character in UTF-8."""

_TEXT_OVERHEAD = 5
_MESSAGE_OVERHEAD = 6
_TIME_BYTES = 24
_NUMBER_BYTES = 12


def cut(text: str, limit: int) -> str:
    """The text within ``limit`` bytes of UTF-8, its end replaced by the mark if it is longer."""
    if len(text) <= limit // _MOST_BYTES:
        return text
    raw = text.encode()
    if len(raw) <= limit:
        return text
    return raw[: limit - len(CUT)].decode(errors="ignore") + CUT  # the cut may be inside a character


def cut_start(text: str, limit: int) -> str:
    """The end of the text within ``limit`` bytes of UTF-8, behind the mark if it is longer."""
    if len(text) <= limit // _MOST_BYTES:
        return text
    raw = text.encode()
    if len(raw) <= limit:
        return text
    return CUT + raw[len(raw) - limit + len(CUT) :].decode(errors="ignore")


def bound(failure: Failure) -> Failure:
    """The failure within all limits; ``truncated`` names what was cut, and lists that lost items."""
    bounded = failure
    for limits in LADDER:
        bounded = _bounded(failure, limits)
        if size(bounded) <= FAILURE_BYTES:
            break
    return bounded


def _bounded(failure: Failure, limits: Limits) -> Failure:
    cutting = _Cutting(limits)
    bounded = rewrite(failure, cutting)
    return replace(bounded, truncated=marks((*bounded.truncated, *cutting.paths), limits.marks))


def marks(paths: tuple[str, ...], at_most: int = MARKS) -> tuple[str, ...]:
    """Distinct paths in order; the last one counts those beyond ``at_most``."""
    distinct = tuple(dict.fromkeys(paths))
    if len(distinct) <= at_most:
        return distinct
    return (*distinct[: at_most - 1], f"and {len(distinct) - at_most + 1} more")


@dataclass(frozen=True, slots=True)
class _Cutting:
    """Cuts texts and lists, and records where."""

    limits: Limits
    paths: list[str] = field(default_factory=list)

    def text(self, text: str, place: TextPlace) -> str:
        limit = self._limit(place)
        end_matters = place.field in _ENDS_MATTER and place.owner not in (Match, KeyLine)
        short = cut_start(text, limit) if end_matters else cut(text, limit)
        if short is not text:
            self.paths.append(place.path)
        return short

    def _limit(self, place: TextPlace) -> int:
        if place.owner is Match and place.field == "text":
            return self.limits.match
        if place.owner is KeyLine and place.field == "text":
            return self.limits.key_line
        limit: int = getattr(self.limits, _LIMIT_OF_TEXT.get(place.field, "word"))
        return limit

    def items(self, items: tuple[Any, ...], place: TextPlace) -> tuple[Any, ...]:
        name = _LIMIT_OF_ITEMS.get(place.field, "names")
        limit: int = getattr(self.limits, name)
        if len(items) <= limit:
            return items
        if name == "marks":
            return marks(items, limit)
        self.paths.append(f"{place.path}: {len(items) - limit} of {len(items)} left out")
        return items[:limit]


def size(value: object) -> int:
    """An upper bound of the value's size in protobuf, in bytes."""
    return sum(map(_size, _leaves(value)))


def _size(leaf: object) -> int:
    if type(leaf) is str:
        return len(leaf.encode()) + _TEXT_OVERHEAD
    if isinstance(leaf, datetime):
        return _TIME_BYTES
    return _MESSAGE_OVERHEAD if isinstance(leaf, Struct) else _NUMBER_BYTES


def _leaves(value: object) -> Iterator[object]:
    if value is None:
        return
    if isinstance(value, tuple):
        for item in value:
            yield from _leaves(item)
        return
    yield value
    if isinstance(value, Struct):
        for name in _encoded(type(value)):
            yield from _leaves(getattr(value, name))


@cache
def _encoded(owner: type[Struct]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(owner) if field.name != "ended")  # not sent: it repeats a state
