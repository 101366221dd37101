"""What is not found in the pod's error is not in the messages it quotes either."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.pattern import AT_ONCE, WHEN_SEARCHED, Compiling, compile_pattern, find
from agent.core.classify.quoting import is_anchored, join, quotes
from tests.core.classify.drawn import PATTERNS, texts

ANCHORED = (r"^a", r"a$", r"(?m)^a$", r"\Aa", r"a\z", r"a\\$", r"\[^a", r"\Q[\E^a", r"\\\\^", r"(a|^)", r"[]^a]")
FREE = (r"a", r"\ba\B", r"\^", r"a\$b", r"[^a]", r"[^\n]*", r"a\\", r"\\\^", r"(?i)a|b.*c", r"\x41", r"\d+[[:alpha:]]")


@pytest.mark.parametrize("pattern", ANCHORED)
def test_it_sees_an_anchor_or_is_careful(pattern: str) -> None:
    compile_pattern(pattern)
    assert is_anchored(pattern)


@pytest.mark.parametrize("pattern", FREE)
def test_it_sees_that_there_is_no_anchor(pattern: str) -> None:
    compile_pattern(pattern)
    assert not is_anchored(pattern)


@given(pattern=st.sampled_from([*FREE, *PATTERNS]), message=texts, before=texts, after=texts)
def test_what_a_message_has_its_quotation_has(pattern: str, message: str, before: str, after: str) -> None:
    error = f"{before} {message}\n{after}"

    assert quotes(error, message)
    if not is_anchored(pattern) and find(compile_pattern(pattern), message):
        assert find(compile_pattern(pattern), error) is not None


@given(error=texts, message=texts)
def test_a_quotation_stands_between_a_space_and_a_line_break(error: str, message: str) -> None:
    assert quotes(error, message) == (f" {message}\n" in error)


@given(patterns=st.lists(st.sampled_from([*FREE, *ANCHORED, *PATTERNS]), max_size=6), message=texts, after=texts)
def test_a_message_is_searched_with_one_result_before_all_patterns_are_compiled_and_after(
    patterns: list[str], message: str, after: str
) -> None:
    masks = {pattern: 1 << number for number, pattern in enumerate(patterns)}
    error = f"it said: {message}\n{after}"

    found = {_found(masks, message, error, compiling) for compiling in (AT_ONCE, WHEN_SEARCHED)}

    assert found == {
        sum(mask for pattern, mask in masks.items() if find(compile_pattern(pattern), message) is not None)
    }


def _found(masks: dict[str, int], message: str, error: str, compiling: Compiling) -> int:
    messages, errors = join(compiling.together(masks), compiling.together({"^it said": 1 << 9}), compiling)
    assert messages is not None
    assert errors is not None
    return messages.match(message, error=error, in_error=errors.patterns.match(error))
