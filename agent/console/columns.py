"""Columns of text, printed line by line. Cells are made visible, and their width is the one on a terminal.

rich's tables need all rows at once, and a list may be too long to hold.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from agent.console.terminal import cells_of, fit, visible


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's heading and minimum width in cells; numbers are aligned ``right``."""

    heading: str = ""
    width: int = 0
    right: bool = False


def line(texts: Sequence[str], shown: Sequence[Column], *, indent: int = 0, gap: int = 2, cut: bool = False) -> str:
    """Return a line with a text in each column. A text that is too long moves the next ones, or is ``cut``."""
    held = [visible(text) for text in texts]
    if cut:
        held = [fit(text, column.width) for text, column in zip(held, shown, strict=True)]
    padded = [_padded(text, column) for text, column in zip(held, shown, strict=True)]
    if not shown[-1].right:
        padded[-1] = held[-1]
    whole = " " * indent + (" " * gap).join(padded)
    return whole if held[-1] else whole.rstrip(" ")


def heading(shown: Sequence[Column]) -> str:
    """Return the line above the columns."""
    return line([column.heading for column in shown], shown)


def table(shown: Sequence[Column], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the heading and a line for each row, in columns that are wide enough for all of them."""
    wide = widened(shown, rows)
    yield heading(wide)
    yield from (line(row, wide) for row in rows)


def widened(shown: Sequence[Column], rows: Iterable[Sequence[str]]) -> tuple[Column, ...]:
    """Return the columns, each wide enough for its heading and for its texts in all rows."""
    widths = [max(column.width, cells_of(column.heading)) for column in shown]
    for row in rows:
        widths = [max(width, cells_of(visible(text))) for width, text in zip(widths, row, strict=True)]
    return tuple(replace(column, width=width) for column, width in zip(shown, widths, strict=True))


def _padded(text: str, column: Column) -> str:
    blanks = " " * (column.width - cells_of(text))
    return blanks + text if column.right else text + blanks
