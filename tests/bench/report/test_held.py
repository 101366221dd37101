import math

import pytest

from bench.report.held import Held, are_met, at_least, at_most, digits, lines, medians


@pytest.mark.parametrize(
    ("figure", "share"),
    [
        (at_least("speed", 8.0, target=10.0), 0.8),
        (at_least("speed", 12.0, target=10.0), 1.2),
        (at_most("memory", 12.5, target=10.0), 0.8),
        (at_most("memory", 5.0, target=10.0), 2.0),
        (at_most("memory", 0.0, target=10.0), math.inf),
    ],
)
def test_a_share_is_how_far_a_target_is_met(figure: Held, share: float) -> None:
    assert figure.share == pytest.approx(share)


def test_a_target_is_met_from_its_floor_on() -> None:
    held = [at_least("speed", 8.5, target=10.0), at_most("memory", 10.0, target=10.0, unit="MB")]

    assert are_met(held, 0.85)
    assert not are_met(held, 0.86)
    assert lines(held, 1.0) == [
        "MISSED speed: 8.5 times (at least 10)",
        "met    memory: 10 MB (at most 10)",
    ]


def test_of_several_runs_the_median_of_each_figure_is_taken() -> None:
    runs = [
        [at_least("speed", speed, target=10.0), at_most("memory", memory, target=10.0, unit="MB")]
        for speed, memory in ((9.0, 1.0), (30.0, 3.0), (20.0, 2.0))
    ]

    assert [(figure.name, figure.value) for figure in medians(runs)] == [("speed", 20.0), ("memory", 2.0)]
    assert medians(runs)[1].unit == "MB"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.012345, "0.0123"), (1.5, "1.5"), (17.04, "17"), (99.96, "100"), (123.4, "123"), (27954.4, "27954")],
)
def test_a_number_has_three_digits_or_all_before_the_point(value: float, text: str) -> None:
    assert digits(value) == text
