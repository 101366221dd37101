import pytest

from tests.ground.demo_holds import broken_promises

GOOD = {
    **dict.fromkeys(
        ("duplicates", "lost", "unfinished", "overlaps", "after_end", "unaccepted", "lookout_differences"), 0
    ),
    **dict.fromkeys(("failures", "classified", "decided", "lookout_failures"), 14),
    "p99_detect_to_decision_ms": 90,
    "submitted": 9,
    "succeeded": 2,
    "recovered": 3,
    "failed_final": 4,
    "retried": 5,
}


def test_a_good_demo_breaks_nothing() -> None:
    assert broken_promises(GOOD) == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lost": 1}, "lost is 1, not 0"),
        ({"duplicates": 2}, "duplicates is 2, not 0"),
        ({"classified": 13}, "classified is 13, not 14"),
        ({"decided": 13}, "decided is 13, not 14"),
        ({"unfinished": 1, "submitted": 9}, "unfinished is 1, not 0"),
        ({"overlaps": 1}, "overlaps is 1, not 0"),
        ({"after_end": 2}, "after_end is 2, not 0"),
        ({"unaccepted": 3}, "unaccepted is 3, not 0"),
        ({"lookout_differences": 2}, "lookout_differences is 2, not 0"),
        ({"lookout_failures": 12}, "lookout_failures is 12, not 14"),
        ({"submitted": 10}, "submitted is 10, not 9"),
        ({"retried": 0}, "retried is 0"),
        ({"recovered": 0, "failed_final": 7}, "recovered is 0"),
        (
            {"failures": 3, "classified": 3, "decided": 3, "lookout_failures": 3},
            "failures is 3, fewer than the 12 kinds that are played",
        ),
    ],
)
def test_each_broken_promise_is_said(change: dict[str, int], said: str) -> None:
    assert broken_promises({**GOOD, **change}) == [said]
