"""Rows of any length on terminals of any width."""

from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from agent.console.terminal import cells_of, visible
from agent.core.failure import Advice
from agent.ctl.classify.table import NORMAL, WIDE, Row, Totals, layout

KEPT: Final = ("FAULT", "RETRY", "EXIT")


def texts(longest: int) -> st.SearchStrategy[str]:
    return st.text(min_size=1, max_size=longest).map(visible)


def rows() -> st.SearchStrategy[Row]:
    return st.fixed_dictionaries(
        {
            "POD": texts(120),
            "CATEGORY": texts(60),
            "FAULT": st.sampled_from(["job", "node", "platform", "?"]),
            "RETRY": st.sampled_from([*Advice, "-"]),
            "CONTAINER": texts(63),
            "EXIT": st.sampled_from(["-", "1", "137", "-1073741819"]),
            "WHAT": texts(200),
            "NODE": texts(60),
            "HINT": texts(60),
        }
    )


@given(first=st.lists(rows(), min_size=1, max_size=4), later=rows(), terminal=st.integers(60, 220))
def test_no_line_is_wider_than_the_terminal_and_what_matters_is_whole(
    first: list[Row], later: Row, terminal: int
) -> None:
    laid_out = layout(first, headings=NORMAL, terminal=terminal)

    assert cells_of(laid_out.heading()) <= terminal
    for row in (*first, later):
        line = laid_out.line(row)
        assert cells_of(line) <= terminal
        assert all(row[name] in line for name in KEPT)


@given(first=st.lists(rows(), min_size=1, max_size=4), later=rows())
def test_a_pipe_gets_whole_cells(first: list[Row], later: Row) -> None:
    line = layout(first, headings=WIDE, terminal=None).line(later)

    assert all(later[name].strip() in line for name in WIDE)


def test_totals_of_very_many_categories_say_how_many_more_there_are() -> None:
    totals = Totals(failed={(f"category-{number:02}", "the job"): 1 for number in range(23)})
    lines = list(totals.lines(None))

    assert lines[0] == "23 pods: 23 failed, 0 healthy"
    assert lines[-1] == "and 3 more pairs of category and fault"
    assert len(lines) == 22
