"""What is not found in the pod's error is not in the messages it quotes either."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.pattern import compile_pattern, find
from agent.core.classify.quoting import is_anchored, quotes
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
