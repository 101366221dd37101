import io
import unicodedata
from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.console.terminal import (
    ColourChoice,
    cells_of,
    choose_colour,
    fit,
    palette,
    shorten,
    visible,
    visible_lines,
    width,
)

ANY_TEXT = st.text(alphabet=st.characters(), max_size=80)


@given(ANY_TEXT)
def test_nothing_that_moves_a_cursor_is_left(text: str) -> None:
    shown = visible(text)

    assert all(char.isprintable() for char in shown)
    assert not any(unicodedata.category(char) in {"Cc", "Cf", "Cs", "Zl", "Zp"} for char in shown)


@given(ANY_TEXT)
def test_what_is_shown_can_be_written_as_utf8(text: str) -> None:
    shown = visible(text)

    assert shown.encode("utf-8").decode("utf-8") == shown


@given(st.text(alphabet=st.characters(codec="ascii", min_codepoint=32, max_codepoint=126)))
def test_plain_text_is_shown_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_escape_sequences_are_spelt_out() -> None:
    assert visible("a\x1b[31mred\x07") == "a\\x1b[31mred\\x07"
    assert visible("\u202e\u2028") == "\\u202e\\u2028"


def test_lines_are_split_on_newlines_only() -> None:
    assert visible_lines("one\ntwo\x85still two\n") == ["one", "two\\x85still two"]


def test_text_that_does_not_fit_ends_in_an_ellipsis() -> None:
    assert fit("abcdef", 4) == "abc…"
    assert fit("abcd", 4) == "abcd"


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("team-a/train-0", 14, "team-a/train-0"),
        ("team-a/train-0", 9, "team…in-0"),
        ("team-a/train-0", 2, "t…"),
        ("team-a/train-0", 1, "…"),
        ("漢字漢字漢字", 8, "漢字…字"),
    ],
)
def test_names_lose_their_middle(text: str, columns: int, shown: str) -> None:
    assert shorten(text, columns) == shown
    assert cells_of(shown) <= columns


def test_a_pipe_has_no_width() -> None:
    assert width(io.StringIO()) is None


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("choice", "out", "environ", "coloured"),
    [
        ("auto", Terminal(), {"TERM": "xterm-256color"}, True),
        ("auto", Terminal(), {"TERM": "xterm-256color", "NO_COLOR": "1"}, False),
        ("auto", Terminal(), {"TERM": "dumb"}, False),
        ("auto", io.StringIO(), {"TERM": "xterm-256color"}, False),
        ("always", io.StringIO(), {"NO_COLOR": "1"}, True),
        ("never", Terminal(), {"TERM": "xterm-256color"}, False),
    ],
)
def test_colours_follow_the_option_then_the_terminal(
    choice: ColourChoice, out: io.StringIO, environ: dict[str, str], coloured: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)

    def painted() -> str:
        choose_colour(choice)
        return palette(out).bad("x")

    assert copy_context().run(painted) == ("\x1b[31m\x1b[1mx\x1b[0m" if coloured else "x")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u3164b", "a\\u3164b"),
        ("\u26a0\ufe0f", "\u26a0\\ufe0f"),
        ("e\u0301\u0302\u0303", "e\u0301\u0302\u0303"),
        ("e" + "\u0301" * 5, "e" + "\u0301" * 3 + "\\u0301" * 2),
    ],
)
def test_invisible_letters_and_stacked_marks_are_escaped(text: str, shown: str) -> None:
    assert visible(text) == shown
