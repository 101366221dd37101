"""The columns in docs/lookout-api.md: ``python -m tests.docs.lookout_api_page FILE`` writes the page with them."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from agent.lookout.query.columns import LISTS, Column, Kind, Operator
from tests.ground.tree import ROOT

PAGE: Final = ROOT / "docs" / "lookout-api.md"
BEGIN: Final = (
    "<!-- Generated from agent/lookout/query/columns.py by `make generate`: do not edit the table here. -->\n"
)
END: Final = "<!-- The end of what is generated. -->\n"


def page(text: str) -> str:
    """The page with the table as it must be. Raises ValueError where it has no place for it."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"no place for the table: write {BEGIN.strip()} and {END.strip()}, a line each")
    return "".join([before, begin, "\n", *table(), "\n", end, after])


def table() -> Iterator[str]:
    """The lines of the table: a column each, which lists have it, and how it is compared there."""
    yield _line(["column", *LISTS, "operators", "finds"])
    yield _line(["---"] * (len(LISTS) + 3))
    for name in dict.fromkeys(column.name for of in LISTS.values() for column in of.columns):
        columns = {of.name: column for of in LISTS.values() if (column := of.column(name)) is not None}
        has = ["yes" if list_name in columns else "" for list_name in LISTS]
        help_of = " ".join(dict.fromkeys(column.help for column in columns.values()))
        values = _values(next(iter(columns.values())))
        yield _line([f"`{name}`", *has, _operators(columns), f"{help_of}{values}"])


def _operators(columns: Mapping[str, Column]) -> str:
    """Operators of a column, by list; and where not all of them have one, which do."""
    shown = []
    for operator in filter(None, Operator):
        having = [name for name, column in columns.items() if operator in column.operators]
        if having:
            where = "" if len(having) == len(columns) else f" in {', '.join(having)}"
            shown.append(f"`{operator}`{where}")
    return ", ".join(shown)


def _values(column: Column) -> str:
    named = column.kind is Kind.CHOICE and column.values and column.name != "state"
    return f" {', '.join(f'`{value}`' for value in column.values)}." if named else ""


def _line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"|{'|'.join(f' {cell} ' if cell else ' ' for cell in escaped)}|\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
