"""A SQLite database has one process of Lookout that writes it."""

import os
from pathlib import Path

import pytest

from agent.lookout.writer import OtherWriter, writing
from agent.store.errors import BadStoreAddress, StoreUnreachable


def test_a_second_one_is_refused_and_told_who_has_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lookout.db"
    with writing(url):
        with (
            pytest.raises(OtherWriter, match=rf"another failure-agent lookout .* \(process {os.getpid()}\)"),
            writing(url),
        ):
            pass
        with writing(f"sqlite:///{tmp_path}/other.db"):
            pass
    with writing(url):
        pass


def test_several_may_write_on_postgres() -> None:
    url = "postgresql+psycopg://somebody@localhost/lookout"
    with writing(url), writing(url):
        pass


def test_a_folder_that_cannot_be_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(StoreUnreachable, match=r"lookout\.db\.lock cannot be opened"),
        writing(f"sqlite:///{tmp_path}/file/lookout.db"),
    ):
        pass


def test_an_address_of_no_database_is_said() -> None:
    with pytest.raises(BadStoreAddress, match="unknown kind of store"), writing("mysql://somewhere"):
        pass
