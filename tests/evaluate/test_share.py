"""Shares and their intervals."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from agent.evaluate.share import grouped_share, share


@pytest.mark.parametrize(
    ("count", "of", "low", "high"),
    # Brown, Cai and DasGupta 2001, formula 4, worked out by hand
    [(5, 10, 0.2366, 0.7634), (9, 10, 0.5958, 0.9821), (10, 10, 0.7225, 1.0), (81, 263, 0.2553, 0.3662)],
)
def test_the_interval_is_wilsons(count: int, of: int, low: float, high: float) -> None:
    found = share([True] * count + [False] * (of - count))

    assert (round(found.low, 4), round(found.high, 4)) == (low, high)


def test_the_bound_of_a_count_of_zero_is_the_rule_of_three() -> None:
    assert str(share([False] * 132)) == "0 of 132 (<2.3%)"
    assert share([False] * 2).high == 1.0


def test_without_a_case_the_interval_is_everything() -> None:
    assert str(share([])) == "no case"
    assert (share([]).low, share([]).high) == (0.0, 1.0)


@given(st.lists(st.booleans(), min_size=1))
@example([True] * 10)
def test_the_share_lies_in_its_interval(truths: list[bool]) -> None:
    found = share(truths)

    assert 0.0 <= found.low <= found.share <= found.high <= 1.0


@given(st.lists(st.lists(st.booleans(), max_size=5), max_size=8), st.integers(0, 5))
def test_a_grouped_share_is_the_same_share_and_repeats(groups: list[list[bool]], seed: int) -> None:
    found = grouped_share(groups, seed=seed)
    plain = share([truth for group in groups for truth in group])

    assert (found.count, found.of, found.share) == (plain.count, plain.of, plain.share)
    assert grouped_share(groups, seed=seed) == found


def test_groups_that_agree_within_widen_the_interval() -> None:
    groups = [[True] * 20] * 5 + [[False] * 20] * 5
    plain = share([truth for group in groups for truth in group])
    found = grouped_share(groups, seed=1)

    assert found.high - found.low > plain.high - plain.low
