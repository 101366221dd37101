import re
from pathlib import Path

import pytest

from agent.broker.connect import BadAddress, connect
from agent.broker.port import Unreachable
from agent.settings.broker import ADDRESSES


def test_an_absolute_path_has_a_fourth_slash(tmp_path: Path) -> None:
    broker = connect(f"sqlite:///{tmp_path / 'log.db'}")
    broker.ensure_subscription("t", "s")

    assert list(broker.topics("")) == ["t"]
    assert (tmp_path / "log.db").is_file()
    broker.close()


def test_a_relative_path_starts_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    connect("sqlite:///log.db").close()

    assert (tmp_path / "log.db").is_file()


@pytest.mark.parametrize("url", ["kafka://x", "log.db", ""])
def test_an_address_this_version_does_not_know_names_what_it_does(url: str) -> None:
    with pytest.raises(BadAddress, match="supported are sqlite:///FILE, pulsar://"):
        connect(url)


def test_settings_and_broker_know_the_same_addresses() -> None:
    with pytest.raises(BadAddress) as refused:
        connect("kafka://x")

    supported = str(refused.value).partition("supported are ")[2]
    assert {f"{scheme}://" for scheme in re.findall(r"([a-z+]+)://", supported)} == {
        f"{one.partition('://')[0]}://" for one in ADDRESSES
    }


@pytest.mark.parametrize("beginning", ADDRESSES)
def test_each_address_that_settings_accept_has_a_broker(beginning: str, tmp_path: Path) -> None:
    broker = connect(f"{beginning}{tmp_path}/log.db" if beginning.startswith("sqlite") else f"{beginning}host/t/n")
    broker.close()


@pytest.mark.parametrize("url", ["sqlite:///", "sqlite:///:memory:", "sqlite:///log.db?mode=ro"])
def test_an_address_without_a_file_is_refused(url: str) -> None:
    with pytest.raises(BadAddress, match="names no file"):
        connect(url)


def test_a_secret_in_an_address_is_not_repeated() -> None:
    with pytest.raises(BadAddress) as refused:
        connect("pulsar://user:s3cr3t@broker:6650")

    assert "s3cr3t" not in str(refused.value)


def test_the_folder_of_an_event_log_is_made(tmp_path: Path) -> None:
    connect(f"sqlite:///{tmp_path / 'a' / 'b' / 'log.db'}").close()

    assert (tmp_path / "a" / "b" / "log.db").is_file()


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(Unreachable, match=r"the folder .*file/nowhere of the event log cannot be created: Not a dir"):
        connect(f"sqlite:///{tmp_path / 'file' / 'nowhere' / 'log.db'}")
