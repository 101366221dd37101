from datetime import timedelta
from pathlib import Path

import pytest

from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.lookout import LookoutSettings

LEAST = "broker: {url: sqlite:///log.db}\ndatabase: {url: sqlite:///lookout.db}\n"


def read(tmp_path: Path, text: str, **environ: str) -> LookoutSettings:
    file = tmp_path / "lookout.yaml"
    file.write_text(text)
    return load(LookoutSettings, file, environ)


def test_two_addresses_are_enough(tmp_path: Path) -> None:
    settings = read(tmp_path, LEAST)

    assert (settings.broker.url, settings.database.url) == ("sqlite:///log.db", "sqlite:///lookout.db")


def test_the_address_of_a_schedulers_store_is_not_taken_for_its_own(tmp_path: Path) -> None:
    settings = read(tmp_path, LEAST, FAILURE_AGENT_STORE__URL="sqlite:///store.db")

    assert settings.database.url == "sqlite:///lookout.db"


def test_logs_are_kept_for_at_most_as_long_as_the_rest(tmp_path: Path) -> None:
    assert read(tmp_path, LEAST + "retention: 7d").log_retention == timedelta(days=7)
    with pytest.raises(ConfigError) as refused:
        read(tmp_path, LEAST + "retention: 3d\nlogRetention: 80h")

    assert "logRetention (3d8h) must be at most retention (3d)" in str(refused.value)
    assert "shorten logRetention or lengthen retention" in str(refused.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("broker: {url: sqlite:///log.db}", "database: required"),
        (LEAST + "store: {url: sqlite:///store.db}", "store: no such setting"),
        (LEAST + "maxLag: 0s", "maxLag"),
        (LEAST + "retention: 0s", "retention"),
        (LEAST + "retention: 6d", r"logRetention \(7d\) must be at most retention \(6d\)"),
        (LEAST.replace("sqlite:///lookout.db", "mysql://somewhere"), "there is no such store"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, text)


def test_the_api_is_for_this_machine_only_and_forwards_nothing_by_itself(tmp_path: Path) -> None:
    api = read(tmp_path, LEAST).api

    assert (api.enabled, api.host, api.port, api.scheduler) == (True, "127.0.0.1", 8085, None)
    for scheduler in ("127.0.0.1:8083", "[::1]:8083", "scheduler.example.com:80"):
        assert read(tmp_path, LEAST + f"api: {{scheduler: '{scheduler}'}}").api.scheduler == scheduler


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("host: 0.0.0.0", "no access control yet; use 127.0.0.1, ::1 or localhost"),
        ("host: lookout.example.com", "no access control yet"),
        ("port: 70000", "port"),
        ("scheduler: 127.0.0.1", "not HOST:PORT"),
        ("scheduler: 'http://127.0.0.1:8083'", "not HOST:PORT"),
        ("scheduler: '::1:8083'", "not HOST:PORT"),
    ],
)
def test_an_api_that_could_not_be_served_safely_is_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, LEAST + f"api: {{{text}}}")
