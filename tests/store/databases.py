"""Every database a store may be in, as fixtures; imported by the conftests of the tests that want them all."""

from collections.abc import Callable, Iterator
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
    """The address of a store of the test's own, on each database in turn; with tables if the test takes ``store``."""
    if request.param == "sqlite":
        return new_store(tmp_path) if "store" in request.fixturenames else _address(tmp_path)
    return postgres_url(request, Store.open if "store" in request.fixturenames else None)


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """The same, open and empty."""
    with Store.open(store_url) as opened:
        yield opened


def postgres_url(request: pytest.FixtureRequest, opened: Callable[[str], Store] | None) -> str:
    """The address of a database of the test's own on Postgres: without tables, or with those that ``opened`` makes."""
    url: str = (
        request.getfixturevalue("postgres_store")
        if opened is None
        else request.getfixturevalue("postgres_copy")(opened)
    )
    return url


def new_store(folder: Path) -> str:
    """The address of an empty store in this folder: a copy, because migrations take ten times as long as an opening."""
    (folder / "store.db").write_bytes(made(Store.open))
    return _address(folder)


@cache
def made(opened: Callable[[str], Store]) -> bytes:
    """The file of a database without rows, with the tables that ``opened`` makes."""
    with TemporaryDirectory() as folder:
        opened(_address(Path(folder))).close()
        return (Path(folder) / "store.db").read_bytes()


class _RolledBack(Exception):
    pass


@contextmanager
def rolled_back(store: Store) -> Iterator[Connection]:
    """A transaction that leaves nothing, for each example of a law."""
    with suppress(_RolledBack), store.write() as connection:
        yield connection
        raise _RolledBack


def _address(folder: Path) -> str:
    return f"sqlite:///{folder}/store.db"
