"""Survived errors: lines of a text in which a program reports that it tries again, and what they are about.

An error after which the program went on is not why it failed. If it gave up in the end, it says so in another line,
without a promise to try again.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agent.core.classify.pattern import compile_pattern, spans
from agent.core.classify.region import CHAINED, MARKERS, first_report

TRIES_AGAIN: Final = (
    r"(?im)\b(?:re-?trying|(?:trying|tried) again|backing off|reconnect(?:ing|ed))\b"
    r"|\bconnection (?:re-?established|restored)\b"
    r"|\b(?:will|going to|about to) (?:be )?(?:re-?tr(?:y|ied)|try again|attempt again|reconnect)\b"
    r"|\bre-?try(?:ing)? (?:in|after|#|number |attempt )"
    r"|\b(?:[1-9][0-9]*|more) (?:re-?)?(?:tr(?:y|ies)|attempts?) (?:left|remaining|to go)\b"
    r"|\bRetry\(total=[0-9]|\bfalling back (?:to|on)\b|\battempt [0-9]+ failed with\b"
    r"|\bsucceeded (?:after|on) (?:[0-9]+ |attempt |the )\w*|^ *--- PASS: "
)
"""How programs report that they try again, or that it worked the second time."""

GIVES_UP: Final = (
    r"(?im)\b(?:exceeded|exhausted|giv(?:e|es|en|ing) up|gave up|no more|not (?:be )?re-?tr(?:y|ying|ied)"
    r"|(?:failed|error) after|after [0-9]+ (?:re-?tries|attempts?|tries)|stop(?:ped|ping)? re-?trying|aborting)\b"
)
"""Words of a line in which a program says that it gave up."""


ABOUT: Final = 3
"""Lines before such a line that it may be about: a program that traces itself writes some between."""

ASIDE: Final = (
    r"(?m)[0-9Z)] +\[?(?:INFO|DEBUG|TRACE|VERBOSE|FINEST|FINER)\b|^[\[(]?(?:DEBUG|TRACE|VERBOSE|debug|trace)[]): ]"
    r"|^(?:INFO|CONFIG|FINE|FINER|FINEST): "
    r"|^npm (?:silly|verb)|^[0-9TZ:., -]*\[(?:debug|trace)\]|^\[[0-9.]+s\]\[(?:info|debug|trace) *\]"
    r"|^[IWD][0-9]{4} [0-9]"
    r"|^E[0-9]{4} [^\n]*(?:\] \"Unhandled Error\"|\b(?:reflector|memcache|leaderelection|\w*(?:controller|queue))\.go:)"
    r"|_test\.go:[0-9]+: |^=== (?:RUN|CONT|PAUSE|NAME) |\bPASSED\b|\.\.\. ok$|^(?:ok|PASS|ok: )\b"
)
"""Lines that say nothing of an end: below the level of errors (JDK, klog), what client-go survives, and of tests."""


GOES_ON: Final = f"(?:{TRIES_AGAIN})|(?:{ASIDE})"
"""A pattern that is found in every text with such a line."""

_TRACEBACK: Final = MARKERS[0]
_LONGEST: Final = 200
_BETWEEN: Final = 4
_WENT_ON: Final = 5
"""Lines of levels below an error that a program does not write any more once it failed."""
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


def survived(text: str) -> frozenset[int]:
    """The numbers of the lines after which the program went on, from 0.

    They are those that report another try or a passed test, with the lines that these are about, and what is written
    for debugging.
    """
    aside, again = _lines_with(ASIDE, text), _lines_with(TRIES_AGAIN, text)
    again -= _lines_with(GIVES_UP, text) if again else set()
    found = aside.union(number - before for number in again for before in range(ABOUT + 1))
    lines = _LINE.findall(text) if again else []
    for number in again:
        found.update(range(number, number + 1 + _length_of_report(lines[number + 1 : number + _LONGEST])))
    if aside and _TRACEBACK in text:
        found.update(_gone_on_after(aside, lines or _LINE.findall(text)))
    return frozenset(found)


def without(text: str, left_out: frozenset[int], *, end: int) -> str:
    """The last ``end`` characters of the text, without the lines of these numbers, which count in the whole text."""
    start = len(text) - end
    if not left_out:
        return text[start:]
    first = text.count("\n", 0, start)
    lines = _LINE.findall(text[start:])
    return "".join([line for number, line in enumerate(lines, start=first) if number not in left_out])


def _length_of_report(lines: Sequence[str]) -> int:
    """How many lines the tracebacks have that these start with, also those of exceptions that led to one another."""
    length = 0
    while length < len(lines) and _TRACEBACK in lines[length]:
        length += first_report("".join(lines[length:])).rstrip("\n").count("\n") + 1
        between = lines[length : length + _BETWEEN]
        if any(map(_joins, between)):
            length += next((number for number, line in enumerate(between) if _TRACEBACK in line), 0)
    return length


def _joins(line: str) -> bool:
    return any(phrase in line for phrase in CHAINED)


def _gone_on_after(aside: set[int], lines: Sequence[str]) -> Iterator[int]:
    """The lines of tracebacks after which the program wrote some lines more of levels below an error."""
    for number, line in enumerate(lines):
        if _TRACEBACK in line:
            end = number + _length_of_report(lines[number : number + _LONGEST])
            if all(after in aside for after in range(end, end + _WENT_ON)):
                yield from range(number, end)


def _lines_with(pattern: str, text: str) -> set[int]:
    """The numbers of the lines, from 0, in which the pattern is found; in one pass, since texts are long."""
    data = text.encode("utf-8", "replace")
    found, number, counted = set(), 0, 0
    for span in spans(compile_pattern(pattern), data):
        number, counted = number + data.count(b"\n", counted, span[0]), span[0]
        found.add(number)
    return found
