"""The benchmark of admission: it counts as it says, and its targets can be missed."""

from pathlib import Path

import pytest

from bench.admission import Write, figures, main, medians, table, verdicts
from bench.peer.webhooks import Way
from bench.sample.job_pods import ENDS
from tests.servers.cache import VARIABLE

AT_TARGET = {
    "steady_without_p50_ms": 5.0,
    "steady_empty_p50_ms": 5.0,
    "steady_marking_p50_ms": 10 / 1.5,
    "steady_ours_p50_ms": 10.0,
    "steady_added_p50_ms": 5.0,
    "steady_added_p99_ms": 50.0,
    "steady_ours_in_time": 99.9,
}


@pytest.mark.parametrize(
    "missed",
    [
        {},
        {"steady_added_p50_ms": 5.1},
        {"steady_added_p99_ms": 50.1},
        {"steady_ours_in_time": 99.8},
        {"steady_empty_p50_ms": 4.9},
        {"steady_marking_p50_ms": 6.6},
    ],
)
def test_a_target_is_met_or_missed(missed: dict[str, float]) -> None:
    assert sum(figure.share < 1 for figure in verdicts(AT_TARGET | missed)) == len(missed)


def test_without_go_nothing_is_beside_another_webhook() -> None:
    found = {name: value for name, value in AT_TARGET.items() if "empty" not in name and "marking" not in name}

    assert len(verdicts(found)) == len(verdicts(AT_TARGET)) - 2


def test_a_write_that_took_too_long_or_misses_its_condition_is_late() -> None:
    ours = [Write(0.2, conditioned=True), Write(0.201, conditioned=True), Write(0.1, conditioned=False)]
    found = figures({Way.WITHOUT: [Write(0.1, conditioned=True)], Way.OURS: ours}, "steady")

    assert found["steady_ours_in_time"] == pytest.approx(100 / 3)
    assert found["steady_ours_conditioned"] == pytest.approx(200 / 3)
    assert found["steady_added_p50_ms"] == pytest.approx(100)
    assert found["steady_added_p99_ms"] == pytest.approx(101)
    assert [line.split()[1] for line in table(found).splitlines()[1:]] == ["without", "ours"]


def test_the_median_round_counts() -> None:
    assert medians([{"a": 1.0}, {"a": 100.0}, {"a": 3.0}]) == {"a": 3.0}


def test_some_ends_are_proven_and_some_are_not() -> None:
    assert {proven is None for _, proven in ENDS} == {True, False}


def test_without_a_server_it_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))

    assert main(["--json"]) == 1
    assert "not_run" in capsys.readouterr().out
