"""Lookout's database on SQLite and on Postgres, as fixtures, and all that is in it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Table, select

from agent.lookout.store.entries import Entry
from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from agent.lookout.store.tables import day_table, hour_table, metadata, node_day_table
from agent.store.columns import Row
from agent.store.store import Store
from tests.store.databases import DATABASES, made, postgres_url

Contents = dict[str, list[Row]]


@pytest.fixture(params=DATABASES)
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database of the test's own, on each kind in turn; with tables if it takes ``database``."""
    if request.param == "sqlite":
        return new_database(tmp_path) if "database" in request.fixturenames else _address(tmp_path)
    return postgres_url(request, open_store if "database" in request.fixturenames else None)


@pytest.fixture
def database(database_url: str) -> Iterator[Store]:
    """The same, open and empty."""
    with open_store(database_url) as opened:
        yield opened


def new_database(folder: Path) -> str:
    """The address of an empty database in this folder: a copy, because migrations take far longer than an opening."""
    (folder / "lookout.db").write_bytes(made(open_store))
    return _address(folder)


def _address(folder: Path) -> str:
    return f"sqlite:///{folder}/lookout.db"


def contents(connection: Connection) -> Contents:
    """All rows of all tables; of counts those that are not zero."""
    return {table.name: _rows(connection, table) for table in metadata.tables.values()}


def _rows(connection: Connection, table: Table) -> list[Row]:
    query = select(table).order_by(*table.primary_key)
    if table in (hour_table, day_table, node_day_table):
        query = query.where(table.c.runs != 0)
    return [dict(row) for row in connection.execute(query).mappings()]


def stored(connection: Connection, *batches: Sequence[Entry]) -> Contents:
    """What is in the database after these batches."""
    for batch in batches:
        record(connection, batch)
    return contents(connection)


def run_row(connection: Connection, run_id: str = "run-1") -> dict[str, Any]:
    """The row of a run."""
    return next(row for row in contents(connection)["job_run"] if row["run_id"] == run_id)
