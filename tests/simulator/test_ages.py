"""Ages as kubectl shows them (apimachinery: pkg/util/duration/duration_test.go)."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.simulator.ages import age, human

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (121, "2m1s"),
        (599, "9m59s"),
        (600, "10m"),
        (3 * 3600 - 1, "179m"),
        (3 * 3600, "3h"),
        (3 * 3600 + 60, "3h1m"),
        (8 * 3600 - 1, "7h59m"),
        (8 * 3600, "8h"),
        (48 * 3600 - 1, "47h"),
        (48 * 3600, "2d"),
        (50 * 3600, "2d2h"),
        (192 * 3600 - 1, "7d23h"),
        (192 * 3600, "8d"),
        (2 * 365 * 86400 - 1, "729d"),
        (2 * 365 * 86400, "2y"),
        (2 * 365 * 86400 + 86400, "2y1d"),
        (8 * 365 * 86400, "8y"),
    ],
)
def test_an_age_has_two_units_at_most(seconds: int, shown: str) -> None:
    assert human(timedelta(seconds=seconds)) == shown


@given(st.integers(0, 20 * 365 * 86400))
def test_an_age_is_short(seconds: int) -> None:
    assert len(human(timedelta(seconds=seconds))) <= len("7y364d")


def test_what_has_no_time_has_no_age() -> None:
    assert [age(each, NOW) for each in (None, "", "2026-11-22T11:59:00Z")] == ["<unknown>", "<unknown>", "60s"]
