"""Opening the database: addresses, passwords, and connections with the settings that the store relies on."""

import sqlite3
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from agent.json_reader.reader import Reader
from agent.settings.base import read_secret
from agent.settings.fault import ConfigError
from agent.store.errors import BadStoreAddress, StoreUnreachable

BUSY_SECONDS = 10.0
"""How long SQLite waits for another process's transaction before it fails with "database is locked"."""

WRITES = {"writes": True}
"""Execution options of a transaction that will write: SQLite takes the write lock at once, because a transaction that
read first could not upgrade without failing."""

SNAPSHOT = {"isolation_level": "REPEATABLE READ"}
"""Execution options on Postgres of a transaction that sees one state of the store; on SQLite every one does."""


def parse(url: str) -> URL:
    """Parse an address, ``sqlite:///PATH`` or ``postgresql+psycopg://...``. Raises BadStoreAddress."""
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise BadStoreAddress(f"not the address of a store: {url!r}; write sqlite:///PATH") from error
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise BadStoreAddress(f"unknown kind of store {parsed.get_backend_name()!r}; use sqlite or postgresql")
    if parsed.get_backend_name() == "sqlite" and file_of(parsed) is None:
        raise BadStoreAddress("a SQLite store must be a file: several connections share it; write sqlite:///PATH")
    return parsed


def file_of(url: URL) -> Path | None:
    """The absolute path of a SQLite store; ``None`` for a server, and for a database in memory."""
    if url.get_backend_name() != "sqlite" or url.database in (None, "", ":memory:"):
        return None
    return Path(str(url.database)).absolute()


def make_engine(url: URL, *, password_file: Path | None = None, pragmas: Sequence[str] = ()) -> Engine:
    """An engine whose connections have the settings that the store relies on. Connects on first use.

    The password is read from ``password_file``, if given, for each new connection. ``pragmas`` are further settings of
    SQLite.
    """
    sqlite = url.get_backend_name() == "sqlite"
    arguments: dict[str, Any] = {"timeout": BUSY_SECONDS} if sqlite else _postgres_settings(url)
    try:
        engine = create_engine(
            url,
            connect_args=arguments,
            pool_pre_ping=not sqlite,
            hide_parameters=True,
            json_deserializer=_read_document,
        )
    except (ImportError, NoSuchModuleError) as error:
        raise BadStoreAddress(f"the driver of {url.drivername} is not installed: {error}") from error
    if sqlite:
        event.listen(engine, "connect", partial(_set_up_sqlite, pragmas))
        event.listen(engine, "begin", _begin_sqlite)
    elif password_file is not None:
        event.listen(engine, "do_connect", partial(_set_password, password_file))
    return engine


def _read_document(text: str | bytes) -> object:
    """Read one; ``json`` takes four times as long, and a page of jobs has hundreds."""
    return _DOCUMENT.decode(text.encode() if isinstance(text, str) else text)


_DOCUMENT: Final = Reader(object)


def _postgres_settings(url: URL) -> dict[str, Any]:
    """Time limits on Postgres, and the zone in which it gives times; those that the address sets itself win.

    A dead server or network is noticed within 20 s. A process that freezes while it decides loses its transaction, and
    the locks on its scopes with it, within 60 s; others wait 30 s for a scope and then try again.
    """
    settings: dict[str, Any] = {
        "application_name": "failure-agent",
        "connect_timeout": 10,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 2,
        "tcp_user_timeout": 20_000,
        "options": "-c lock_timeout=30s -c idle_in_transaction_session_timeout=60s -c timezone=UTC",
    }
    return {name: value for name, value in settings.items() if name not in url.query}


def _set_password(file: Path, _dialect: object, _record: object, _args: object, given: dict[str, Any]) -> None:
    try:
        given["password"] = read_secret(file)
    except ConfigError as error:
        raise StoreUnreachable(str(error)) from error


def _set_up_sqlite(pragmas: Sequence[str], connection: sqlite3.Connection, _record: object) -> None:
    """Leave BEGIN to us, so that DDL runs inside transactions. WAL is a property of the file: see ``migrate``."""
    connection.isolation_level = None
    for pragma in ("foreign_keys = ON", "synchronous = FULL", *pragmas):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
