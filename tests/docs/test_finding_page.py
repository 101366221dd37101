"""docs/finding.md has every filter of lists, as the filters describe themselves."""

import pytest

from agent.store.records.columns import COLUMNS, TIME
from agent.store.records.filters import LISTS, filters_of
from tests.docs.finding_page import PAGE, SOURCE, columns, page, table
from tests.docs.generated_table import END, begin


def test_the_page_has_the_filters_there_are() -> None:
    committed = PAGE.read_text(encoding="utf-8")

    assert committed == page(committed), "run make generate"


def test_the_table_says_which_lists_have_a_filter() -> None:
    rows = dict(line.split("|", 2)[1:] for line in table())

    assert rows[" `-n`, `--namespace NAME` "] == " yes | yes | yes | yes | | In this namespace. |\n"
    assert rows[" `--exit-code NUMBER` "].startswith(" yes | | yes | yes | ")
    assert len(rows) == len({field.name for name in LISTS for field in filters_of(name)}) + 2


def test_the_table_of_columns_says_what_lists_are_sorted_and_counted_by() -> None:
    rows = dict(line.split("|", 2)[1:] for line in columns())

    assert rows[" `phase` "] == " | yes | | | | runs |\n"
    assert rows[" `node` "] == " yes | yes | yes | yes | runs, failures, verdicts | runs, failures, verdicts |\n"
    assert rows[" `time` "] == " yes | yes | yes | yes | jobs, runs, failures, verdicts | |\n"
    assert len(rows) == len({TIME, *(name for names in COLUMNS.values() for name in names)}) + 2


def test_values_do_not_end_the_cell_that_they_are_in() -> None:
    assert any(line.startswith(r"| `--action retry\|fail` |") for line in table())


@pytest.mark.parametrize("text", ["", begin(SOURCE), END, f"{END}{begin(SOURCE)}"])
def test_a_page_without_a_place_for_the_table_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no place for the table"):
        page(text)
