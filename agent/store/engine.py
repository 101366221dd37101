"""The engine: how a database is opened, whichever it is."""

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from agent.store.errors import BadStoreAddress

BUSY_SECONDS = 10.0
"""How long SQLite waits for another process's transaction before it says that it is busy."""

WRITES = {"writes": True}
"""Execution options of a transaction that will write: SQLite then takes the write lock at once."""


def parse(url: str) -> URL:
    """The address of a store: ``sqlite:///PATH`` or ``postgresql+psycopg://...``. Raises BadStoreAddress."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise BadStoreAddress(f"not the address of a store: {url!r}; write sqlite:///PATH") from error
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise BadStoreAddress(f"no store of kind {parsed.get_backend_name()!r}; there are sqlite and postgresql")
    if parsed.get_backend_name() == "sqlite" and file_of(parsed) is None:
        raise BadStoreAddress("a SQLite store must be a file: several connections share it; write sqlite:///PATH")
    return parsed


def file_of(url: URL) -> Path | None:
    """The file of a SQLite store; ``None`` for a server, and for a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database))


def make_engine(url: URL) -> Engine:
    """An engine whose connections are set up as the store needs them. Connects only when used."""
    sqlite = url.get_backend_name() == "sqlite"
    arguments: dict[str, Any] = {"timeout": BUSY_SECONDS} if sqlite else {}
    try:
        engine = create_engine(url, connect_args=arguments, pool_pre_ping=not sqlite, hide_parameters=True)
    except (ImportError, NoSuchModuleError) as error:
        raise BadStoreAddress(f"the driver of {url.drivername} is not installed: {error}") from error
    if sqlite:
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    """Transactions are begun by us alone (so that DDL is inside them); WAL is set where the file is made."""
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA synchronous = FULL")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
