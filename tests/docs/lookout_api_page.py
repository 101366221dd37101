"""The columns in docs/lookout-api.md: ``python -m tests.docs.lookout_api_page FILE`` writes the page with them."""

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from agent.lookout.query.columns import LISTS, Column, Kind, Operator
from tests.docs.generated_table import line, with_table
from tests.ground.tree import ROOT

PAGE: Final = ROOT / "docs" / "lookout-api.md"
SOURCE: Final = "agent/lookout/query/columns.py"


def page(text: str) -> str:
    """The page with the table as it must be. Raises ValueError where it has no place for it."""
    return with_table(text, table(), source=SOURCE)


def table() -> Iterator[str]:
    """The lines of the table: a column each, which lists have it, and how it is compared there."""
    yield line(["column", *LISTS, "operators", "finds"])
    yield line(["---"] * (len(LISTS) + 3))
    for name in dict.fromkeys(column.name for of in LISTS.values() for column in of.columns):
        columns = {of.name: column for of in LISTS.values() if (column := of.column(name)) is not None}
        has = ["yes" if list_name in columns else "" for list_name in LISTS]
        help_of = " ".join(dict.fromkeys(column.help for column in columns.values()))
        values = _values(next(iter(columns.values())))
        yield line([f"`{name}`", *has, _operators(columns), f"{help_of}{values}"])


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


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
