from hypothesis import given
from hypothesis import strategies as st

from agent.backoff import NO_JITTER, RETRY_AFTER_LIMIT_SECONDS, Backoff, DecorrelatedBackoff

draws = st.floats(0, 1, exclude_max=True)


@given(draws=st.lists(draws, min_size=1, max_size=30))
def test_every_wait_is_between_the_base_and_the_limit(draws: list[float]) -> None:
    backoff = DecorrelatedBackoff()
    for draw in draws:
        backoff, seconds = backoff.after(draw)
        assert backoff.base <= seconds <= backoff.limit


@given(draws=st.lists(draws, min_size=2, max_size=30))
def test_no_wait_is_more_than_three_times_the_one_before(draws: list[float]) -> None:
    backoff, before = DecorrelatedBackoff(), DecorrelatedBackoff().base
    for draw in draws:
        backoff, seconds = backoff.after(draw)
        assert seconds <= 3 * before + 1e-9
        before = seconds


def test_it_reaches_the_limit_and_stays_there() -> None:
    backoff = DecorrelatedBackoff()
    waits = []
    for _ in range(6):
        backoff, seconds = backoff.after(0.99999)
        waits.append(round(seconds, 1))
    assert waits == [2.4, 7.2, 21.6, 30.0, 30.0, 30.0]


@given(draw=draws, wish=st.floats(0, 1e6))
def test_the_servers_wish_is_granted_within_reason_and_does_not_grow_the_next_wait(draw: float, wish: float) -> None:
    backoff, seconds = DecorrelatedBackoff().after(draw, retry_after=wish)
    assert seconds >= min(wish, RETRY_AFTER_LIMIT_SECONDS)
    assert seconds <= max(backoff.limit, RETRY_AFTER_LIMIT_SECONDS)
    assert backoff == DecorrelatedBackoff().after(draw)[0]


@given(draws=st.lists(draws, max_size=10), draw=draws)
def test_a_reset_forgets(draws: list[float], draw: float) -> None:
    backoff = DecorrelatedBackoff()
    for each in draws:
        backoff, _ = backoff.after(each)
    assert backoff.reset().after(draw) == DecorrelatedBackoff().after(draw)


@given(attempt=st.integers(0, 100), jitter=st.floats(0, 0.999))
def test_a_backoff_is_never_longer_than_most_nor_nothing(attempt: int, jitter: float) -> None:
    seconds = Backoff(first=0.1, most=10).seconds(attempt, jitter=jitter)

    assert 0.05 <= seconds <= 10
    assert seconds <= Backoff(first=0.1, most=10).seconds(attempt + 1, jitter=jitter)


def test_without_jitter_each_wait_is_twice_the_one_before_up_to_most() -> None:
    backoff = Backoff(first=0.1, most=5.0)
    assert [backoff.seconds(attempt, jitter=NO_JITTER) for attempt in range(8)] == [
        0.1,
        0.2,
        0.4,
        0.8,
        1.6,
        3.2,
        5.0,
        5.0,
    ]
