"""No control character passes the guard, except newlines, tabs and our own colours."""

import io
import json
import unicodedata
from contextvars import copy_context

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.console.guard import guard, unguarded
from agent.console.terminal import ColourChoice, choose_colour, palette

OBEYED = {"Cc", "Cf", "Zl", "Zp"}


def written(text: str, choice: ColourChoice = "never") -> str:
    """The output behind a guard with this choice of colours."""
    out = io.StringIO()

    def write() -> None:
        choose_colour(choice)
        guard(out).write(text)

    copy_context().run(write)
    return out.getvalue()


@given(st.text())
def test_no_control_character_passes(text: str) -> None:
    shown = written(text)

    assert not [char for char in shown if unicodedata.category(char) == "Cc" and char not in "\n\t"]
    if not [char for char in text if unicodedata.category(char) in OBEYED]:
        assert shown == text


@given(st.text())
def test_json_means_the_same(text: str) -> None:
    assert json.loads(written(json.dumps(text, ensure_ascii=False))) == text


@pytest.mark.parametrize(
    ("text", "choice", "shown"),
    [
        ("a\tb\n", "never", "a\tb\n"),
        ("\x1b[31mred\x1b[0m", "never", "\\u001b[31mred\\u001b[0m"),
        ("\x1b[31mred\x1b[0m", "always", "\x1b[31mred\x1b[0m"),
        ("\x1b[2J\x9b2J\x7f", "always", "\\u001b[2J\\u009b2J\\u007f"),
        ("file\u202eyaml.exe\u2028\u200d", "never", "file\\u202eyaml.exe\\u2028\u200d"),
        ("\x1b]0;title\x07", "always", "\\u001b]0;title\\u0007"),
    ],
)
def test_only_our_own_colours_pass(text: str, choice: ColourChoice, shown: str) -> None:
    assert written(text, choice) == shown


def test_whatever_a_palette_writes_passes() -> None:
    def coloured() -> list[str]:
        choose_colour("always")
        colours = palette(io.StringIO())
        return [paint("x") for paint in (colours.strong, colours.faint, colours.bad, colours.warning, colours.good)]

    for text in copy_context().run(coloured):
        assert written(text, "always") == text != "x"


def test_lines_pass_through_the_same_guard() -> None:
    out = io.StringIO()

    guard(out).writelines(["a\x1b\n", "b\n"])

    assert out.getvalue() == "a\\u001b\nb\n"


def test_what_draws_on_a_terminal_gets_the_stream_itself() -> None:
    out = io.StringIO()

    assert unguarded(guard(out)) is out is unguarded(out)
