"""The kind of a line: what it says about why a program failed.

A line is read without what loggers, runners and terminals put before it, and is of one ``Kind`` by its form
(``line_forms``), or says nothing: traces of shells, frames, quoted source, warnings, errors that were survived.

All forms are one set of RE2, so that a line costs a few microseconds, and a hostile one not more.
"""

import re
from enum import IntEnum
from functools import cache
from typing import Final

from agent.core.classify.pattern import PatternSet
from agent.core.summary import line_forms

_LONGEST: Final = 400
"""Characters of a line that are looked at; what names an error stands before that."""


class Kind(IntEnum):
    """What a line says about the failure, best first."""

    CAUSE = 0
    PLACED = 1
    LOGGED = 2
    WORD = 3
    WRAPPER = 4


_ESCAPE = re.compile(r"\x1b?\[[0-9;]*[mK]")
"""Colours; what strips control characters leaves their end."""

_PREFIX = re.compile(
    r"\s*(?:"
    r"\[?\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?\]?"
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d+)?\]?"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S{1,80} \S{1,80}:"
    r"|\[\s{0,12}\d+\.\d{3,}\]"
    r"|[IWEF]\d{4} \d\d:\d\d:\d\d\.\d+\s+\d+ [\w.]+:\d+\]"
    r"|\[\d+,\d+\](?:<std\w+>)?:"
    r"|\[(?!(?:ERROR|FATAL|CRITICAL|SEVERE|WARN|WARNING|INFO|DEBUG|TRACE)\])[\w./-]{1,40}\]:?"
    r"|\(\w[^()]{0,60} pid=\d+[^()]{0,60}\)"
    r"|==\d+=="
    r"|##\[error\]|::error(?: [^:]{0,200})?::"
    r"|[\w.-]{1,40} +\|"
    r")(?=\s|[A-Z]|$|\[)\s*"
)
"""One thing that a logger, a runner or a terminal puts before a line."""

_NO_FAILURE = re.compile(
    r"(?i)\b(?:0|no) (?:errors?|failures?|failed|warnings)\b|\b(?:failed|errors?|failures?|ignored|rescued)[=:] ?\d+\b"
)
"""Words of failure that say that there was none, and counts."""

_JSON = re.compile(r'\{.{0,300}?"(?:level|severity|lvl|levelname)": ?"(\w{1,20})"')
_JSON_TEXT = re.compile(r'"(?:exc_info|exception|error|err|msg|message)": ?"((?:[^"\\]|\\.){0,2000})"')
_FAILED: Final = frozenset({"ERROR", "FATAL", "CRITICAL", "SEVERE", "PANIC", "EMERG"})

_SILENT, _LOGGED, _PREFIXED = 1 << 8, 1 << 9, 1 << 10
"""More bits than those of ``Kind``: what says nothing, what a logger marks as an error, and what stood behind more."""

_BITS: Final = (
    (_SILENT, line_forms.SILENT),
    (1 << Kind.WRAPPER, line_forms.WRAPPER),
    (1 << Kind.CAUSE, line_forms.CAUSE),
    (1 << Kind.PLACED, line_forms.PLACED),
    (1 << Kind.LOGGED, line_forms.MARKED),
    (_LOGGED, line_forms.LOGGED),
    (1 << Kind.WORD, line_forms.WORD),
)


@cache
def _forms() -> PatternSet:
    return PatternSet({pattern: bit for bit, patterns in _BITS for pattern in patterns})


def kind_in(line: str) -> Kind | None:
    """What a line says about the failure; ``None`` is nothing."""
    bare, prefixed = _bare(line)
    if bare.startswith("{") and (level := _JSON.match(bare)):
        return _kind_of_json(bare, level.group(1))
    if "0" in bare or "o " in bare or "O " in bare:
        bare = _NO_FAILURE.sub("", bare)
    kind = _verdict(_forms().match(bare) | (_PREFIXED if prefixed else 0))
    return Kind.CAUSE if kind is None and "DATA RACE" in bare else kind


@cache
def _verdict(bits: int) -> Kind | None:
    """The kind of a line in which these forms were found; ``None`` if it says nothing."""
    if bits & _SILENT:
        return None
    if bits & 1 << Kind.WRAPPER:
        return Kind.WRAPPER
    if bits & _LOGGED or (bits & _PREFIXED and bits & 1 << Kind.LOGGED):
        return Kind.LOGGED
    return next((kind for kind in Kind if bits & 1 << kind), None)


def _kind_of_json(line: str, level: str) -> Kind | None:
    if level.upper() not in _FAILED:
        return None
    said = [part for text in _JSON_TEXT.findall(line) for part in text.split("\\n")]
    return Kind.CAUSE if any(_forms().match(part) & 1 << Kind.CAUSE for part in said) else Kind.LOGGED


def _bare(line: str) -> tuple[str, bool]:
    """The line without what stands before it, and whether that was anything."""
    line = _without_colours(line[:_LONGEST])
    if not _may_be_prefixed(line):
        return line, False
    at = 0
    while (prefix := _PREFIX.match(line, at)) and prefix.end() > at:
        at = prefix.end()
    return line[at:], at > 0


def _may_be_prefixed(line: str) -> bool:
    """Whether ``_PREFIX`` may match. Before a word that means a date, a level and a number, or a name and a bar."""
    return not line[:1].isalpha() or line[3:4] == " " or line[1:2].isdigit() or "|" in line


def shown(line: str) -> str:
    """The line without colours and what is blank around it."""
    return _without_colours(line).strip()


def _without_colours(line: str) -> str:
    return _ESCAPE.sub("", line) if "[" in line else line
