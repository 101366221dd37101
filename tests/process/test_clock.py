from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.process.clock import SLEW, STEP, SteadyClock

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)

steps = st.lists(
    st.tuples(st.floats(0, 3600), st.one_of(st.just(0.0), st.floats(-7200, 7200))), min_size=1, max_size=30
)
"""Seconds that pass, and by how many the system's clock leaps besides."""


class Times:
    """A system's time and the time that passes."""

    def __init__(self) -> None:
        self.system = NOON
        self.elapsed = 1000.0
        self.clock = SteadyClock(followed=lambda: self.system, elapsed=lambda: self.elapsed)

    def passes(self, seconds: float, *, leaps: timedelta = timedelta(0)) -> datetime:
        self.system += timedelta(seconds=seconds) + leaps
        self.elapsed += seconds
        return self.clock()


def test_it_is_the_systems_time_while_that_does_not_leap() -> None:
    times = Times()

    assert [times.passes(second) - NOON for second in (0, 1, 59)] == [timedelta(seconds=s) for s in (0, 1, 60)]


def test_after_a_leap_of_the_systems_time_it_goes_on_at_nearly_the_same_pace() -> None:
    for leap in (HOUR, -HOUR):
        times = Times()
        times.passes(1, leaps=leap)
        assert abs(times.passes(60) - NOON - timedelta(seconds=61)) <= timedelta(seconds=61 * SLEW)


def test_it_comes_back_to_the_systems_time() -> None:
    for leap in (HOUR, -HOUR):
        times = Times()
        times.passes(0, leaps=leap)
        nows = [times.passes(3600) for _ in range(21)]
        assert nows[-1] == times.system


def test_it_does_not_change_within_a_step_and_loses_nothing() -> None:
    times = Times()

    part = timedelta(seconds=0.6 * STEP)
    assert [times.passes(0.6 * STEP) - NOON for _ in range(5)] == [part * n for n in (0, 2, 2, 4, 4)]


@given(steps)
def test_it_never_goes_back_and_goes_about_as_fast_as_time_passes(steps: list[tuple[float, float]]) -> None:
    times = Times()
    before = times.clock()
    for seconds, leap in steps:
        now = times.passes(seconds, leaps=timedelta(seconds=leap))
        passed = timedelta(seconds=seconds)
        apart = timedelta(seconds=STEP, microseconds=50)
        assert passed * (1 - SLEW) - apart <= now - before <= passed * (1 + SLEW) + apart
        assert now >= before
        before = now
