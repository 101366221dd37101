import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.matchers.text import Engine
from agent.core.classify.pattern import PatternError, compile_pattern
from agent.manifests.matchers.loose import loose_line
from agent.manifests.matchers.pattern import (
    MAX_BYTES,
    MAX_NESTED,
    MAX_WRITTEN_OUT,
    counts_far,
    fault_of,
    is_costly,
    matches_everything,
    written_out,
)


@pytest.mark.parametrize("pattern", ["(?=a)", "(?<!a)b", r"(a)\1", "a++", "(?>a)"])
def test_what_only_the_other_engine_knows_is_said_to_need_it(pattern: str) -> None:
    fault = fault_of(pattern, Engine.RE2)
    assert fault is not None
    assert "engine: backtracking" in fault.hint
    assert fault_of(pattern, Engine.BACKTRACKING) is None


@pytest.mark.parametrize(
    ("pattern", "offset"), [("ab[c", 2), ("a(?=b)", 1), (r"xy\Z", 2), ("a{1001}", 1), ("é**", 1), ("(", 0)]
)
def test_where_a_pattern_is_wrong(pattern: str, offset: int) -> None:
    fault = fault_of(pattern, Engine.RE2)
    assert fault is not None
    assert fault.offset == offset


def test_long_patterns_are_refused_by_both_engines() -> None:
    for engine in Engine:
        assert fault_of("é" * (MAX_BYTES // 2), engine) is None
        assert fault_of("é" * (MAX_BYTES // 2) + "a", engine) is not None


@pytest.mark.parametrize(
    "pattern", ["(?:(?:a{99}){99}){99}", "(?x)((a{500}) {500})", "(a{300})?{300}", "((a{200})){200}"]
)
def test_repetitions_of_repetitions_are_refused_before_they_are_compiled(pattern: str) -> None:
    assert written_out(pattern) > MAX_WRITTEN_OUT
    fault = fault_of(pattern, Engine.BACKTRACKING)
    assert fault is not None
    assert "written out" in fault.message


@pytest.mark.parametrize(
    ("pattern", "length"), [("abc", 3), (r"\d{3}", 3), ("[a-z{9}]{4}", 4), ("(ab){3}", 9), ("a{2,5}", 5), ("a{,3}", 3)]
)
def test_how_long_a_pattern_is_written_out(pattern: str, length: int) -> None:
    assert written_out(pattern) == length


@pytest.mark.parametrize(
    ("pattern", "everything"),
    [("", True), (".*", True), ("a*", True), ("x|", True), ("(?s).*", True), ("^$", False), (".", False), ("a", False)],
)
def test_patterns_that_are_found_everywhere(pattern: str, everything: bool) -> None:  # noqa: FBT001 - a column of the table
    assert matches_everything(pattern) is everything


@pytest.mark.parametrize(
    ("pattern", "costly"),
    [
        (r"a[\s\S]*b", True),
        ("(?s)a.*b", True),
        ("(?is)a.+b", True),
        ("(?s).*a.*", False),
        ("a.*b", False),
        ("(?i)a.*b", False),
    ],
)
def test_patterns_that_cost(pattern: str, costly: bool) -> None:  # noqa: FBT001 - a column of the table
    assert is_costly(pattern) is costly


@pytest.mark.parametrize(
    ("pattern", "far"),
    [
        (r"a[^\n]{0,80}b", True),
        (r"a\S{1,20}b", True),
        ("a.{0,300}b", True),
        (r"a[^\n]{0,15}b", False),
        (r"a[^\n]*b", False),
        (r"a\.{0,80}b", False),
        ("[0-9]{40}", False),
        ("(?:a|b){0,80}", False),
    ],
)
def test_patterns_that_count_far(pattern: str, far: bool) -> None:  # noqa: FBT001 - a column of the table
    assert counts_far(pattern) is far


@given(pattern=st.text(alphabet="ab.*+?()[]{}|\\^$:=<>!P123,sxQEC", max_size=20))
def test_a_pattern_is_refused_exactly_if_the_engine_refuses_it(pattern: str) -> None:
    fault = fault_of(pattern, Engine.RE2)
    assert (fault.message if fault else "") == reason_of_re2(pattern)


def reason_of_re2(pattern: str) -> str:
    try:
        compile_pattern(pattern)
    except PatternError as error:
        return str(error)
    return ""


@given(pattern=st.text(alphabet="ab.*+?()[]{}|\\^$:=<>!P123,sx", max_size=20))
def test_the_other_engine_always_has_an_answer(pattern: str) -> None:
    fault = fault_of(pattern, Engine.BACKTRACKING)
    assert fault is None or fault.message


@pytest.mark.parametrize("engine", Engine)
@pytest.mark.parametrize("around", ["{}", "a|({})?", "[(](?:{})"])
def test_groups_that_are_nested_too_deeply_are_refused_where_they_open(engine: Engine, around: str) -> None:
    levels = MAX_NESTED - around.replace("[(]", "").count("(")
    deepest = around.format("(" * levels + "x" + ")" * levels)
    too_deep = around.format("(" * (levels + 1) + "x" + ")" * (levels + 1))

    fault = fault_of(too_deep, engine)

    assert fault_of(deepest, engine) is None
    assert fault is not None
    assert fault.message == "groups are nested more than 100 levels deep"
    assert fault.offset == deepest.index("x")


def test_the_deepest_pattern_is_looked_at_for_looseness() -> None:
    assert loose_line("(" * MAX_NESTED + "x" + ")" * MAX_NESTED) is None
