"""Text broken into lines."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.console.paragraphs import NO_BREAK, command_lines, paragraph, wrap
from agent.console.terminal import cells_of, visible
from tests.child import output_of


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", [""]),
        ("short", ["short"]),
        ("exactly twenty cells", ["exactly twenty cells"]),
        ("one more than  twenty cells", ["one more than", "twenty cells"]),
        ("see https://example.org/a/b/c for more", ["see", "https://example.org/", "a/b/c for more"]),
        ("x" * 45, ["x" * 20, "x" * 20, "x" * 5]),
        ("    indented text stays so", ["    indented text", "stays so"]),
        ("漢字漢字漢字漢字漢字漢字", ["漢字漢字漢字漢字漢字", "漢字"]),
    ],
)
def test_lines_break_at_spaces_else_after_a_punctuation_mark(text: str, lines: list[str]) -> None:
    assert wrap(text, 20) == lines


def test_further_lines_are_indented_to_the_text() -> None:
    lines = list(paragraph("Do next", "give main more memory or read the data in pieces", indent=10, columns=40))

    assert lines == ["Do next   give main more memory or read", "          the data in pieces"]


def test_a_line_is_not_broken_at_a_no_break_space() -> None:
    lines = list(paragraph("Fault", f"the job said so  [user{NO_BREAK}text]", indent=8, columns=34))

    assert lines == ["Fault   the job said so", "        [user text]"]


def test_without_columns_a_line_stays_whole() -> None:
    assert list(paragraph("Fault", "x " * 99, indent=8, columns=None)) == ["Fault   " + "x " * 98 + "x"]


@given(text=st.text().map(visible), columns=st.integers(16, 60))
def test_no_line_is_too_long_and_nothing_is_lost(text: str, columns: int) -> None:
    lines = wrap(text, columns)

    assert max(map(cells_of, lines)) <= columns
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


words = st.lists(
    st.text(st.characters(categories=["L", "N", "P", "Zs"]), max_size=120).map(visible), min_size=1, max_size=6
)


@settings(max_examples=60)
@given(words, st.integers(0, 4), st.integers(30, 120))
def test_a_shell_reads_the_lines_of_a_command_as_its_words(given_words: list[str], indent: int, columns: int) -> None:
    lines = list(command_lines(given_words, indent=indent, columns=columns))

    script = "printf '%s\\0' " + "\n".join(lines)
    assert output_of(["sh", "-c", script]).split("\0")[:-1] == given_words
    assert max(map(cells_of, lines)) <= columns


def test_a_command_is_broken_between_words_and_a_long_word_at_the_edge() -> None:
    assert list(
        command_lines(["failctl", "explain", "job-1", "--store", "sqlite:////srv/a b"], indent=2, columns=36)
    ) == [
        "  failctl explain job-1 --store \\",
        "    'sqlite:////srv/a b'",
    ]
    assert list(command_lines(["failctl", "explain", "j" * 40], indent=2, columns=30)) == [
        "  failctl explain \\",
        "    " + "j" * 24 + "\\",
        "j" * 16,
    ]
