"""The tables of filters and columns in docs/finding.md: ``python -m tests.docs.finding_page FILE`` writes the page."""

import sys
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Final

from agent.ctl.lookout_query import COUNTED, SORTED
from agent.store.records.columns import COLUMNS, TIME
from agent.store.records.filters import LISTS, Filter, PodFilter, all_filters
from tests.docs.generated_table import line, with_table
from tests.ground.tree import ROOT

PAGE: Final = ROOT / "docs" / "finding.md"
SOURCE: Final = "agent/store/records/filters.py"
SOURCE_OF_COLUMNS: Final = "agent/store/records/columns.py"


def page(text: str) -> str:
    """The page with the tables as they must be. Raises ValueError where it has no place for them."""
    return with_table(with_table(text, table(), source=SOURCE), columns(), source=SOURCE_OF_COLUMNS)


def table() -> Iterator[str]:
    """The lines of the table: a filter each, and which lists have it."""
    yield line(["option", *LISTS, "`classify`", "finds"])
    yield line(["---"] * (len(LISTS) + 3))
    for field in all_filters():
        lists = (*LISTS.values(), PodFilter)
        yield line(
            [_spelt(field), *(_yes(field.name in wanted.__struct_fields__) for wanted in lists), field.asked.help]
        )


def columns() -> Iterator[str]:
    """The lines of the table: a column each, which lists are sorted and counted by it, and what a Lookout can."""
    yield line(["column", *LISTS, "a Lookout sorts", "a Lookout counts"])
    yield line(["---"] * (len(LISTS) + 3))
    for name in dict.fromkeys(name for kind in LISTS for name in (TIME, *COLUMNS[kind])):
        has = [_yes(name in (TIME, *COLUMNS[kind])) for kind in LISTS]
        sorts, counts = (", ".join(kind for kind in LISTS if name in known[kind]) for known in (SORTED, COUNTED))
        yield line([f"`{name.replace('_', '-')}`", *has, sorts, counts])


def _yes(given: object) -> str:
    return "yes" if given else ""


def _spelt(field: Filter) -> str:
    named = isinstance(field.value, EnumType) and not field.asked.value
    value = "\\|".join(field.value) if named else field.asked.value
    *short, long = field.options
    return ", ".join(f"`{option}`" for option in [*short, f"{long} {value}"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
