"""A page with a table that is generated, between two comments."""

from collections.abc import Iterable, Sequence
from typing import Final

END: Final = "<!-- The end of what is generated. -->\n"


def begin(source: str) -> str:
    """The comment before the table, which names the file that it is generated from."""
    return f"<!-- Generated from {source} by `make generate`: do not edit the table here. -->\n"


def with_table(text: str, lines: Iterable[str], *, source: str) -> str:
    """The page with the table as it must be. Raises ValueError where it has no place for it."""
    before, first, rest = text.partition(begin(source))
    _, last, after = rest.partition(END)
    if not first or not last:
        raise ValueError(f"no place for the table: write {begin(source).strip()} and {END.strip()}, a line each")
    return "".join([before, first, "\n", *lines, "\n", last, after])


def line(cells: Sequence[str]) -> str:
    """A line of a table."""
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in cells)}|\n"
