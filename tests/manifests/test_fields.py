from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.units import in_words
from agent.manifests.fields import parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0s", 0), ("0", 0), ("10s", 10), ("1h30m", 5400), ("1.5h", 5400), (".5m", 30), ("250ms", 0.25), ("+1us", 1e-6)],
)
def test_durations_as_go_writes_them(text: str, seconds: float) -> None:
    assert parse_duration(text) == timedelta(seconds=seconds)


@pytest.mark.parametrize("text", ["", "10", "-1s", "1d", "1 s", "s", "1h 30m", "1e3s", "٣s", "+", "9" * 200 + "s"])
def test_what_is_no_duration(text: str) -> None:
    assert parse_duration(text) is None


@given(seconds=st.integers(0, 86_399))
def test_what_we_write_we_read(seconds: int) -> None:
    assert parse_duration(in_words(seconds)) == timedelta(seconds=seconds)


@given(text=st.text(alphabet="0123456789.hmsnu+-", max_size=40))
def test_any_text_has_an_answer(text: str) -> None:
    duration = parse_duration(text)
    assert duration is None or duration >= timedelta(0)
