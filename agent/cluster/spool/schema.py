"""The spool's file: its tables, and the checks that it is ours before anything is done to it."""

import sqlite3
import uuid
from pathlib import Path
from typing import Final

APPLICATION_ID = 0x46415350
"""``FASP``: marks a spool among SQLite files."""

SCHEMA_VERSION = 3

_HELD = """
CREATE TABLE held(
  event_id TEXT PRIMARY KEY,
  pod_uid TEXT NOT NULL,
  key TEXT NOT NULL,
  payload BLOB NOT NULL,
  properties TEXT NOT NULL,
  event_us INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX held_pod ON held(pod_uid);
"""
_SHELF = """
CREATE TABLE shelf(
  place INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT UNIQUE NOT NULL,
  key TEXT NOT NULL,
  payload BLOB NOT NULL,
  properties TEXT NOT NULL,
  event_us INTEGER NOT NULL,
  created_us INTEGER NOT NULL
) STRICT;
CREATE INDEX shelf_created ON shelf(created_us);
"""
_TABLES = """
CREATE TABLE meta(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE outbox(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  event_id TEXT UNIQUE NOT NULL,
  key TEXT NOT NULL,
  payload BLOB NOT NULL,
  properties TEXT NOT NULL,
  event_us INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  acked INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX outbox_waiting ON outbox(seq) WHERE acked = 0;
CREATE TABLE rejected(
  event_id TEXT PRIMARY KEY,
  key TEXT NOT NULL,
  payload BLOB NOT NULL,
  properties TEXT NOT NULL,
  event_us INTEGER NOT NULL,
  created_us INTEGER NOT NULL,
  error TEXT NOT NULL
) STRICT;
CREATE TABLE reported(event_id TEXT PRIMARY KEY, pod_uid TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX reported_pod ON reported(pod_uid);
CREATE TABLE pod(uid TEXT PRIMARY KEY, entry BLOB NOT NULL) STRICT, WITHOUT ROWID;
"""
_FILLED = ("outbox", "rejected", "reported", "pod", "held", "shelf")
"""The tables that hold what was spooled."""

_UPGRADES = {1: _HELD, 2: _SHELF}
"""What upgrades each earlier version to the next."""


class SpoolError(Exception):
    """The spool cannot be used; the message names the file and says why. Trying again does not help."""


class SpoolDamaged(SpoolError):
    """The file is no longer a database, or some of its pages are corrupt."""


_CORRUPT: Final = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether SQLite says that the file itself is damaged, rather than unavailable now."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF in _CORRUPT  # the low byte is the primary code of an extended one


def open_database(path: Path, *, cluster: str, max_bytes: int) -> sqlite3.Connection:
    """Open a cluster's spool, or make it; every commit is on disk before it returns.

    A spool that has taken nothing yet may change its cluster: a start that was refused leaves one behind.
    Raises SpoolDamaged, and SpoolError for a file that is not a spool, is of a later version or of another cluster.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30.0)
    except (OSError, sqlite3.Error) as error:
        raise SpoolError(f"{path}: the spool cannot be opened: {error}") from error
    try:
        _prepare(connection, path, cluster=cluster, max_bytes=max_bytes)
    except sqlite3.DatabaseError as error:
        connection.close()
        kind = SpoolDamaged if is_corrupt(error) else SpoolError
        raise kind(f"{path}: the spool cannot be read: {error}") from error
    except SpoolError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path, *, cluster: str, max_bytes: int) -> None:
    if _number(connection, "PRAGMA schema_version") == 0:
        _create(connection, cluster)
    if _number(connection, "PRAGMA application_id") != APPLICATION_ID:
        raise SpoolError(f"{path}: not a spool of failure-agent; it is left as it is")
    for version in range(_number(connection, "PRAGMA user_version"), SCHEMA_VERSION):
        _upgrade(connection, version)
    if (version := _number(connection, "PRAGMA user_version")) != SCHEMA_VERSION:
        raise SpoolError(f"{path}: the spool's schema is version {version}; this program knows {SCHEMA_VERSION}")
    if (finding := str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])) != "ok":
        raise SpoolDamaged(f"{path}: the spool is damaged: {finding}")
    if (owner := read_meta(connection, "cluster")) != cluster:
        if not _is_unused(connection):
            raise SpoolError(f"{path}: the spool belongs to cluster {owner}, not {cluster}")
        _give_to(connection, cluster)
    connection.execute("PRAGMA synchronous = FULL")
    page = _number(connection, "PRAGMA page_size")
    connection.execute(f"PRAGMA max_page_count = {max(1, max_bytes // page)}")


def _create(connection: sqlite3.Connection, cluster: str) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(
        f"BEGIN IMMEDIATE; {_TABLES} {_HELD} {_SHELF}"
        f" PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {SCHEMA_VERSION};"
    )
    write_meta(connection, "cluster", cluster)
    write_meta(connection, "spool_id", str(uuid.uuid4()))
    connection.execute("COMMIT")


def _is_unused(connection: sqlite3.Connection) -> bool:
    """Whether nothing was ever spooled: there are no rows, and no number was given to any."""
    rows = " UNION ALL ".join(f"SELECT 1 FROM {name}" for name in _FILLED)  # noqa: S608 - our own tables' names
    used = f"SELECT EXISTS (SELECT 1 FROM sqlite_sequence WHERE seq > 0 UNION ALL {rows})"  # noqa: S608 - as above
    return not connection.execute(used).fetchone()[0]


def _give_to(connection: sqlite3.Connection, cluster: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    write_meta(connection, "cluster", cluster)
    connection.execute("DELETE FROM meta WHERE name = 'cluster_id'")
    connection.execute("COMMIT")


def _upgrade(connection: sqlite3.Connection, version: int) -> None:
    if version in _UPGRADES:
        connection.executescript(f"BEGIN IMMEDIATE; {_UPGRADES[version]} PRAGMA user_version = {version + 1}; COMMIT;")


def read_meta(connection: sqlite3.Connection, name: str) -> str | None:
    """One fact about the spool; ``None`` if it was never written."""
    row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def write_meta(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Write one fact about the spool, in the caller's transaction."""
    connection.execute(
        "INSERT INTO meta(name, value) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
        (name, value),
    )


def _number(connection: sqlite3.Connection, statement: str) -> int:
    return int(connection.execute(statement).fetchone()[0])
