"""Rows of any length on terminals of any width."""

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.console.terminal import cells_of, visible
from agent.core.failure import Advice, Grade
from agent.ctl.classify.layout import Row, layout
from agent.ctl.classify.rows import NORMAL, WIDE, with_counts
from agent.ctl.pod_names import least_cells

KEPT: Final = ("COUNT", "FAULT")


def texts(longest: int) -> st.SearchStrategy[str]:
    return st.text(min_size=1, max_size=longest).map(visible)


def rows() -> st.SearchStrategy[Row]:
    return st.fixed_dictionaries(
        {
            "POD": texts(120),
            "COUNT": st.sampled_from(["1", "12", "1,234"]),
            "CATEGORY": texts(60),
            "FAULT": st.sampled_from(["user", "infra", "infra?", "platform", "platform?", "unknown"]),
            "GRADE": st.sampled_from([*Grade, "-"]),
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
    laid_out = layout(first, headings=with_counts(NORMAL), terminal=terminal)

    assert cells_of(laid_out.heading()) <= terminal
    for row in (*first, later):
        lines = list(laid_out.lines(row))
        assert max(map(cells_of, lines)) <= terminal
        assert all(row[name] in lines[-1] for name in KEPT)
        name = row["POD"].rpartition("/")[2]
        assert lines[0].partition("/")[2].startswith(name) or name in lines[0] or least_cells(row["POD"]) > terminal


@given(first=st.lists(rows(), min_size=1, max_size=4), later=rows())
def test_a_pipe_gets_whole_cells(first: list[Row], later: Row) -> None:
    (line,) = layout(first, headings=WIDE, terminal=None).lines(later)

    assert all(later[name].strip() in line for name in WIDE)


def row(pod: str) -> Row:
    cells = {"CATEGORY": "oom/container-limit", "FAULT": "job", "GRADE": "proven", "RETRY": "changed", "EXIT": "137"}
    return {**cells, "POD": pod, "CONTAINER": "main", "WHAT": "container main passed its memory limit (exit 137)"}


LONG: Final = "ml-platform-production/llama-70b-worker-7dlft7-st2q8"


@pytest.mark.parametrize(
    ("terminal", "headings", "pod"),
    [
        (150, "POD CATEGORY FAULT GRADE RETRY CONTAINER EXIT WHAT", LONG),
        (120, "POD CATEGORY FAULT GRADE RETRY CONTAINER EXIT WHAT", "ml-platf…/llama-70b-worker-7dlft7-st2q8"),
        (100, "POD CATEGORY FAULT RETRY EXIT WHAT", "ml-pl…/llama-70b-worker-7dlft7-st2q8"),
        (80, "POD CATEGORY FAULT GRADE RETRY EXIT", "ml-…/llama-70b-worker-7dlft7-st2q8"),
    ],
)
def test_namespaces_are_cut_and_columns_are_hidden_before_the_name_of_a_pod(
    terminal: int, headings: str, pod: str
) -> None:
    """Names were cut in the middle, while their namespaces were whole."""
    laid_out = layout([row(LONG)], headings=NORMAL, terminal=terminal)
    (line,) = laid_out.lines(row(LONG))

    assert laid_out.heading().split() == headings.split()
    assert line.split()[:3] == [pod, "oom/container-limit", "job"]


def test_a_name_that_is_too_long_for_its_column_has_a_line_of_its_own() -> None:
    longest = "a-name-of-a-pod-of-sixty-three-characters-as-kubernetes-has-them"
    laid_out = layout([row("team/a-0"), row(f"team/{longest}")], headings=NORMAL, terminal=80)

    assert next(iter(laid_out.lines(row("team/a-0")))).startswith("team/a-0 oom")
    name, rest = laid_out.lines(row(f"team/{longest}"))
    assert name == f"team/{longest}"
    assert rest.startswith("         oom/container-limit")
