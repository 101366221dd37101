"""Backtracking searches keep their limits, by a clock the test owns; the time-outs themselves are real."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.pattern import PatternError
from agent.core.classify.search import Found, NotFound, TimedOut
from agent.patterns import BacktrackingSearches, Limits

EVIL = r"^(a|aa)+$"
LONG = "a" * 200 + "b"


class Clock:
    """Seconds that pass when the test says so, and ``step`` whenever somebody looks."""

    def __init__(self, step: float = 0.0) -> None:
        self.now = 100.0
        self.step = step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def test_found_not_found_and_nothing_in_an_empty_text() -> None:
    search = BacktrackingSearches(clock=Clock())(r"(?<=CUDA )e\w+")

    assert search.search("a CUDA error") == Found(start=7, end=12)
    assert search.search("an error") == NotFound()
    assert BacktrackingSearches(clock=Clock())(".*").search("") == NotFound()


def test_a_match_is_at_the_start_and_may_be_of_nothing() -> None:
    match = BacktrackingSearches(clock=Clock())("(?!known)e?").match

    assert (match("error"), match("an e"), match("")) == (
        Found(start=0, end=1),
        Found(start=0, end=0),
        Found(start=0, end=0),
    )
    assert match("known") == NotFound()


def test_a_match_that_takes_too_long_has_timed_out() -> None:
    assert BacktrackingSearches(clock=Clock())(EVIL).match(LONG) == TimedOut(why="took longer than 20 ms")


def test_a_pattern_that_does_not_compile_says_why() -> None:
    with pytest.raises(PatternError, match="missing \\)"):
        BacktrackingSearches(clock=Clock())("(x")
    with pytest.raises(PatternError, match="recursion"):
        BacktrackingSearches(clock=Clock())("(" * 2_000 + ")" * 2_000)


def test_a_search_that_takes_too_long_has_timed_out() -> None:
    search = BacktrackingSearches(clock=Clock())(EVIL)

    assert search.search(LONG) == TimedOut(why="took longer than 20 ms")
    assert search.search("aaa") == Found(start=0, end=3)


def test_after_three_time_outs_a_pattern_is_suspended_for_ten_minutes() -> None:
    clock = Clock()
    searches = BacktrackingSearches(clock=clock)
    evil, other = searches(EVIL), searches("x")

    assert [evil.search(LONG) for _ in range(3)] == [TimedOut(why="took longer than 20 ms")] * 3
    assert evil.search("aaa") == TimedOut(why="suspended for 600 s after 3 time-outs")
    assert other.search("x") == Found(start=0, end=1)
    clock.now += 599.9
    assert evil.search("aaa") == TimedOut(why="suspended for 600 s after 3 time-outs")
    clock.now += 0.1
    assert evil.search("aaa") == Found(start=0, end=3)


def test_after_its_suspension_a_pattern_has_three_time_outs_again() -> None:
    clock = Clock()
    evil = BacktrackingSearches(clock=clock)(EVIL)
    for _ in range(3):
        evil.search(LONG)
    clock.now += 600

    assert [evil.search(LONG) for _ in range(2)] == [TimedOut(why="took longer than 20 ms")] * 2
    assert evil.search("aaa") == Found(start=0, end=3)


def test_searches_take_their_share_of_wall_time_and_no_more() -> None:
    clock = Clock(step=0.01)
    search = BacktrackingSearches(clock=clock)("x")

    answers = [search.search("x") for _ in range(400)]

    assert answers.count(Found(start=0, end=1)) == 298
    assert answers[-1] == TimedOut(why="searches have used up their 5% of wall time")


def test_the_share_comes_back_as_time_passes() -> None:
    clock = Clock(step=0.01)
    search = BacktrackingSearches(clock=clock)("x")
    for _ in range(400):
        search.search("x")
    clock.now += 61

    assert search.search("x") == Found(start=0, end=1)


def test_all_patterns_share_one_allowance() -> None:
    clock = Clock(step=0.5)
    limits = Limits(search_seconds=0.5, share=0.05, window_seconds=60)
    searches = BacktrackingSearches(clock=clock, limits=limits)

    answers = [searches(pattern).search("xyz") for pattern in "xyzxyzxyz"]

    assert [type(answer) for answer in answers] == [Found] * 6 + [TimedOut] * 3


@given(idle=st.lists(st.floats(0, 100), min_size=1, max_size=40), took=st.floats(0.001, 0.3))
def test_no_window_ever_gets_more_than_its_share(idle: list[float], took: float) -> None:
    clock = Clock(step=took)
    limits = Limits(search_seconds=0.3, share=0.05, window_seconds=10)
    search = BacktrackingSearches(clock=clock, limits=limits)("x")
    spent: list[tuple[float, float]] = []

    for pause in idle:
        clock.now += pause
        started = clock.now
        if isinstance(search.search("x"), Found):
            spent.append((started, took))
    for start, _ in spent:
        assert sum(seconds for at, seconds in spent if start <= at < start + 10) <= 0.5 + 1e-6


def test_threads_cannot_spend_the_same_time_twice() -> None:
    limits = Limits(search_seconds=1.0, share=0.5, window_seconds=10)
    searches = BacktrackingSearches(clock=Clock(), limits=limits)
    ready = threading.Barrier(8)
    answers: list[object] = []

    def ask() -> None:
        search = searches("x")
        ready.wait()
        answers.extend(search.search("x" * 10) for _ in range(200))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 1600
    assert searches._allowance._reserved == pytest.approx(0.0, abs=1e-9)
    assert {type(answer) for answer in answers} <= {Found, TimedOut}
