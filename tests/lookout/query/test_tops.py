"""Rates of failures that can be compared."""

import pytest

from agent.lookout.query.tops import lower_bound


@pytest.mark.parametrize(
    ("failures", "runs", "least"),
    [(0, 0, 0.0), (0, 10, 0.0), (1, 1, 0.2065), (5, 10, 0.2366), (50, 100, 0.4038), (10, 10, 0.7225), (1, 100, 0.0018)],
)
def test_it_is_wilsons_lower_bound(failures: int, runs: int, least: float) -> None:
    assert lower_bound(failures, runs) == pytest.approx(least, abs=0.0001)


def test_more_runs_of_the_same_rate_say_more() -> None:
    assert lower_bound(1, 1) < lower_bound(3, 3) < lower_bound(30, 30)
    assert lower_bound(9, 10) < lower_bound(80, 100)
