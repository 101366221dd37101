"""Every database a store may be in, as fixtures; imported by the conftests of the tests that want them all."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from agent.store.store import Store

DATABASES: Final = ["sqlite", pytest.param("postgres", marks=pytest.mark.slow)]


@pytest.fixture(params=DATABASES)
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty store of the test's own, on each database in turn."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/store.db"
    url: str = request.getfixturevalue("postgres_store")
    return url


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """The same, open."""
    with Store.open(store_url) as opened:
        yield opened
