"""Fixtures with a real Postgres. A plugin of pytest: ``tests.servers.postgres``."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

import pytest

from tests.servers.availability import require
from tests.servers.postgres_server import PostgresServer

StartPostgres = Callable[..., PostgresServer]
"""Takes settings of postgresql.conf by name."""

CopyPostgres = Callable[[Callable[[str], AbstractContextManager[object]]], str]
"""Takes what opens a database by its address and makes its tables."""


@pytest.fixture(scope="session")
def postgres_program() -> Path:
    """The folder of the prepared server. Without one the test is skipped, or failed under CI."""
    return require("postgres")


@pytest.fixture(scope="session")
def shared_postgres(postgres_program: Path) -> Iterator[PostgresServer]:
    """The server of all tests. Tests take ``postgres``, which is this one in order."""
    with PostgresServer(postgres_program) as running:
        yield running


@pytest.fixture(scope="session")
def postgres_templates(shared_postgres: PostgresServer) -> dict[object, str]:
    """The databases that tests copy, by what made them; they go with the server."""
    del shared_postgres
    return {}


@pytest.fixture
def postgres(shared_postgres: PostgresServer) -> PostgresServer:
    """The server all tests share, ready. A test may kill it, but works in databases of its own."""
    shared_postgres.mend()
    return shared_postgres


@pytest.fixture
def postgres_store(postgres: PostgresServer) -> Iterator[str]:
    """The address of a store in a new, empty database, which goes with the test."""
    name = f"test_{secrets.token_hex(4)}"
    postgres.create_database(name)
    yield postgres.store_url(name)
    postgres.mend()
    postgres.drop_database(name)


@pytest.fixture
def postgres_copy(postgres: PostgresServer, postgres_templates: dict[object, str]) -> Iterator[CopyPostgres]:
    """Makes a database that goes with the test: a copy, because migrations take five times as long."""
    names: list[str] = []

    def copied(opened: Callable[[str], AbstractContextManager[object]]) -> str:
        if opened not in postgres_templates:
            template = f"template_{secrets.token_hex(4)}"
            postgres.create_database(template)
            with opened(postgres.store_url(template)):
                postgres_templates[opened] = template
        names.append(f"test_{secrets.token_hex(4)}")
        postgres.create_database(names[-1], like=postgres_templates[opened])
        return postgres.store_url(names[-1])

    yield copied
    postgres.mend()
    for name in names:
        postgres.drop_database(name)


@pytest.fixture
def start_postgres(postgres_program: Path) -> Iterator[StartPostgres]:
    """Starts servers of the test's own, which end with it: ``start_postgres(max_connections="3")``."""
    with ExitStack() as running:
        yield lambda **settings: running.enter_context(PostgresServer(postgres_program, settings=settings))
