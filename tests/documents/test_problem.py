import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from agent.documents.problem import ManifestError, Problem, Severity, escape, in_order, nearest, render

SHOWN = Problem(
    code="unknown-field",
    file="rules.yaml",
    line=4,
    column=5,
    length=10,
    path="errorCategories[0].rules[0].onExitCode",
    message="unknown field `onExitCode`",
    hint="did you mean `onExitCodes`?",
    excerpt="  - onExitCode: {operator: In}",
)


def test_a_problem_is_shown_with_its_place_its_line_a_caret_and_help() -> None:
    assert render(SHOWN).splitlines() == [
        "rules.yaml:4:5: errorCategories[0].rules[0].onExitCode: unknown field `onExitCode` [unknown-field]",
        " 4 |   - onExitCode: {operator: In}",
        "   |     ^^^^^^^^^^",
        "    = help: did you mean `onExitCodes`?",
    ]


def test_a_warning_says_that_it_is_one() -> None:
    warning = Problem(code="x", file="f", line=1, column=1, message="m", severity=Severity.WARNING)
    assert render(warning) == "f:1:1: warning: m [x]"


def test_the_caret_stands_under_wide_combined_and_escaped_characters() -> None:
    excerpt = "日e\u0301\x1b\tx"
    problem = Problem(code="c", file="f", line=1, column=6, message="m", excerpt=excerpt)
    _, line, caret = render(problem).splitlines()
    assert line == " 1 | 日e\u0301\\x1b x"
    assert caret == "   | " + " " * (2 + 1 + 4 + 1) + "^"


def test_a_long_line_is_cut_around_the_place_and_says_so() -> None:
    problem = Problem(code="c", file="f", line=1, column=501, message="m", excerpt="a" * 500 + "X" + "b" * 500)
    _, line, caret = render(problem).splitlines()
    assert line.startswith(" 1 | ...a")
    assert line.endswith("b...")
    assert line[caret.index("^")] == "X"


@given(text=st.text(), column=st.integers(1, 60), length=st.integers(1, 60))
def test_nothing_of_a_document_can_do_anything_to_a_terminal(text: str, column: int, length: int) -> None:
    problem = Problem(
        code="c", file=text, line=1, column=column, length=length, path=text, message=text, hint=text, excerpt=text
    )
    shown = render(problem)
    assert all(unicodedata.category(character) not in {"Cc", "Cf", "Cs"} for character in shown.replace("\n", ""))
    assert len(shown.splitlines()) == 1 + 2 * bool(text) + bool(text)


def test_escaping_says_which_character_it_was() -> None:
    assert escape("a\x1b[31m\u202e\ud800\U000e0001") == "a\\x1b[31m\\u202e\\ud800\\U000e0001"


def test_the_nearest_word_is_found_by_spelling_or_beginning() -> None:
    assert nearest("oomkilled", ["Evicted", "OOMKilled"]) == "did you mean `OOMKilled`?"
    assert nearest("OOM", ["Evicted", "OOMKilled"]) == "did you mean `OOMKilled`?"
    assert nearest("colour", ["name", "rules"]) == ""


def test_problems_come_in_the_order_of_the_text_and_once() -> None:
    later = Problem(code="b", file="f", line=2, column=1, message="m")
    assert in_order([later, SHOWN, later]) == (later, SHOWN)


def test_an_error_shows_all_its_problems() -> None:
    error = ManifestError([SHOWN, SHOWN])
    assert str(error).count("rules.yaml:4:5") == 2
