"""RE2's dialect is Go's, and its sets fail silently."""

from collections.abc import Iterator, Mapping

import pytest
import re2
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.pattern import (
    RECHECK_BYTES,
    RECHECK_EVERY,
    REMEMBERED,
    REMEMBERED_LENGTH,
    LateSet,
    PatternError,
    PatternSet,
    Span,
    compile_pattern,
    find,
)


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        (r"error$", "an error", "error"),
        (r"error$", "an error\n", None),
        (r"(?m)error$", "an error\n", "error"),
        (r"\d+", "٣٤", None),
        (r"\w+", "é", None),
        (r"\bé\b", "é", None),
        (r"\pL", "é", "é"),
        (r"(?P<n>x)", "x", "x"),
        (r"(?<n>x)", "x", "x"),
        (r"\Qa.b\E", "a.b", "a.b"),
        (r"[[:alpha:]]+", "1ab:", "ab"),
        (r"a\z", "a", "a"),
        (r"\x{1F600}", "x😀", "😀"),
        (r"x(?i)y", "xY", "xY"),
        (r"a.b", "a\nb", None),
        (r".*", "", None),
        (r"", "", None),
        (r"", "x", ""),
        (r"(?s).*", "\ud800", "?"),
    ],
)
def test_what_a_pattern_finds(pattern: str, text: str, found: str | None) -> None:
    assert find(compile_pattern(pattern), text) == found
    assert PatternSet({pattern: 1}).match(text) == (found is not None)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("[invalid", "missing ]: [invalid"),
        ("(", "missing ): ("),
        ("(?=x)", "invalid perl operator: (?="),
        (r"(a)\1", r"invalid escape sequence: \1"),
        (r"x\Z", r"invalid escape sequence: \Z"),
        ("a{1001}", "invalid repetition size: {1001}"),
        (r"\C", r"invalid escape sequence: \C"),
        (r"\\\C", r"invalid escape sequence: \C"),
        (r"\Qa\E\C", r"invalid escape sequence: \C"),
        ("\ud800", "not valid Unicode"),
    ],
)
def test_what_go_refuses_is_refused_with_the_reason(pattern: str, why: str) -> None:
    with pytest.raises(PatternError) as raised:
        compile_pattern(pattern)

    assert str(raised.value) == why


@pytest.mark.parametrize("pattern", [r"\\C", r"\Q\C\E", r"\Q\C", "C"])
def test_a_c_that_is_no_escape_is_fine(pattern: str) -> None:
    compile_pattern(pattern)


def test_a_set_gives_every_pattern_that_is_there() -> None:
    patterns = PatternSet({"a": 0b001, "b+": 0b010, "z": 0b100})

    assert patterns.match("xxabb") == 0b011
    assert patterns.match("xx") == 0
    assert patterns.match("z") == 0b100


def test_no_match_is_none_for_re2_and_0_for_us() -> None:
    made = re2.Set.SearchSet()
    made.Add("a")
    made.Compile()

    assert made.Match("b") is None
    assert PatternSet({"a": 1}).match("b") == 0


def never_matching() -> re2.Set:
    broken = re2.Set.SearchSet()
    broken.Add("never said")
    broken.Compile()
    return broken


def test_a_set_that_misses_is_found_out_and_put_right() -> None:
    patterns = PatternSet({"CUDA": 1, "Xid": 2})
    patterns._set = never_matching()

    answers = [patterns.match("CUDA error") for _ in range(2 * RECHECK_EVERY)]

    assert answers.count(1) == 2
    assert answers.count(0) == 2 * RECHECK_EVERY - 2
    assert patterns.mismatches == 2


def test_what_was_found_in_a_short_text_is_remembered_within_bounds() -> None:
    patterns = PatternSet({"CUDA": 1, "Xid": 2})
    long = "CUDA " * REMEMBERED_LENGTH
    texts = [f"CUDA error {number}" for number in range(3 * REMEMBERED)]

    assert [patterns.match(text) for text in (*texts, long, texts[-1])] == [1] * (len(texts) + 2)
    assert len(patterns._found) <= REMEMBERED
    assert long not in patterns._found

    patterns._set = never_matching()
    patterns.match("the first miss, which is checked again")
    assert [patterns.match(text) for text in (texts[-1], long)] == [1, 0]


class Counting:
    """A pattern that counts its searches."""

    def __init__(self, pattern: str) -> None:
        self._regex = compile_pattern(pattern)
        self.programsize = self._regex.programsize
        self.groupindex: Mapping[str, int] = {}
        self.searches = 0

    def search(self, text: bytes) -> Span | None:
        self.searches += 1
        return self._regex.search(text)

    def finditer(self, text: bytes) -> Iterator[Span]:
        return self._regex.finditer(text)


def test_one_pattern_is_searched_in_a_short_text_once() -> None:
    counting = Counting("CUDA error")
    long = "CUDA error " * REMEMBERED_LENGTH

    assert [find(counting, text) for text in ("a CUDA error", "a CUDA error", long, long)] == ["CUDA error"] * 4
    assert counting.searches == 3


def test_true_misses_are_no_mismatches() -> None:
    patterns = PatternSet({"CUDA": 1})

    assert not any(patterns.match("nothing") for _ in range(RECHECK_EVERY + 1))
    assert patterns.mismatches == 0


@given(
    texts=st.lists(st.text(alphabet="abc é\n\x00", max_size=12), max_size=4),
    patterns=st.lists(
        st.sampled_from(["a", "b+c", "^a", "c$", "(?i)A", ".", "é", "a.*b", "\\x00", ""]), unique=True, min_size=1
    ),
)
def test_a_set_finds_what_its_patterns_find_one_by_one(texts: list[str], patterns: list[str]) -> None:
    masks = {pattern: 1 << number for number, pattern in enumerate(patterns)}
    together, late = PatternSet(masks), LateSet(masks)

    for text in texts:
        alone = [find(compile_pattern(pattern), text) is not None for pattern in patterns]
        assert together.match(text) == sum(1 << number for number, found in enumerate(alone) if found)
        assert late.match(text) == together.match(text)


def test_a_late_set_is_compiled_for_the_first_text() -> None:
    late = LateSet({"[": 1})

    assert late.match("") == 0
    with pytest.raises(PatternError):
        late.match("a")


def test_a_late_set_that_misses_is_found_out_later() -> None:
    late = LateSet({"CUDA": 1, "Xid": 2})
    late._set = never_matching()

    answers = [late.match("CUDA error") for _ in range(2 * RECHECK_EVERY)]

    assert [number for number, found in enumerate(answers, start=1) if found] == [RECHECK_EVERY, 2 * RECHECK_EVERY]
    assert late.mismatches == 2


def test_a_long_text_is_not_searched_again() -> None:
    patterns = PatternSet({"CUDA error": 1})
    patterns._set = never_matching()

    assert patterns.match("CUDA error".ljust(RECHECK_BYTES + 1)) == 0
    assert patterns.match("CUDA error".ljust(RECHECK_BYTES)) == 1


def test_patterns_that_repeat_have_more_steps() -> None:
    assert PatternSet({"a{3}x": 1}).steps < PatternSet({"a{900}x": 1}).steps < PatternSet({"a{900}x": 1, "b": 2}).steps
