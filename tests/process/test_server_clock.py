import math
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.process.clock import SLEW, STEP
from agent.process.server_clock import MOST_ERROR, ServerClock
from agent.process.server_time import AGREEING

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
ZERO = timedelta(0)
RESOLUTION = timedelta(seconds=2)

skews = st.floats(-1e8, 1e8).map(lambda seconds: timedelta(seconds=seconds))
latencies = st.floats(0, 0.5)


class World:
    """A machine whose clock is ``skew`` ahead, and a server whose clock is right unless it is set."""

    def __init__(self, skew: timedelta = ZERO) -> None:
        self.truth = NOON
        self.skew = skew
        self.server_skew = ZERO
        self.elapsed = 500.0
        self.clock = ServerClock(system=lambda: self.truth + self.skew, elapsed=lambda: self.elapsed)

    def passes(self, seconds: float) -> None:
        self.truth += timedelta(seconds=seconds)
        self.elapsed += seconds

    def answers(self, count: int = 1, *, there: float = 0.01, back: float = 0.01) -> None:
        for _ in range(count):
            sent = self.elapsed
            self.passes(there)
            date = (self.truth + self.server_skew).replace(microsecond=0)
            self.passes(back)
            self.clock.hear(sent=sent, received=self.elapsed, date=date)

    def off(self) -> timedelta:
        """By how much the clock differs from the server's."""
        return abs(self.clock() - self.truth - self.server_skew)


@given(skew=skews, there=latencies, back=latencies)
def test_a_known_skew_of_any_size_is_corrected_from_the_start(skew: timedelta, there: float, back: float) -> None:
    world = World(skew)
    world.answers(AGREEING, there=there, back=back)

    assert world.clock.known
    assert world.off() <= RESOLUTION
    assert world.clock.doubt() is None
    assert abs(world.clock.system_offset() - skew) <= RESOLUTION


@given(skew=skews, answers=st.integers(0, AGREEING - 1), later=st.floats(0, 1e6))
def test_until_enough_answers_agree_it_is_the_systems_time_and_in_doubt(
    skew: timedelta, answers: int, later: float
) -> None:
    world = World(skew)
    world.answers(answers)
    assert abs(world.clock() - world.truth - skew) < RESOLUTION

    world.passes(later)
    assert math.isinf(world.clock.error())
    assert "not known" in (world.clock.doubt() or "")
    assert world.clock.lag() == 0


@given(
    skew=skews,
    steps=st.lists(
        st.tuples(
            st.floats(0, 7200),
            st.one_of(st.just(ZERO), st.floats(-7200, 7200).map(lambda seconds: timedelta(seconds=seconds))),
            st.one_of(st.just(ZERO), st.floats(-7200, 7200).map(lambda seconds: timedelta(seconds=seconds))),
            st.integers(0, 4),
        ),
        max_size=20,
    ),
)
def test_it_is_right_unless_it_is_in_doubt_and_it_never_jumps(
    skew: timedelta, steps: list[tuple[float, timedelta, timedelta, int]]
) -> None:
    world = World(skew)
    world.answers(AGREEING)
    before, at = world.clock(), world.elapsed
    stepped = False
    for seconds, system_leap, server_leap, answers in steps:
        world.skew += system_leap
        world.server_skew += server_leap
        stepped = (stepped and not answers) or bool(server_leap)
        world.passes(seconds)
        world.answers(answers)
        now, passed = world.clock(), timedelta(seconds=world.elapsed - at)
        assert abs(now - before - passed) <= passed * SLEW + timedelta(seconds=STEP, microseconds=60)
        if not stepped and world.clock.doubt() is None:
            assert world.off().total_seconds() <= MOST_ERROR + 0.001
        before, at = now, world.elapsed


def test_a_leap_of_the_systems_clock_changes_nothing() -> None:
    world = World()
    world.answers(AGREEING)
    for leap in (HOUR, -HOUR):
        world.skew += leap
        world.passes(60)
        assert world.off() <= RESOLUTION
        assert world.clock.doubt() is None


def test_without_answers_it_is_in_doubt_until_one_arrives() -> None:
    world = World()
    world.answers(AGREEING)
    world.passes(3 * 3600)
    assert "may differ from the API server's by" in (world.clock.doubt() or "")

    world.answers()
    assert world.clock.doubt() is None


def test_when_the_servers_clock_steps_it_is_in_doubt_until_it_has_returned_and_says_how_far_it_is_off() -> None:
    for step in (timedelta(minutes=1), -timedelta(minutes=1)):
        world = World()
        world.answers(AGREEING)
        world.clock()
        world.server_skew = step
        world.answers(AGREEING)
        assert abs(world.clock.lag() - 60) < 2
        assert "by 6" in (world.clock.doubt() or "")

        for _ in range(30):
            world.passes(60)
            world.answers()
            world.clock()
        assert world.clock.doubt() is None
        assert world.clock.lag() == 0
        assert world.off() <= RESOLUTION
