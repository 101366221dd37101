"""Key lines: of a program's output, the lines that say why it failed.

A line is of one kind (``line_kind``), or says nothing.

The best kind in the final region wins, then in the report before it, then in all of the text. Errors that follow one
another mostly have one cause, which is named first, so the first line of the last such group is the key line.

``summarise_trace`` gives the end of a long text with its key line.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from agent.core.classify.region import CHAINED, MARKERS, final_region, region_before
from agent.core.failure import KeyLine, StackTrace
from agent.core.memo import keep_last
from agent.core.summary.line_kind import Kind, kind_in, shown

CANDIDATES: Final = 3
"""How many key lines are given at most."""

_GAP: Final = 12
"""Lines between two errors of one group at most: quoted source, notes and hints."""


_FEW: Final = 4
"""Lines that may say something, of which each is looked at before the regions are."""


_WHY: Final = {
    Kind.CAUSE: "it has the form of an error",
    Kind.PLACED: "it names a line of the source",
    Kind.LOGGED: "it was logged as an error",
    Kind.WORD: "it mentions a failure",
    Kind.WRAPPER: "it reports that something failed",
}

_DECISIVE: Final = (Kind.CAUSE, Kind.PLACED)
"""Kinds for which no other region is looked at."""


def _found_in(text: str) -> tuple[KeyLine, ...]:
    return alone_in(text) or ranked_in(text)


def alone_in(text: str) -> tuple[KeyLine, ...]:
    """The key line of a text in which at most one line may say something, such as a traceback; empty if unsure.

    It finds what ``ranked_in`` finds: a line that is alone is the first of the best group in whichever region it is.
    It does not split the text, nor look at indented lines: if the others have all colons, none of those is audible.
    """
    lines = _UNINDENTED.findall(f"\n{text}")
    audible = [line for line in lines if line not in _MUTE]
    if len(audible) > 1 or not _has_every_colon("\n".join(lines), text):
        return ()
    kind = kind_in(audible[0]) if audible else None
    if kind is None:
        return _last_in(text[text.rfind("\n", 0, max(len(text) - 1, 0)) + 1 :])
    is_heading = audible[0].rstrip().endswith(":")
    return () if is_heading else (KeyLine(text=shown(audible[0]), why=_WHY[kind]),)


def _has_every_colon(lines: str, text: str) -> bool:
    return lines.count(":") == text.count(":") or lines.count(": ") == text.count(": ")


def ranked_in(text: str) -> tuple[KeyLine, ...]:
    lines = _Lines(text.split("\n"))
    for first in _starts(text, lines):
        found = _ranked(lines, first=first)
        if found and (first == 0 or found[0][0] in _DECISIVE):
            return tuple([KeyLine(text=shown(lines.texts[number]), why=_WHY[kind]) for kind, number in found])
    return _last_in(text)


def _last_in(text: str) -> tuple[KeyLine, ...]:
    """The last line that is not blank; empty if there is none."""
    last = next((said for line in reversed(text.split("\n")) if (said := shown(line))), "")
    return (KeyLine(text=last, why="it is the last line"),) if last else ()


def _starts(text: str, lines: "_Lines") -> Iterator[int]:
    """The lines at which the regions start that are looked at in turn, each only if the one before does not decide."""
    if not lines.are_one_group():
        region = final_region(text)
        yield text.count("\n", 0, len(text) - region)
        yield text.count("\n", 0, len(text) - region_before(text, region))
    yield 0


key_lines = keep_last(_found_in)
"""The lines that say best why a program failed, the best one first; none if there is no line at all.

Cached, because the same text is read for the stack trace and for the fingerprint.
"""


class _Lines:
    """The lines of a text; the kind of each is found out once, when it is asked for.

    ``audible`` are the numbers of those that may say anything. Most lines of a trace are frames, quoted source or the
    heading, which costs a fraction of a microsecond to see.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = texts
        self.audible = [
            number
            for number, line in enumerate(texts)
            # for a character a line is searched twice as fast as for two
            if (not line.startswith(_INDENTS) or (":" in line and ": " in line)) and line not in _MUTE
        ]
        self._kinds: dict[int, Kind | None] = {}

    def kind(self, number: int) -> Kind | None:
        if number not in self._kinds:
            self._kinds[number] = kind_in(self.texts[number])
        return self._kinds[number]

    def by_kind(self, *, first: int) -> dict[Kind, list[int]]:
        """The numbers of the lines from ``first`` on that say anything."""
        found: dict[Kind, list[int]] = {}
        for number in self.audible[bisect_left(self.audible, first) :]:
            if (kind := self.kind(number)) is not None:
                found.setdefault(kind, []).append(number)
        return found

    def are_one_group(self) -> bool:
        """Whether few lines may say anything, and those that do are one group: it is found in whichever region it is.

        A group whose kind does not decide is looked for in all of the text, so it may have one line only.
        """
        if len(self.audible) > _FEW:
            return False
        found = self.by_kind(first=0)
        return not found or (len(found) == 1 and all(map(_is_one_group, found, found.values())))

    def nearest_above(self, number: int, kind: Kind) -> int | None:
        """The next line of this kind above a line, with little between them."""
        low, high = bisect_left(self.audible, number - _GAP), bisect_left(self.audible, number)
        return next((above for above in reversed(self.audible[low:high]) if self.kind(above) is kind), None)


def _ranked(lines: _Lines, *, first: int) -> list[tuple[Kind, int]]:
    """The lines that say most, by their numbers, best first; those above ``first`` only as part of a group."""
    ranked: list[tuple[Kind, int]] = []
    for kind, numbers in sorted(lines.by_kind(first=first).items()):
        groups = _groups(numbers)
        if first > 0 and kind in _DECISIVE:
            groups[0] = [*_above(lines, groups[0][0], kind), *groups[0]]
        ranked += [(kind, _speaker(lines.texts, group)) for group in reversed(groups)]
    return ranked[:CANDIDATES]


def _groups(numbers: Sequence[int]) -> list[list[int]]:
    """Lines that follow one another, with little between them."""
    groups: list[list[int]] = []
    for number in numbers:
        if groups and number - groups[-1][-1] <= _GAP:
            groups[-1].append(number)
        else:
            groups.append([number])
    return groups


def _is_one_group(kind: Kind, numbers: Sequence[int]) -> bool:
    return len(numbers) == 1 or (kind in _DECISIVE and len(_groups(numbers)) == 1)


def _above(lines: _Lines, number: int, kind: Kind) -> list[int]:
    """The lines of this kind above a region that belong to its first group."""
    found: list[int] = []
    above = lines.nearest_above(number, kind)
    while above is not None:
        found.insert(0, above)
        above = lines.nearest_above(above, kind)
    return found


def _speaker(lines: Sequence[str], group: Sequence[int]) -> int:
    """The line of a group that says most: the last of chained exceptions, else the first.

    A line that ends with a colon is a heading of the next one.
    """
    chosen = group[0]
    for above, number in pairwise(group):
        if any(phrase in line for line in lines[above + 1 : number + 1] for phrase in _JOINTS):
            chosen = number
    if lines[chosen].rstrip().endswith(":") and chosen + 1 < len(lines) and lines[chosen + 1].strip():
        return chosen + 1
    return chosen


_JOINTS: Final = (*CHAINED, "Caused by: ")
"""Lines between two exceptions of which one led to the other (Python), or before the other (Java)."""

_INDENTS: Final = ("  ", "\t")

_UNINDENTED: Final = re.compile(r"\n(?! {2}|\t|\n|\Z)([^\n]*)")
"""The lines, of a text with a line break before it, that are not empty and start with none of ``_INDENTS``."""

_MUTE: Final = frozenset({"", f"{MARKERS[0]}:"})
"""Lines that say nothing, and are in most texts: blank ones and the heading of a traceback."""


def kind_of(line: str) -> Kind | None:
    """What a line says about the failure; ``None`` is nothing."""
    return next(iter(_Lines([line]).by_kind(first=0)), None)


TAIL_LINES = 10
"""Texts with more lines are summarised by their last ones (armadaproject/armada#4713)."""


def summarise_trace(text: str) -> StackTrace | None:
    """The last 10 lines and the key line of a text of more than 10; ``None`` for a shorter one."""
    above, *tail = text.removesuffix("\n").rsplit("\n", TAIL_LINES)
    if len(tail) < TAIL_LINES:
        return None
    found = key_lines(text)
    return StackTrace(
        tail="\n".join(tail),
        key_line=found[0].text if found else "",
        line_count=above.count("\n") + 1 + TAIL_LINES,
        candidates=found,
    )
