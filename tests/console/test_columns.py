import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.console import columns
from agent.console.columns import Column, heading, line, widened
from tests.ground.tree import ROOT

NAME, COUNT, WHY = Column(heading="NAME", width=6), Column(heading="COUNT", width=5, right=True), Column(heading="WHY")
CELLS = st.lists(st.text(max_size=12), min_size=3, max_size=3)
# Text that shows: blanks at the ends could not be told from the padding.
SHOWN = CELLS.filter(lambda cells: all(cell == cell.strip() and cell for cell in cells))


def test_cells_stand_under_their_headings() -> None:
    shown = (NAME, COUNT, WHY)

    assert [heading(shown), line(["ab", "7", "because"], shown), line(["", "12345", ""], shown)] == [
        "NAME    COUNT  WHY",
        "ab          7  because",
        "        12345",
    ]


def test_blanks_that_end_the_last_text_are_its_own() -> None:
    assert line(["a", "b "], (NAME, WHY)) == "a       b "
    assert line(["a ", ""], (NAME, WHY)) == "a"


def test_characters_that_take_two_columns_are_counted_as_two() -> None:
    assert line(["日本", "x"], (NAME, WHY)) == "日本    x"
    assert line(["e\u0301", "x"], (NAME, WHY)) == "e\u0301       x"


def test_control_characters_are_shown_as_escapes_and_counted_so() -> None:
    assert line(["a\x1b", "x\ny"], (NAME, WHY)) == "a\\x1b   x\\ny"


def test_a_column_grows_with_its_cells_and_never_below_its_width() -> None:
    shown = widened((NAME, WHY), [["日本日本", "x"], ["a", "yes"]])

    assert [column.width for column in shown] == [8, 3]
    assert [column.width for column in widened((NAME,), [])] == [6]


def test_what_is_cut_says_so() -> None:
    assert line(["abcdefgh", "x"], (NAME, WHY), cut=True) == "abcde…  …"
    assert line(["日本日本", ""], (NAME, WHY), cut=True) == "日本…"


@given(st.lists(SHOWN, min_size=1, max_size=4))
def test_columns_begin_at_the_same_place_in_every_line(rows: list[list[str]]) -> None:
    shown = widened((NAME, Column(heading="B"), WHY), rows)
    starts = sum(column.width + 2 for column in shown[:2])

    for cells in rows:
        written = line(cells, shown)
        last = written[len(line(cells[:2], shown[:2])) :].lstrip(" ")
        assert cell_len(written) - cell_len(last) == starts


@given(CELLS, st.integers(1, 12))
def test_a_line_that_is_cut_is_no_wider_than_its_columns(cells: list[str], width: int) -> None:
    shown = tuple(Column(width=width) for _ in cells)

    assert cell_len(line(cells, shown, cut=True)) <= 3 * width + 4


@pytest.mark.parametrize("file", sorted((ROOT / "agent" / "ctl").rglob("*.py")), ids=lambda file: str(file.name))
def test_nobody_else_pads_by_hand(file: Path) -> None:
    by_hand = re.findall(r"\.[lr]just\(|:[<>][\d{]", file.read_text(encoding="utf-8"))

    assert not by_hand or file == Path(columns.__file__)
