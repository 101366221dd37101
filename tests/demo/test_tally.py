from hypothesis import given
from hypothesis import strategies as st

from agent.demo.tally import Decided, Ended, percentile, tally


def ended(uid: str, *, in_run: bool = False, script: str = "oom") -> Ended:
    return Ended(pod_uid=uid, script=script, in_run=in_run)


def decided(uid: str, *, classified: bool = True, latency_ms: float = 1.0) -> Decided:
    return Decided(pod_uid=uid, classified=classified, latency_ms=latency_ms)


def test_all_decided_once_is_sound() -> None:
    found = tally([ended("a"), ended("b")], [decided("a"), decided("b")])

    assert found.is_sound
    assert (found.failures, found.decided, found.classified, found.kinds) == (2, 2, 2, 1)


def test_a_failure_without_a_verdict_is_lost() -> None:
    found = tally([ended("a"), ended("b")], [decided("a")])

    assert (found.lost, found.is_sound) == (1, False)


def test_a_second_verdict_is_a_duplicate() -> None:
    found = tally([ended("a")], [decided("a"), decided("a")])

    assert (found.duplicates, found.decided, found.is_sound) == (1, 1, False)


def test_a_verdict_on_a_pod_that_did_not_fail_is_unexpected() -> None:
    found = tally([], [decided("a")])

    assert (found.unexpected, found.decided, found.is_sound) == (1, 0, False)


def test_a_restart_in_place_is_no_failure() -> None:
    found = tally([ended("a", in_run=True)], [])

    assert (found.failures, found.in_run, found.is_sound) == (0, 1, True)


def test_the_default_category_is_not_classified() -> None:
    assert tally([ended("a")], [decided("a", classified=False)]).classified == 0


@given(st.lists(st.floats(0, 1e6), min_size=1))
def test_a_percentile_is_one_of_the_values_and_most_do_not_exceed_it(values: list[float]) -> None:
    found = percentile(values, 0.99)

    assert found is not None
    assert sum(value <= found + 0.05 for value in values) >= 0.99 * len(values)


def test_of_nothing_there_is_no_percentile() -> None:
    assert percentile([], 0.99) is None
