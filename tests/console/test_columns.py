import re
from collections.abc import Iterator
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from agent.console.columns import Column, heading, line, widened
from tests.ground.findings import assert_no_findings
from tests.ground.tree import line_at, text_of, written_python

NAME, COUNT, WHY = Column(heading="NAME", width=6), Column(heading="COUNT", width=5, right=True), Column(heading="WHY")
CELLS = st.lists(st.text(max_size=12), min_size=3, max_size=3)
# Text that shows: blanks at the ends could not be told from the padding.
SHOWN = CELLS.filter(lambda cells: all(cell == cell.strip() and cell for cell in cells))


def test_cells_are_under_their_headings() -> None:
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


def test_cut_text_ends_in_an_ellipsis() -> None:
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


def padded_by_hand(path: Path) -> Iterator[str]:
    text = text_of(path) or ""
    for found in re.finditer(r"\.[lr]just\(|:[<>][\d{]", text):
        yield f"{path}:{line_at(text, found.start())}: {found[0]}: pad with agent.console.columns"


def test_no_other_module_pads_by_hand() -> None:
    assert_no_findings(padded_by_hand, [path for path in written_python("agent") if path.parts[1] == "ctl"])


def test_padding_by_hand_is_found(tmp_path: Path) -> None:
    path = tmp_path / "table.py"
    path.write_text('a = "b".ljust(3)\nc = f"{a:>4}"\n', encoding="utf-8")

    assert list(padded_by_hand(path)) == [
        f"{path}:1: .ljust(: pad with agent.console.columns",
        f"{path}:2: :>4: pad with agent.console.columns",
    ]
