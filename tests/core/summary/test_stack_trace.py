from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.summary.key_line import TAIL_LINES, summarise_trace
from tests.tables import table

TRACES: list[dict[str, Any]] = table(Path(__file__).with_name("traces.yaml"))


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace["name"])
def test_the_line_that_names_the_error_is_found(trace: dict[str, Any]) -> None:
    summary = summarise_trace(trace["text"])

    assert summary is not None
    assert summary.key_line == trace["key"]
    assert summary.line_count == trace["lines"]
    assert trace["text"].removesuffix("\n").endswith(summary.tail)


LINES = st.lists(st.text(st.characters(exclude_categories=("Cc", "Cs"))), min_size=0, max_size=30)


@given(LINES)
def test_only_longer_texts_are_summarised_and_by_their_last_lines(lines: list[str]) -> None:
    text = "\n".join([*lines, "end"])
    summary = summarise_trace(text)

    if len(lines) + 1 <= TAIL_LINES:
        assert summary is None
    else:
        assert summary is not None
        assert summary.tail.split("\n") == [*lines, "end"][-TAIL_LINES:]
        assert summary.line_count == len(lines) + 1
        assert summary.key_line


def test_ten_lines_and_a_final_newline_are_ten_lines() -> None:
    assert summarise_trace("x\n" * TAIL_LINES) is None
    assert summarise_trace("x\n" * (TAIL_LINES + 1)) is not None
