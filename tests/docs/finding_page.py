"""The table of filters in docs/finding.md: ``python -m tests.docs.finding_page FILE`` writes the page with it."""

import sys
from collections.abc import Iterator
from enum import EnumType
from pathlib import Path
from typing import Final

from agent.store.records.filters import LISTS, Filter, all_filters
from tests.docs.generated_table import line, with_table
from tests.ground.tree import ROOT

PAGE: Final = ROOT / "docs" / "finding.md"
SOURCE: Final = "agent/store/records/filters.py"


def page(text: str) -> str:
    """The page with the table as it must be. Raises ValueError where it has no place for it."""
    return with_table(text, table(), source=SOURCE)


def table() -> Iterator[str]:
    """The lines of the table: a filter each, and which lists have it."""
    yield line(["option", *LISTS, "finds"])
    yield line(["---"] * (len(LISTS) + 2))
    for field in all_filters():
        has = ["yes" if field.name in wanted.__struct_fields__ else "" for wanted in LISTS.values()]
        yield line([_spelt(field), *has, field.asked.help])


def _spelt(field: Filter) -> str:
    named = isinstance(field.value, EnumType) and not field.asked.value
    value = "\\|".join(field.value) if named else field.asked.value
    *short, long = field.options
    return ", ".join(f"`{option}`" for option in [*short, f"{long} {value}"])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
