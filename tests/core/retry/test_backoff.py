from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.retry.backoff import delay, not_counted
from agent.core.retry.delay import LONGEST
from agent.core.retry.policy import BackoffPolicy, merge_backoff
from tests.core.retry.builders import backoff

BACKOFFS = st.builds(
    BackoffPolicy,
    initial=st.none() | st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=3650)),
    maximum=st.none() | st.timedeltas(min_value=timedelta(0), max_value=timedelta.max),
    multiplier=st.none() | st.floats(min_value=1, max_value=1e308),
)


@pytest.mark.parametrize(
    ("row", "number", "seconds"),
    [
        ({"initialDelay": 30, "maxDelay": 300, "multiplier": 2.0}, 1, 30),
        ({"initialDelay": 30, "maxDelay": 300, "multiplier": 2.0}, 2, 60),
        ({"initialDelay": 30, "maxDelay": 300, "multiplier": 2.0}, 4, 240),
        ({"initialDelay": 30, "maxDelay": 300, "multiplier": 2.0}, 5, 300),
        ({"initialDelay": 30, "maxDelay": 300, "multiplier": 2.0}, 10**6, 300),
        ({"initialDelay": 0, "maxDelay": 300, "multiplier": 2.0}, 9, 0),
        ({"initialDelay": 30, "maxDelay": 10, "multiplier": 2.0}, 1, 10),
        ({"initialDelay": 30, "maxDelay": 0, "multiplier": 2.0}, 3, 0),
        ({"initialDelay": 30, "multiplier": 1.0}, 9, 30),
        ({"initialDelay": 30}, 9, 30),
        ({}, 1, 0),
        ({"initialDelay": 1, "multiplier": 1e300}, 3, LONGEST.total_seconds()),
    ],
)
def test_delays(row: dict[str, float], number: int, seconds: float) -> None:
    assert delay(backoff(row), number=number, grace=None).seconds == seconds


@pytest.mark.parametrize(("grace", "seconds"), [(None, 30.0), (0, 30.0), (10, 30.0), (45, 45.0)])
def test_a_grace_period_to_wait_for_is_the_least(grace: int | None, seconds: float) -> None:
    waited = delay(backoff({"initialDelay": 30}), number=1, grace=None if grace is None else timedelta(seconds=grace))
    assert (waited.seconds, waited.backoff_seconds) == (seconds, 30.0)


def test_the_most_specific_level_wins_field_by_field() -> None:
    rule, policy = backoff({"initialDelay": 0}), backoff({"initialDelay": 10, "maxDelay": 300})

    assert merge_backoff(merge_backoff(rule, policy), backoff({"multiplier": 3})) == backoff(
        {"initialDelay": 0, "maxDelay": 300, "multiplier": 3}
    )


def test_what_no_level_says_stays_unsaid() -> None:
    assert merge_backoff(BackoffPolicy(), BackoffPolicy()) == BackoffPolicy()


@given(backoff=BACKOFFS, number=st.integers(1, 10**9))
def test_no_delay_leaves_its_bounds(backoff: BackoffPolicy, number: int) -> None:
    maximum = min(LONGEST if backoff.maximum is None else backoff.maximum, LONGEST)

    assert timedelta(0) <= delay(backoff, number=number, grace=None).duration <= maximum


@given(backoff=BACKOFFS, number=st.integers(1, 10**6), more=st.integers(0, 10**6))
def test_a_later_retry_never_waits_less(backoff: BackoffPolicy, number: int, more: int) -> None:
    first, later = (delay(backoff, number=count, grace=None).seconds for count in (number, number + more))

    assert first <= later


def test_jitter_takes_off_its_share_by_chance_and_never_adds() -> None:
    row = backoff({"initialDelay": 100, "jitter": 0.5})

    assert [delay(row, number=1, grace=None, draw=draw).seconds for draw in (0, 0.5, 1)] == [100, 75, 50]


@given(draw=st.floats(0, 1), jitter=st.floats(0, 1), number=st.integers(1, 50), grace=st.none() | st.integers(0, 600))
def test_jitter_stays_between_nothing_and_the_formula_and_above_the_grace_period(
    draw: float, jitter: float, number: int, grace: int | None
) -> None:
    row = backoff({"initialDelay": 10, "maxDelay": 300, "multiplier": 2.0, "jitter": jitter})
    least = None if grace is None else timedelta(seconds=grace)
    waited = delay(row, number=number, grace=least, draw=draw)

    assert (grace or 0) <= waited.seconds <= max(waited.backoff_seconds, grace or 0)
    assert waited.seconds >= waited.backoff_seconds * (1 - jitter) - 1e-9


@pytest.mark.parametrize(
    ("used", "known", "lasted", "counted"),
    [(0, 0, 7200, (0, False)), (3, 0, 7200, (3, True)), (3, 2, 60, (2, False)), (3, 2, None, (2, False))],
)
def test_a_long_run_resets_the_delays(used: int, known: int, lasted: float | None, counted: tuple[int, bool]) -> None:
    ran = None if lasted is None else timedelta(seconds=lasted)

    assert not_counted(timedelta(hours=1), used=used, known=known, lasted=ran) == counted
    assert not_counted(None, used=used, known=known, lasted=ran)[1] is False
