import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.process.server_time import AGREEING, DRIFT, TOLERANCE, Estimate, Sample, combine, error

YEAR = 365 * 86400.0
NOON = 1_795_000_000.0
"""Unix seconds."""

skews = st.floats(-20 * YEAR, 20 * YEAR)
latencies = st.one_of(st.floats(0, 2), st.floats(0, 120))
drifts = st.floats(-DRIFT, DRIFT)


@dataclass
class Server:
    """Its clock is ``skew`` seconds ahead of ours and runs faster by ``drift``. Its answers have whole seconds."""

    skew: float = 0.0
    drift: float = 0.0

    def time(self, elapsed: float) -> float:
        return NOON + self.skew + elapsed * (1 + self.drift)

    def offset(self, elapsed: float) -> float:
        return self.time(elapsed) - elapsed

    def answers(self, sent: float, *, there: float = 0.01, back: float = 0.01) -> Sample:
        said = math.floor(self.time(sent + there))
        return Sample(sent=sent, received=sent + there + back, earliest=said, latest=said + 1)


@dataclass
class Exchange:
    pause: float
    there: float
    back: float


exchanges = st.lists(
    st.builds(Exchange, pause=st.floats(0, 3600), there=latencies, back=latencies), min_size=1, max_size=30
)


def heard(server: Server, exchanges: list[Exchange], *, estimate: Estimate | None = None, at: float = 0.0) -> Estimate:
    for exchange in exchanges:
        at += exchange.pause
        sample = server.answers(at, there=exchange.there, back=exchange.back)
        estimate = combine(estimate, sample)
        at = sample.received
    assert estimate is not None
    return estimate


@given(skew=skews, drift=drifts, exchanges=exchanges, later=st.floats(0, 10 * 3600))
def test_the_true_offset_is_in_the_interval_for_any_skew_latency_jitter_and_drift(
    skew: float, drift: float, exchanges: list[Exchange], later: float
) -> None:
    server = Server(skew=skew, drift=drift)
    estimate = heard(server, exchanges)
    at = estimate.at + later

    interval = estimate.now(at)
    assert interval.low - 1e-6 <= server.offset(at) <= interval.high + 1e-6
    assert estimate.agreed == len(exchanges), "one server never contradicts itself"


@given(skew=skews, exchanges=exchanges)
def test_more_answers_never_widen_the_interval(skew: float, exchanges: list[Exchange]) -> None:
    server = Server(skew=skew)
    before = heard(server, exchanges[:1])
    for number in range(2, len(exchanges) + 1):
        after = heard(server, exchanges[:number])
        known, drifted = after.now(after.at), before.now(after.at)
        assert known.low >= drifted.low - 1e-6
        assert known.high <= drifted.high + 1e-6
        before = after


@given(skew=skews, exchanges=exchanges, offset=st.floats(-YEAR, YEAR), later=st.floats(0, 1e6))
def test_the_error_is_never_less_than_the_true_one(
    skew: float, exchanges: list[Exchange], offset: float, later: float
) -> None:
    server = Server(skew=skew)
    estimate = heard(server, exchanges)
    at = estimate.at + later
    wrong = server.offset(at) + offset

    assert error(estimate, wrong, elapsed=at) >= abs(offset) - 1e-4
    assert (error(estimate, wrong, elapsed=at) < math.inf) == (len(exchanges) >= AGREEING)


@given(exchanges=exchanges, step=st.one_of(st.floats(10, YEAR), st.floats(-YEAR, -10)))
def test_when_the_servers_clock_steps_nothing_counts_until_enough_answers_agree_on_the_new_time(
    exchanges: list[Exchange], step: float
) -> None:
    before = Server()
    estimate = heard(before, [*exchanges, *quick(AGREEING)])
    stepped = Server(skew=step)
    for number in range(1, AGREEING + 1):
        estimate = combine(estimate, stepped.answers(estimate.at + 1))
        assert estimate.counts == (number == AGREEING)

    interval = estimate.now(estimate.at)
    assert interval.low <= stepped.offset(estimate.at) <= interval.high


@given(exchanges=exchanges, stale=st.floats(60, YEAR))
def test_an_answer_from_a_cache_holds_decisions_back_and_moves_nothing_when_fresh_ones_follow(
    exchanges: list[Exchange], stale: float
) -> None:
    server = Server()
    estimate = heard(server, [*exchanges, *quick(AGREEING)])
    estimate = combine(estimate, Server(skew=-stale).answers(estimate.at))
    assert not estimate.counts

    estimate = heard(server, quick(AGREEING), estimate=estimate, at=estimate.at)
    assert estimate.counts
    assert estimate.interval.closest_to(server.offset(estimate.at)) == pytest.approx(server.offset(estimate.at))


@given(apart=st.floats(-2 * TOLERANCE, 2 * TOLERANCE), turns=st.lists(st.booleans(), min_size=AGREEING, max_size=50))
def test_replicas_whose_clocks_differ_a_little_do_not_contradict_each_other(apart: float, turns: list[bool]) -> None:
    replicas = Server(), Server(skew=apart)
    estimate, at = None, 0.0
    for second in turns:
        at += 0.3
        estimate = combine(estimate, replicas[second].answers(at))

    assert estimate is not None
    assert estimate.agreed == len(turns)


def test_replicas_whose_clocks_differ_much_never_count() -> None:
    replicas = Server(), Server(skew=3600)
    estimate, counted = None, []
    for turn in range(40):
        estimate = combine(estimate, replicas[turn % 2].answers(float(turn)))
        counted.append(estimate.counts)

    assert not any(counted)


def test_answers_narrow_it_to_a_second_and_silence_widens_it_beyond_five() -> None:
    server = Server(skew=3600.4)
    estimate = heard(server, quick(20))
    assert error(estimate, server.offset(estimate.at), elapsed=estimate.at) < 1.5
    assert error(estimate, server.offset(estimate.at), elapsed=estimate.at + 5 / DRIFT) > 5


def test_a_slow_answer_narrows_little_and_contradicts_nothing() -> None:
    server = Server()
    before = heard(server, quick(10))
    after = combine(before, server.answers(before.at, there=0.0, back=100.0))
    assert after.agreed == before.agreed + 1
    assert after.interval.high - after.interval.low < 2.5


def quick(number: int) -> list[Exchange]:
    return [Exchange(pause=0.37, there=0.004, back=0.003) for _ in range(number)]
