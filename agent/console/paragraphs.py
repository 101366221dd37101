"""Wraps text to the width of a terminal, with a hanging indent after the label.

A command is wrapped so that a shell reads its lines as one.
"""

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from rich.cells import chop_cells

from agent.console.terminal import cells_of

NARROWEST: Final = 16
"""Cells that a line of text gets at least, however narrow the terminal is."""

NO_BREAK: Final = "\xa0"
"""A space at which no line is broken; ``visible`` removes it from foreign text."""

_GOES_ON: Final = " \\"
"""Ends a line of a command that continues on the next line."""

_BREAKS: Final = "/-_.,:;=&?)]}"
"""A word longer than a line, such as a URL or a path, is broken after one of these if possible."""


def wrap(text: str, columns: int) -> list[str]:
    """The lines of a visible text, each at most this wide; only spaces at a break are lost."""
    columns = max(columns, NARROWEST)
    lines: list[str] = []
    while cells_of(text) > columns:
        at = _break(text, columns)
        lines.append(text[:at].rstrip(" "))
        text = text[at:].lstrip(" ")
    return [*lines, text]


def paragraph(label: str, text: str, *, indent: int, columns: int | None) -> Iterator[str]:
    """Lines of a visible text, indented by ``indent``, the first after its label; without ``columns`` one long line."""
    broken = [text] if columns is None else wrap(text, columns - indent)
    for index, line in enumerate(broken):
        yield f"{label if index == 0 else '':<{indent}}{line.replace(NO_BREAK, ' ')}".rstrip(" ")


def command_lines(words: Sequence[str], *, indent: int, columns: int) -> Iterator[str]:
    """Lines of a command that a shell reads as these words; the words are visible text and are quoted here.

    Lines are broken between words. A word longer than a line is quoted in pieces that begin at the left edge.
    """
    columns = max(columns, 2 * indent + NARROWEST)
    line = ""
    for index, word in enumerate(words, start=1):
        text, room = shlex.quote(word), columns - (len(_GOES_ON) if index < len(words) else 0)
        before = f"{line} " if line else " " * indent
        if cells_of(before) + cells_of(text) <= room:
            line = before + text
            continue
        if line:
            yield line + _GOES_ON
        *most, last = _pieces(word, columns - 2 * indent - len(_GOES_ON))
        blanks = " " * (2 * indent)
        yield from (f"{'' if at else blanks}{piece}{_GOES_ON.strip()}" for at, piece in enumerate(most))
        line = last if most else blanks + last
    yield line


def _pieces(word: str, columns: int) -> list[str]:
    """The quoted pieces of a word, each at most this wide."""
    for cells in range(columns, 0, -1):
        pieces = [shlex.quote(piece) for piece in chop_cells(word, cells)] or [shlex.quote(word)]
        if all(cells_of(piece) <= columns for piece in pieces):
            return pieces
    return [shlex.quote(word)]


def _break(text: str, columns: int) -> int:
    """The offset at which the first line of a text that is too long ends."""
    head = len(chop_cells(text[: 2 * columns], columns)[0])
    if text[head] == " ":
        return head
    blank = text.rfind(" ", 0, head)
    if blank > 0 and text[:blank].strip(" "):
        return blank
    sign = max(text.rfind(sign, head // 2, head) for sign in _BREAKS)
    return sign + 1 if sign >= 0 else head
