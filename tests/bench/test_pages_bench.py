"""The benchmark of the pages: each of its targets can be missed, and what it prints says which input took how long."""

import pytest

from bench.pages import MOST_API_MS, MOST_FIRST_MS, MOST_INPUT_MS, Found, table, verdicts
from bench.peer.window import Painted


def found(times: float) -> Found:
    painted = [Painted(whole=MOST_INPUT_MS * times, api=MOST_API_MS * times)] * 3
    return Found(first=[1.0, MOST_FIRST_MS * times], inputs={"still failed": painted, "sort by owner": painted})


@pytest.mark.parametrize(("times", "met"), [(0.9, True), (1.1, False)])
def test_every_target_can_be_missed(times: float, met: bool) -> None:  # noqa: FBT001 - a column of the table
    assert [figure.share >= 1 for figure in verdicts(found(times).figures())] == [met] * 5


def test_it_says_which_input_takes_how_long() -> None:
    lines = list(table(found(0.5).figures()))

    assert lines[0] == "first rows: 1 ms, 99 of 100 within 1000 ms"
    assert "still failed" in lines[1]
    assert "150 ms" in lines[1]
