"""The index of what texts of failed runs contain: FTS5 on SQLite, ``pg_trgm`` on Postgres, where they have it.

It is made when the database is opened, and not by a migration, because it may be missing: Postgres asks for a right to
create extensions. Without it all else works.

On SQLite the index is a table that holds no text, only which sequences of three characters are in which row. It knows
rows by the numbers of ``run_text``, because those that SQLite gives rows itself change in a VACUUM. Who writes rows
calls ``follow``: FTS5 writes all that it has gathered at each statement with a trigger on it, which took longer than
the rest of storing a failure. Only deletions have a trigger.
"""

from collections.abc import Sequence
from typing import Final

import msgspec
import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from agent.store.columns import Row
from agent.store.lock import lock_scopes

_log = structlog.get_logger(__name__)

COLUMNS: Final = ("key_line", "pod_name")
"""The columns whose texts are searched."""

RUNS: Final = "run_text"
INDEX: Final = "run_text_index"
POSTGRES_INDEX: Final = "ix_job_run_text"

_NAMES: Final = ", ".join(COLUMNS)
_OLD: Final = ", ".join(f"old.{name}" for name in COLUMNS)
_VALUES: Final = ", ".join("?" for _ in COLUMNS)
_REMOVE: Final = f"""
    INSERT INTO {INDEX} ({INDEX}, rowid, {_NAMES}) SELECT 'delete', id, {_OLD} FROM {RUNS} WHERE run_id = old.run_id;
    DELETE FROM {RUNS} WHERE run_id = old.run_id;
"""  # noqa: S608 - names of our own
_SQLITE: Final = (
    f"CREATE VIRTUAL TABLE {INDEX} USING fts5({_NAMES}, content='', tokenize='trigram', detail=column, columnsize=0)",
    f"CREATE TABLE {RUNS} (id INTEGER PRIMARY KEY, run_id VARCHAR NOT NULL UNIQUE)",
    f"INSERT INTO {RUNS} (run_id) SELECT run_id FROM job_run WHERE failure_id IS NOT NULL",  # noqa: S608 - as above
    f"INSERT INTO {INDEX} (rowid, {_NAMES}) SELECT id, {_NAMES} FROM {RUNS} JOIN job_run USING (run_id)",  # noqa: S608 - as above
    f"CREATE TRIGGER {RUNS}_delete AFTER DELETE ON job_run WHEN old.failure_id IS NOT NULL BEGIN {_REMOVE} END",
)
_POSTGRES: Final = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    f"CREATE INDEX {POSTGRES_INDEX} ON job_run USING gin ("
    + ", ".join(f"lower({name}) gin_trgm_ops" for name in COLUMNS)
    + ") WHERE failed_at IS NOT NULL",
)
_FORMER_TRIGGERS: Final = tuple(f"DROP TRIGGER IF EXISTS {RUNS}_{name}" for name in ("insert", "update"))
"""Databases of earlier versions have them."""

_FORGET: Final = f"""
    INSERT INTO {INDEX} ({INDEX}, {_NAMES}, rowid) SELECT 'delete', {_VALUES}, id FROM {RUNS} WHERE run_id = ?
"""  # noqa: S608 - names of our own
_DROP: Final = f"DELETE FROM {RUNS} WHERE run_id = ?"  # noqa: S608 - as above
_ADD: Final = (
    f"INSERT INTO {RUNS} (run_id) SELECT value FROM json_each(?) ORDER BY key",  # noqa: S608 - as above
    f"""
    INSERT INTO {INDEX} (rowid, {_NAMES}) SELECT id, {_NAMES} FROM {RUNS} JOIN job_run USING (run_id)
    WHERE run_id IN (SELECT value FROM json_each(?)) ORDER BY id
    """,  # noqa: S608 - as above
)
_JSON: Final = msgspec.json.Encoder()
FIX: Final = "run CREATE EXTENSION pg_trgm in the database as its owner, and start failure-agent lookout again"


def make(connection: Connection) -> None:
    """Make the index if it is missing and can be made; the transaction is the caller's."""
    lock_scopes(connection, ["migrations"])
    postgres = connection.dialect.name == "postgresql"
    for statement in () if postgres else _FORMER_TRIGGERS:
        connection.execute(text(statement))
    if is_there(connection):
        return
    try:
        with connection.begin_nested():
            for statement in _POSTGRES if postgres else _SQLITE:
                connection.execute(text(statement))
    except DBAPIError as error:
        said = str(error.orig).partition("\n")[0]
        fix = FIX if postgres else "use a Python whose SQLite has FTS5"
        _log.warning("texts cannot be searched: the database has no index for that", error=said, fix=fix)


def follow(connection: Connection, changed: Sequence[tuple[Row | None, Row]]) -> None:
    """Have the index follow rows of runs that were written: each as it was, if it existed, and as it is.

    Postgres does so itself.
    """
    differing = [(before, after) for before, after in changed if _texts(before) != _texts(after)]
    if connection.dialect.name == "postgresql" or not differing or not is_there(connection):
        return
    known = [(row["run_id"], *texts) for row, _ in differing if row is not None and (texts := _texts(row)) is not None]
    if known:
        connection.exec_driver_sql(_FORGET, [(*texts, run_id) for run_id, *texts in known])
        connection.exec_driver_sql(_DROP, [(run_id,) for run_id, *_ in known])
    failed = _JSON.encode([row["run_id"] for _, row in differing if _texts(row) is not None]).decode()
    for statement in _ADD:
        connection.exec_driver_sql(statement, (failed,))


def _texts(row: Row | None) -> tuple[str, ...] | None:
    """The texts of a run that failed."""
    if row is None or row["failure_id"] is None:
        return None
    return tuple(row[name] for name in COLUMNS)


def is_there(connection: Connection) -> bool:
    """Whether the database has the index."""
    name = POSTGRES_INDEX if connection.dialect.name == "postgresql" else INDEX
    return bool(connection.scalar(_FOUND[connection.dialect.name], {"name": name}))


_FOUND: Final = {
    "postgresql": text("SELECT to_regclass(:name) IS NOT NULL"),
    "sqlite": text("SELECT count(*) FROM sqlite_master WHERE name = :name"),
}
