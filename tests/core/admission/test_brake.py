"""The brake against a plain list of times."""

from hypothesis import given
from hypothesis import strategies as st

from agent.core.admission.brake import SLOTS, Brake, BrakeLimits

LIMITS = BrakeLimits(at_most=3, window=60.0, pause=100.0)


def pull(times: list[float], limits: BrakeLimits = LIMITS) -> list[bool]:
    """Whether each pod gets its condition."""
    brake, given_at = Brake(), []
    for now in times:
        brake = brake.pulled(now, limits)
        given_at.append(not brake.holds(now))
    return given_at


def test_one_more_than_may_be_given_stops_everything_for_the_pause() -> None:
    assert pull([0, 1, 2, 3, 50, 102.9]) == [True, True, True, False, False, False]


def test_after_the_pause_the_count_starts_again() -> None:
    assert pull([0, 1, 2, 3, 103, 104, 105, 106]) == [True, True, True, False, True, True, True, False]


def test_what_is_older_than_the_window_does_not_count() -> None:
    assert pull([0, 1, 2, 64, 65, 66]) == [True] * 6


@given(
    gaps=st.lists(st.floats(min_value=0, max_value=40), max_size=200),
    at_most=st.integers(1, 5),
    pause=st.floats(min_value=1, max_value=200),
)
def test_no_window_has_more_than_may_be_given_and_pods_wait_only_after_it_was_full(
    gaps: list[float], at_most: int, pause: float
) -> None:
    limits = BrakeLimits(at_most=at_most, window=60.0, pause=pause)
    times = [sum(gaps[: number + 1]) for number in range(len(gaps))]
    answers = pull(times, limits)
    given_at = [now for now, answer in zip(times, answers, strict=True) if answer]

    for index, now in enumerate(given_at):
        since = given_at[max(0, index - at_most)] if index >= at_most else None
        paused = since is not None and any(
            not answer and since <= at <= now for at, answer in zip(times, answers, strict=True)
        )
        assert since is None or paused or now - since >= limits.window - 1e-6
    for now, answer in zip(times, answers, strict=True):
        reach = limits.window * (1 + 1 / SLOTS) + pause + 1e-6
        assert answer or sum(now - reach <= at <= now for at in given_at) >= at_most


@given(gaps=st.lists(st.floats(min_value=0, max_value=3), min_size=200, max_size=200))
def test_the_memory_does_not_grow_with_the_limit(gaps: list[float]) -> None:
    brake, now = Brake(), 0.0
    for gap in gaps:
        now += gap
        brake = brake.pulled(now, BrakeLimits(at_most=10**9, window=60.0, pause=1.0))
        assert len(brake.slots) <= SLOTS + 2
