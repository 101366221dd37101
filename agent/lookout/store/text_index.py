"""The index of what texts of failed runs contain: FTS5 on SQLite, ``pg_trgm`` on Postgres, where they have it.

It is made when the database is opened, and not by a migration, because it may be missing: Postgres asks for a right to
create extensions. Without it all else works.

On SQLite the index is a table that holds no text, only which sequences of three characters are in which row; triggers
keep it. It knows rows by the numbers of ``run_text``, because those that SQLite gives rows itself change in a VACUUM.
"""

from typing import Final

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from agent.store.lock import lock_scopes

_log = structlog.get_logger(__name__)

COLUMNS: Final = ("key_line", "pod_name")
"""The columns whose texts are searched."""

RUNS: Final = "run_text"
INDEX: Final = "run_text_index"
POSTGRES_INDEX: Final = "ix_job_run_text"

_NAMES: Final = ", ".join(COLUMNS)
_NEW: Final = ", ".join(f"new.{name}" for name in COLUMNS)
_OLD: Final = ", ".join(f"old.{name}" for name in COLUMNS)
_CHANGED: Final = " OR ".join(f"new.{name} IS NOT old.{name}" for name in ("failure_id", *COLUMNS))
_ADD: Final = f"""
    INSERT INTO {RUNS} (run_id) SELECT new.run_id WHERE new.failure_id IS NOT NULL;
    INSERT INTO {INDEX} (rowid, {_NAMES}) SELECT id, {_NEW} FROM {RUNS} WHERE run_id = new.run_id;
"""  # noqa: S608 - names of our own
_REMOVE: Final = f"""
    INSERT INTO {INDEX} ({INDEX}, rowid, {_NAMES}) SELECT 'delete', id, {_OLD} FROM {RUNS} WHERE run_id = old.run_id;
    DELETE FROM {RUNS} WHERE run_id = old.run_id;
"""  # noqa: S608 - names of our own
_SQLITE: Final = (
    f"CREATE VIRTUAL TABLE {INDEX} USING fts5({_NAMES}, content='', tokenize='trigram', detail=column, columnsize=0)",
    f"CREATE TABLE {RUNS} (id INTEGER PRIMARY KEY, run_id VARCHAR NOT NULL UNIQUE)",
    f"INSERT INTO {RUNS} (run_id) SELECT run_id FROM job_run WHERE failure_id IS NOT NULL",  # noqa: S608 - as above
    f"INSERT INTO {INDEX} (rowid, {_NAMES}) SELECT id, {_NAMES} FROM {RUNS} JOIN job_run USING (run_id)",  # noqa: S608
    f"CREATE TRIGGER {RUNS}_insert AFTER INSERT ON job_run WHEN new.failure_id IS NOT NULL BEGIN {_ADD} END",
    f"CREATE TRIGGER {RUNS}_update AFTER UPDATE ON job_run WHEN {_CHANGED} BEGIN {_REMOVE} {_ADD} END",
    f"CREATE TRIGGER {RUNS}_delete AFTER DELETE ON job_run WHEN old.failure_id IS NOT NULL BEGIN {_REMOVE} END",
)
_POSTGRES: Final = (
    "CREATE EXTENSION IF NOT EXISTS pg_trgm",
    f"CREATE INDEX {POSTGRES_INDEX} ON job_run USING gin ("
    + ", ".join(f"lower({name}) gin_trgm_ops" for name in COLUMNS)
    + ") WHERE failed_at IS NOT NULL",
)
FIX: Final = "run CREATE EXTENSION pg_trgm in the database as its owner, and start failure-agent lookout again"


def make(connection: Connection) -> None:
    """Make the index if it is missing and can be made; the transaction is the caller's."""
    lock_scopes(connection, ["migrations"])
    if is_there(connection):
        return
    postgres = connection.dialect.name == "postgresql"
    try:
        with connection.begin_nested():
            for statement in _POSTGRES if postgres else _SQLITE:
                connection.execute(text(statement))
    except DBAPIError as error:
        said = str(error.orig).partition("\n")[0]
        fix = FIX if postgres else "use a Python whose SQLite has FTS5"
        _log.warning("texts cannot be searched: the database has no index for that", error=said, fix=fix)


def is_there(connection: Connection) -> bool:
    """Whether the database has the index."""
    name = POSTGRES_INDEX if connection.dialect.name == "postgresql" else INDEX
    return bool(connection.scalar(_FOUND[connection.dialect.name], {"name": name}))


_FOUND: Final = {
    "postgresql": text("SELECT to_regclass(:name) IS NOT NULL"),
    "sqlite": text("SELECT count(*) FROM sqlite_master WHERE name = :name"),
}
