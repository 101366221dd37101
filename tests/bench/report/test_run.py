from collections.abc import Callable, Iterator

import pytest

from bench.report.held import at_least
from bench.report.run import Measured, NotRun, Outcome, settle


def measured(*speeds: float) -> tuple[Iterator[Outcome], Callable[[], Outcome]]:
    """Runs with these speeds, those that are left, and what gives the next."""
    runs: Iterator[Outcome] = iter([Measured((at_least("speed", speed, target=10.0),)) for speed in speeds])
    return runs, lambda: next(runs)


def speed_of(outcome: Outcome) -> float:
    assert isinstance(outcome, Measured)
    return outcome.held[0].value


def test_a_figure_above_the_floor_is_measured_once() -> None:
    left, measure = measured(8.5, 1.0)

    assert speed_of(settle(measure, floor=0.85, again=2)) == 8.5
    assert len(list(left)) == 1


@pytest.mark.parametrize(("speeds", "decides"), [((5.0, 9.0, 11.0), 9.0), ((5.0, 6.0, 11.0), 6.0)])
def test_below_the_floor_the_median_decides(speeds: tuple[float, ...], decides: float) -> None:
    left, measure = measured(*speeds)

    assert speed_of(settle(measure, floor=0.85, again=2)) == decides
    assert list(left) == []


def test_without_more_runs_the_first_decides() -> None:
    assert speed_of(settle(measured(5.0)[1], floor=1.0, again=0)) == 5.0


def test_a_run_without_figures_is_final() -> None:
    outcomes: Iterator[Outcome] = iter([*[NotRun("no server")] * 2])
    runs: Iterator[Outcome] = iter([Measured((at_least("speed", 1.0, target=10.0),)), NotRun("it broke")])

    assert settle(lambda: next(outcomes), floor=1.0, again=2) == NotRun("no server")
    assert settle(lambda: next(runs), floor=1.0, again=2) == NotRun("it broke")
    assert len(list(outcomes)) == 1
