"""Quoting a foreign text: the relevant part, on one line, bounded."""

from collections.abc import Iterable

LONGEST = 160
"""Characters of a text that a sentence quotes; an ellipsis marks what was cut off."""

_BEFORE = 40
"""Characters kept before the match if the line is too long to quote."""


def on_one_line(text: str) -> str:
    """``text`` with each run of white space as one blank, as a sentence quotes it."""
    return " ".join(text.split())


def quote(text: str) -> str:
    """``text`` on one line, cut to LONGEST."""
    return _cut(on_one_line(text), start=0)


def line_with(found: str, texts: Iterable[str]) -> str:
    """The line of the first text that contains the match, so that it appears as written; else the match itself."""
    for text in texts:
        start = text.find(found) if found else -1
        if start >= 0:
            first = text.rfind("\n", 0, start) + 1
            last = text.find("\n", start + len(found.rstrip("\n")))
            line = on_one_line(text[first : None if last < 0 else last])
            return _cut(line, start=max(line.find(on_one_line(found)), 0))
    return quote(found)


def line_below(found: str, texts: Iterable[str]) -> str:
    """The line that the heading with the match announces, quoted; empty if there is none below it.

    That is the first line below that is not indented, as an exception below its frames; else the last.
    """
    for text in texts:
        _, matched, below = text.partition(found) if found else (text, "", "")
        if matched:
            lines = [line for line in below.splitlines()[1:] if line.strip()]
            unindented = (line for line in lines if not line[0].isspace())
            return quote(next(unindented, lines[-1] if lines else ""))
    return ""


def last_line(text: str) -> str:
    """The last line that is not blank: most programs print the error last."""
    return quote(next((line for line in reversed(text.splitlines()) if line.strip()), ""))


def _cut(line: str, *, start: int) -> str:
    if len(line) <= LONGEST:
        return line
    first = min(max(start - _BEFORE, 0), len(line) - LONGEST)
    kept = line[first : first + LONGEST].strip()
    return f"{'…' if first else ''}{kept}{'…' if first + LONGEST < len(line) else ''}"
