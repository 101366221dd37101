"""The benchmark of bursts: it counts as it says, and its targets can be missed."""

from pathlib import Path

import pytest

from bench.burst import choose, main, quantile, verdicts
from bench.peer.clusters import Target
from tests.servers.cache import Cache


def test_a_quantile_is_the_least_bound_that_holds_its_share() -> None:
    counts = {"0.1": 98.0, "0.15": 99.0, "0.25": 100.0, "+Inf": 100.0}

    assert quantile(counts, 0.5) == 0.1
    assert quantile(counts, 0.99) == 0.15
    assert quantile(counts | {"0.15": 98.9}, 0.99) == 0.25


@pytest.mark.parametrize(
    ("cpu", "p99", "met"), [(1.0, 0.15, [True, True]), (1.1, 0.15, [False, True]), (1.0, 0.25, [True, False])]
)
def test_a_target_is_met_or_missed(cpu: float, p99: float, met: list[bool]) -> None:
    assert list(verdicts({"cpu_s_per_1000": cpu, "p99_s": p99}).values()) == met


def test_without_a_real_server_it_says_so_and_takes_the_simulator(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose(None, Cache(tmp_path)) is Target.SIMULATOR
    assert "make servers" in capsys.readouterr().out


def test_a_real_server_asked_for_and_not_there_is_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEST_SERVERS_CACHE", str(tmp_path))

    assert main(["--target", "apiserver", "--quick"]) == 1
    assert "make servers" in capsys.readouterr().out
