from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY

from agent.kube.reflector.metrics import ReflectorMetrics, ReflectorStats


def read(kind: str) -> Callable[[str], float]:
    def value(name: str) -> float:
        found = REGISTRY.get_sample_value(f"failure_agent_{name}", {"kind": kind})
        assert found is not None, name
        return found

    return value


def test_what_was_counted_once_is_not_counted_again() -> None:
    value = read("test-counts")
    metrics = ReflectorMetrics()
    first, other = ReflectorStats(lists=2, bookmarks=3, forbidden=1), ReflectorStats(lists=1)
    for _ in range(2):
        metrics.measure("test-counts", [first, other], objects=11, now=0.0)
    first.lists += 1
    metrics.measure("test-counts", [first, other], objects=10, now=0.0)
    assert value("reflector_lists_total") == 4
    assert value("reflector_bookmarks_total") == 3
    assert value("reflector_forbidden_total") == 1
    assert value("reflector_objects") == 10


@pytest.mark.parametrize(
    ("heard", "silent"), [([], 0.0), ([None], 0.0), ([90.0], 10.0), ([90.0, 40.0, None], 60.0), ([0.0], 100.0)]
)
def test_the_longest_silence_counts(heard: list[float | None], silent: float) -> None:
    stats = [ReflectorStats(last_heard=at) for at in heard]
    ReflectorMetrics().measure("test-silence", stats, objects=0, now=100.0)
    assert read("test-silence")("reflector_silent_seconds") == silent


def test_the_longest_list_counts() -> None:
    stats = [ReflectorStats(sync_seconds=seconds) for seconds in (None, 0.5, 3.0)]
    ReflectorMetrics().measure("test-sync", stats, objects=0, now=0.0)
    assert read("test-sync")("reflector_sync_seconds") == 3.0
