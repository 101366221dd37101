"""Which lines of a text say why a program failed."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.summary.key_line import CANDIDATES, alone_in, key_lines, kind_of, ranked_in
from agent.core.summary.line_kind import Kind
from tests.tables import table

LINES: dict[str, list[str]] = table(Path(__file__).with_name("lines.yaml"))
FORMS = [(None if kind == "silent" else Kind[kind.upper()], line) for kind, lines in LINES.items() for line in lines]


def texts(text: str) -> list[str]:
    return [line.text for line in key_lines(text)]


@pytest.mark.parametrize(("kind", "line"), FORMS, ids=[line[:60] for _, line in FORMS])
def test_a_line_is_of_its_kind(kind: Kind | None, line: str) -> None:
    assert kind_of(line) is kind


def test_the_first_of_the_errors_that_follow_one_another_is_the_cause() -> None:
    compiled = "".join(f"a.c:{n}:1: error: e{n}\n   {n} | source\n     | ^\n" for n in range(1, 9))

    assert texts(compiled + "make: *** [a.o] Error 1\n")[0] == "a.c:1:1: error: e1"


def test_of_two_groups_far_apart_the_last_one_counts() -> None:
    quiet = "step\n" * 20

    assert texts("error: first\n" + quiet + "error: second\nmake: *** [x] Error 1\n")[0] == "error: second"


def test_a_wrapper_counts_only_where_no_cause_is() -> None:
    assert texts("boom: error: x\n" + "step\n" * 30 + "make: *** [x] Error 1\n")[0] == "boom: error: x"
    assert texts("step\n" * 30 + "make: *** [x] Error 1\n")[0] == "make: *** [x] Error 1"


def test_of_chained_exceptions_the_last_one_ended_the_program() -> None:
    first = "Traceback (most recent call last):\n  a\nKeyError: 'a'\n\n"
    joint = "During handling of the above exception, another exception occurred:\n\n"
    second = "Traceback (most recent call last):\n  b\nRuntimeError: b\n"

    assert texts(first + joint + second)[0] == "RuntimeError: b"


def test_a_heading_gives_way_to_what_it_is_a_heading_of() -> None:
    text = "thread 'main' panicked at src/lib.rs:1:64:\nrange end index 4 out of range\nnote: run with it\n"

    assert texts(text)[0] == "range end index 4 out of range"


def test_without_any_form_the_last_line_is_all_there_is() -> None:
    (found,) = key_lines("one\ntwo\n\n")

    assert (found.text, found.why) == ("two", "it is the last line")


def test_the_candidates_are_shown_without_colours_and_say_why() -> None:
    (found, *_) = key_lines("\x1b[1m\x1b[91merror[E0382]\x1b[0m: borrow of moved value\n")

    assert (found.text, found.why) == ("error[E0382]: borrow of moved value", "it has the form of an error")


PIECES = st.lists(
    st.sampled_from([*(line for _, line in FORMS), "Traceback (most recent call last):", "x" * 500, "\x1b[0m", " "])
    | st.text(max_size=20),
    max_size=60,
).map("\n".join)


@given(PIECES)
def test_each_candidate_is_a_line_of_the_text(text: str) -> None:
    found = key_lines(text)

    assert len(found) <= CANDIDATES
    assert bool(found) == bool(text.replace("\x1b[0m", "").strip())
    assert all(line.text and line.text == line.text.strip() and "\n" not in line.text for line in found)
    assert len({line.text for line in found}) <= len(text.split("\n"))


TRACES = st.lists(
    st.sampled_from(
        [
            "Traceback (most recent call last):",
            '  File "a.py", line 3, in f',
            "    if x:",
            "    raise ValueError(a)",
            "    error: b",
            "\tat a.b(C.java:3)",
            " \x0b",
            "",
        ]
    )
    | st.sampled_from(FORMS).map(lambda form: form[1]),
    max_size=8,
).map("\n".join)
"""Texts in which few lines may say something."""


@given(TRACES | PIECES)
def test_the_quick_look_at_a_text_finds_what_the_whole_search_finds(text: str) -> None:
    assert alone_in(text) in {(), ranked_in(text)}


@pytest.mark.parametrize(
    ("above", "line"), [("    f(a)", "ValueError: bad"), ("    if x:", "retrying"), ("    a", "    b")]
)
def test_a_trace_is_looked_at_quickly(above: str, line: str) -> None:
    trace = f"Traceback (most recent call last):\n{above}\n{line}"

    assert [line.text for line in (*alone_in(trace), *alone_in(f"{trace}\n"))] == [line.strip()] * 2
