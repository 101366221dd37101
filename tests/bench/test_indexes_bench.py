"""The benchmark of Indexed Jobs: its courses are what they say, and its targets can be missed."""

import pytest

from bench.indexes import Figures, allocated, course, ended, running, table, timed, verdicts
from bench.report.held import are_met


def test_a_course_ends_every_index_or_waits_for_it_again() -> None:
    counters = running(100, per_index=True)
    course(counters, ended(range(100), 50))

    assert len(counters.succeeded) == 50
    assert counters.status.active == 50


@pytest.mark.slow
def test_both_kinds_are_measured() -> None:
    assert timed(10, 50, per_index=True) > 0
    assert allocated(10, 50, per_index=False) > 0


def test_a_target_is_met_or_missed() -> None:
    good = {(1_000, 10): (Figures(1.0, 100), Figures(1.2, 120), 1.2)}
    slow = {(1_000, 10): (Figures(1.0, 100), Figures(1.6, 120), 1.6)}
    large = {(1_000, 10): (Figures(1.0, 100), Figures(1.2, 160), 1.2)}

    assert are_met(verdicts(good, {0: 49.0}), 1.0)
    assert not are_met(verdicts(good, {0: 51.0}), 1.0)
    assert not are_met(verdicts(slow, {}), 1.0)
    assert not are_met(verdicts(large, {}), 1.0)
    assert "1000" in table(good)
