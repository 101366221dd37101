"""The terminal: what is printed there, and what must never reach it.

Text from pods is hostile, because users of the cluster write it: nothing printed here can move the cursor, change
colours or be read as markup. Colours follow ``--color``, the terminal and ``NO_COLOR``; pipes get plain lines of any
length.
"""

import os
import re
import shutil
import unicodedata
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal, TextIO

import typer
from rich.cells import cell_len, chop_cells

ColourChoice = Literal["auto", "always", "never"]

_choice: ContextVar[ColourChoice] = ContextVar("colour", default="auto")
_INVISIBLE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
_BLANK_CHARACTERS = "\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0"
_SELECTORS = "\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_UNSEEN = re.compile(f"[{_BLANK_CHARACTERS}{_SELECTORS}]")
"""Characters that are invisible, although Unicode does not class them as control characters."""

_MARKS_SHOWN = 3
"""The most marks on one character that any language needs; more of them overlap other lines."""


def width(out: TextIO) -> int | None:
    """The columns of the terminal; ``None`` if ``out`` is not a terminal."""
    return shutil.get_terminal_size().columns if out.isatty() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours text, which must be our own or visible; if ``on`` is false, it returns text unchanged."""

    on: bool = False

    def strong(self, text: str) -> str:
        return typer.style(text, bold=True) if self.on else text

    def faint(self, text: str) -> str:
        return typer.style(text, dim=True) if self.on else text

    def bad(self, text: str) -> str:
        return typer.style(text, fg="red", bold=True) if self.on else text

    def warning(self, text: str) -> str:
        return typer.style(text, fg="yellow") if self.on else text

    def good(self, text: str) -> str:
        return typer.style(text, fg="green") if self.on else text


def choose_colour(choice: ColourChoice) -> ColourChoice:
    """Store the value of ``--color`` for this run of the program."""
    _choice.set(choice)
    return choice


def palette(out: TextIO) -> Palette:
    """Return the colours for ``out``: by ``--color``, else on if it is a terminal and NO_COLOR is not set."""
    choice = _choice.get()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    return Palette(on=choice == "always" or (choice == "auto" and out.isatty() and not plain))


def visible(text: str) -> str:
    """``text`` with an escape for every character that is invisible or controls the terminal, newlines included."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_shown(text))


def _shown(text: str) -> Iterator[str]:
    marks = 0
    for char in text:
        marks = marks + 1 if unicodedata.combining(char) else 0
        yield char if _is_plain(char) and marks <= _MARKS_SHOWN else _escape(char)


def visible_lines(text: str) -> list[str]:
    """The lines of ``text``, split on newlines only, each made visible; tabs become four blanks."""
    return [visible(line.replace("\t", "    ")) for line in text.rstrip("\n").split("\n")]


def cells_of(text: str) -> int:
    """How many cells of a terminal a visible text takes: a character of Chinese takes two, an accent none."""
    return len(text) if text.isascii() else cell_len(text)


def fit(text: str, columns: int) -> str:
    """``text`` cut to ``columns`` with an ellipsis where something was cut."""
    if cells_of(text) <= columns:
        return text
    return chop_cells(text, columns - 1)[0] + "…" if columns > 1 else "…"


def shorten(text: str, columns: int) -> str:
    """``text`` cut to ``columns`` with an ellipsis in its middle: names differ at their beginnings and ends."""
    if cells_of(text) <= columns:
        return text
    if columns < 3:  # noqa: PLR2004 - one cell at either side of the ellipsis
        return fit(text, columns)
    head = chop_cells(text, columns // 2)[0]
    tail = chop_cells(text[::-1], columns - cells_of(head) - 1)[0][::-1]
    return f"{head}…{tail}"


def _is_plain(char: str) -> bool:
    if char == " ":
        return True
    return char.isprintable() and unicodedata.category(char) not in _INVISIBLE and not _UNSEEN.match(char)


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii") if not _is_surrogate(char) else f"\\u{ord(char):04x}"


def _is_surrogate(char: str) -> bool:
    return unicodedata.category(char) == "Cs"
