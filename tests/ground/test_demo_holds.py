import pytest

from tests.ground.demo_holds import broken_promises

GOOD = {"failures": 14, "classified": 14, "decided": 14, "duplicates": 0, "lost": 0, "p99_detect_to_decision_ms": 90}


def test_a_good_demo_breaks_nothing() -> None:
    assert broken_promises(GOOD) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lost": 1}, "lost is 1, not 0"),
        ({"duplicates": 2}, "duplicates is 2, not 0"),
        ({"classified": 13}, "classified is 13, not 14"),
        ({"decided": 13}, "decided is 13, not 14"),
        ({"failures": 3, "classified": 3, "decided": 3}, "failures is 3, fewer than the 12 kinds that are played"),
    ],
)
def test_each_broken_promise_is_said(change: dict[str, int], said: str) -> None:
    assert broken_promises({**GOOD, **change}) == [said]
