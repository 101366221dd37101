"""The benchmark of bursts: it counts as it says, and its targets can be missed."""

from pathlib import Path

import pytest

from bench.burst import Servers, choose, choose_broker, exact_quantile, main, quantile, verdicts
from bench.peer.clusters import Target
from bench.peer.places import Broker, Database
from tests.servers.cache import Cache


def test_a_quantile_is_the_least_bound_that_holds_its_share() -> None:
    counts = {"0.1": 98.0, "0.15": 99.0, "0.25": 100.0, "+Inf": 100.0}

    assert quantile(counts, 0.5) == 0.1
    assert quantile(counts, 0.99) == 0.15
    assert quantile(counts | {"0.15": 98.9}, 0.99) == 0.25


def test_an_exact_quantile_is_a_value_that_its_share_does_not_exceed() -> None:
    values = [float(number) for number in range(100, 0, -1)]

    assert exact_quantile(values, 0.5) == 50
    assert exact_quantile(values, 0.99) == 99
    assert exact_quantile([3.0], 0.99) == 3


SERVERS = Servers(Target.SIMULATOR, Broker.EVENT_LOG, Database.SQLITE)
AT_TARGET = {
    "cpu_s_per_1000": 1.0,
    "p99_s": 0.15,
    "publish_p50_s": 0.05,
    "publish_p99_s": 0.25,
    "decided_after_s": 20.0,
    "at_once_decided_s": 20.0,
}


@pytest.mark.parametrize(
    "missed",
    [
        {},
        {"cpu_s_per_1000": 1.1},
        {"p99_s": 0.25},
        {"publish_p99_s": 0.251},
        {"decided_after_s": 20.1},
        {"at_once_decided_s": 20.1},
    ],
)
def test_a_target_is_met_or_missed(missed: dict[str, float]) -> None:
    held = verdicts(SERVERS, AT_TARGET | missed)

    assert sum(figure.share < 1 for figure in held) == len(missed)


def test_figures_on_other_servers_have_other_names() -> None:
    names = [
        {figure.name for figure in verdicts(on, AT_TARGET)} for on in (SERVERS, SERVERS._replace(broker=Broker.PULSAR))
    ]

    assert [len(found) for found in names] == [5, 5]
    assert not names[0] & names[1]


def test_without_real_servers_it_says_so_and_takes_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert choose(None, Cache(tmp_path)) is Target.SIMULATOR
    assert choose_broker(None, Cache(tmp_path)) is Broker.EVENT_LOG
    assert capsys.readouterr().out.count("make servers") == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    "asked",
    [
        ["--target", "apiserver", "--broker", "event log"],
        ["--target", "simulator", "--broker", "pulsar"],
        ["--target", "simulator", "--broker", "event log", "--store", "postgres"],
    ],
)
def test_a_real_server_asked_for_and_not_there_is_a_failure(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TEST_SERVERS_CACHE", str(tmp_path))

    assert main([*asked, "--quick"]) == 1
    assert "make servers" in capsys.readouterr().out
