"""The final region of a text: its last lines, with the error that ended the program (docs/evidence.md).

The lines above it may have errors that the program survived. A region is given by where it starts, counted in
characters from the end of the text as it was read, so that cutting off its start does not move it.
"""

import re
from typing import Final

from agent.core.classify.pattern import compile_pattern, spans

MARKERS: Final = (
    "Traceback (most recent call last)",  # Python
    "Fatal Python error: ",
    'Exception in thread "',  # Java
    "# A fatal error has been detected by the Java Runtime Environment",
    "panic: ",  # Go
    "fatal error: ",
    "' panicked at ",  # Rust
    "terminate called ",  # C++
    "Unhandled exception",  # .NET and Node
    "Unhandled Exception",
    "Uncaught ",
    "FATAL ERROR: ",  # V8
    "ERROR: LoadError: ",  # Julia
    "*** Process received signal ***",  # Open MPI
    "==== backtrace (tid:",  # UCX
    "= FAILURES =",  # pytest
    "= ERRORS =",
    "--- FAIL: ",  # go test
    "BUILD FAILURE",  # Maven
    "FAILURE: Build failed with an exception",  # Gradle
)
"""Texts with which a report of an error starts."""

MARKED: Final = "|".join(map(re.escape, MARKERS))
"""A pattern that is found in every text with a marker."""

LINES: Final = 40
"""Lines of a region at most."""

CHARACTERS: Final = 4096
"""Characters of a region at most."""

UNMARKED_LINES: Final = 10
"""Lines, blank ones not counted, of the region of a text without a marker."""

_TRACEBACK = MARKERS[0]
CHAINED: Final = (
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
"""Phrases between the tracebacks of exceptions that led to one another (Python)."""

_TRACEBACK_JOINT = " exception"
"""Each of the phrases has this text."""
_CHAIN_CHARACTERS = 200
_BETWEEN = 4
"""Lines between the phrase that joins two tracebacks and the second one, with the line of the phrase itself."""


def is_short(text: str) -> bool:
    """Whether a text is one region as a whole."""
    return len(text[:-1].split("\n", UNMARKED_LINES)) <= UNMARKED_LINES


def final_region(text: str, *, has_marker: bool | None = None) -> int:
    """Where the final region starts, counted from the end: ``text[len(text) - n:]``.

    It starts at the last marker, for chained tracebacks at the first of the chain; without a marker it is the last ten
    lines that are not blank. It never has more than 40 lines or 4 KiB. ``has_marker`` saves the search for one in a
    long text, where the answer is known.
    """
    return len(text) - _start(text, len(text), has_marker=has_marker)


def first_report(region: str) -> str:
    """The Python traceback that a region starts with, to the line of its exception; empty if it starts otherwise.

    The lines of a rank may each have a prefix, such as ``[rank0]: ``.
    """
    lines = region.split("\n")
    prefix, marker, _ = lines[0].partition(_TRACEBACK)
    if not marker:
        return ""
    for number, line in enumerate(lines[1:], start=1):
        said = line.removeprefix(prefix)
        if said and not said[0].isspace():
            return "\n".join(lines[: number + 1])
    return region


def region_before(text: str, region: int) -> int:
    """The region that also has the report of an error before this one, if any: its start, counted from the end."""
    end = len(text) - region
    return region if _last_marker(text, 0, end) == -1 else len(text) - _start(text, end, has_marker=True)


def _start(text: str, end: int, *, has_marker: bool | None) -> int:
    if has_marker is not False and (start := _short_traceback(text, end)) != -1:
        return start
    bound = _bound(text, end)
    marker = -1 if has_marker is False else _last_marker(text, bound, end)
    if marker != -1:
        return max(_line_start(text, _first_of_chain(text, marker, low=bound)), bound)
    is_above = _last_marker(text, 0, bound) != -1 if has_marker is None else has_marker
    return bound if is_above else max(_unmarked(text, end), bound)


def _short_traceback(text: str, end: int) -> int:
    """The start of the traceback that a text ends with; -1 if it does not, or is chained, or may reach beyond a bound.

    A shortcut for what most programs in Python end with.
    """
    at = text.rfind(_TRACEBACK, max(end - CHARACTERS // 2, 0), end)
    if at == -1 or text.count("\n", at, end) >= LINES // 2:
        return -1
    above = text[max(at - _CHAIN_CHARACTERS, 0) : at]
    if (
        _TRACEBACK_JOINT in above
        or compile_pattern(MARKED).search(text[at + 1 : end].encode("ascii", "replace")) is not None
    ):
        return -1
    return _line_start(text, at)


def _last_marker(text: str, low: int, end: int) -> int:
    """Where the last marker between these places is; -1 if there is none."""
    last = text.rfind(_TRACEBACK, low, end)  # the most frequent one, which leaves little to search for the others
    after = low if last == -1 else last + 1
    for start, _ in spans(compile_pattern(MARKED), text[after:end].encode("ascii", "replace")):  # a byte a character
        last = after + start
    return last


def _first_of_chain(text: str, at: int, *, low: int) -> int:
    while text.startswith(_TRACEBACK, at):
        joint = text[_lines_back(text, at, _BETWEEN) : at]
        before = text.rfind(_TRACEBACK, low, at)
        if before == -1 or not any(phrase in joint for phrase in CHAINED):
            return at
        at = before
    return at


def _unmarked(text: str, end: int) -> int:
    """The start of the last lines before ``end`` that are not blank."""
    start, filled = end, 0
    while start > 0 and filled < UNMARKED_LINES:
        line_end = start
        start = _line_start(text, line_end - 1)
        filled += not text[start:line_end].isspace()
    return start


def _bound(text: str, end: int) -> int:
    """The earliest start of a region that ends here."""
    earliest = max(end - CHARACTERS, 0)
    lines = text[earliest:end].rstrip("\n").rsplit("\n", LINES)
    if len(lines) > LINES:
        return earliest + len(lines[0]) + 1
    if earliest == 0:
        return 0
    newline = text.find("\n", earliest, end)
    return earliest if newline == -1 else newline + 1


def _lines_back(text: str, end: int, lines: int) -> int:
    """The start of the last ``lines`` lines before ``end``, the line of ``end`` included."""
    start = end + 1
    for _ in range(lines):
        start = text.rfind("\n", 0, max(start - 1, 0)) + 1
        if start == 0:
            return 0
    return start


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1
