"""Every database a store may be in, as fixtures; imported by the conftests of the tests that want them all."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest
from sqlalchemy import Connection

from agent.store.store import Store

DATABASES: Final = ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)]


@pytest.fixture(params=DATABASES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a store of the test's own, which has not been opened yet, on each database in turn."""
    if request.param == "sqlite":
        return _address(tmp_path)
    url: str = request.getfixturevalue("postgres_store")
    return url


@pytest.fixture
def store(store_url: str, tmp_path: Path) -> Iterator[Store]:
    """The same, open and empty."""
    if store_url == _address(tmp_path):
        new_store(tmp_path)
    with Store.open(store_url) as opened:
        yield opened


def new_store(folder: Path) -> str:
    """The address of an empty store in this folder: a copy, because migrations take ten times as long as an opening."""
    (folder / "store.db").write_bytes(_empty())
    return _address(folder)


class _RolledBack(Exception):
    pass


@contextmanager
def rolled_back(store: Store) -> Iterator[Connection]:
    """A transaction that leaves nothing, for each example of a law."""
    with suppress(_RolledBack), store.write() as connection:
        yield connection
        raise _RolledBack


@cache
def _empty() -> bytes:
    with TemporaryDirectory() as folder:
        Store.open(_address(Path(folder))).close()
        return (Path(folder) / "store.db").read_bytes()


def _address(folder: Path) -> str:
    return f"sqlite:///{folder}/store.db"
