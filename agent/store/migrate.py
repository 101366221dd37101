"""Brings the tables to the revision that this version works with; one process at a time.

Each database has one ``History``: that of the store, or another package's, whose migrations are in a folder like ours.

Alembic and structlog are imported only to migrate: who reads needs to know the revision, which the names of the
migrations say.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sqlalchemy import Connection, Engine, MetaData, column, select, table

from agent.store.engine import BUSY_SECONDS, WRITES, file_of
from agent.store.errors import StoreError, StoreOutdated, StoreUnreachable
from agent.store.lock import lock_scopes

if TYPE_CHECKING:
    from alembic.config import Config

_PAUSE_SECONDS = 0.05
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@dataclass(frozen=True, slots=True)
class History:
    """The migrations in the folder ``migrations`` of a package.

    ``version_table`` has the revision of the tables, so a database with another such table is not of this history.
    ``pragmas`` are those of SQLite that its connections get.
    """

    package: str
    version_table: str = "alembic_version"
    pragmas: tuple[str, ...] = ()


STORE: Final = History("agent.store")
_OWNERS: Final = {"alembic_version": "a scheduler's store", "lookout_version": "a Lookout's"}
"""Whose a database with this table is. Their other tables have the same names."""


@cache
def head(history: History = STORE) -> str:
    """The revision that this version works with."""
    versions = files(history.package) / "migrations" / "versions"
    names = [file.name for file in versions.iterdir() if file.name[:1].isdigit() and file.name.endswith(".py")]
    if not names:
        raise StoreOutdated("the package holds no migrations")
    return max(names).partition("_")[0]


def revision(connection: Connection, history: History = STORE) -> str | None:
    """The revision of the tables in the database; ``None`` if it is empty.

    Read without Alembic: every transaction that writes asks for it, and Alembic logs two lines for each context.
    """
    if not connection.dialect.has_table(connection, history.version_table):
        return None
    return connection.scalars(select(column("version_num")).select_from(table(history.version_table))).one_or_none()


def upgrade(engine: Engine, history: History = STORE) -> None:
    """Create or change the tables, in one transaction that other processes wait for.

    Raises StoreOutdated if the tables were made by a later version, StoreError if the database has other tables.
    """
    import structlog  # noqa: PLC0415 - see above
    from alembic import command  # noqa: PLC0415 - see above

    file = file_of(engine.url)
    if file is not None:
        _use_wal(file)
    with engine.connect().execution_options(**WRITES) as connection, connection.begin():
        lock_scopes(connection, ["migrations"])
        before = revision(connection, history)
        if before == head(history):
            return
        if before is None:
            _refuse_other_tables(connection)
        _refuse_later(before, history)
        command.upgrade(_config(connection, history), "head")
    structlog.get_logger(__name__).info(
        "the store's tables were migrated", before=before or "none", after=head(history)
    )


def check(connection: Connection, history: History = STORE) -> None:
    """Raise StoreOutdated unless the tables are at head, StoreError for those of another history."""
    found, wanted = revision(connection, history), head(history)
    if found != wanted:
        if found is None:
            _refuse_other_tables(connection)
        raise StoreOutdated(f"the store's tables are at revision {found or 'none'}, this version needs {wanted}")


def run(metadata: MetaData) -> None:
    """Run migrations, on the connection that ``upgrade`` gives; for the ``env.py`` of a history."""
    from alembic import context  # noqa: PLC0415 - see above

    connection = context.config.attributes["connection"]
    if connection is None:
        raise RuntimeError("migrations run through agent.store.migrate, which holds the lock")
    context.configure(
        connection=connection,
        target_metadata=metadata,
        version_table=context.config.attributes["version_table"],
        render_as_batch=connection.dialect.name == "sqlite",
        transactional_ddl=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def _refuse_other_tables(connection: Connection) -> None:
    for name, whose in _OWNERS.items():
        if connection.dialect.has_table(connection, name):
            raise StoreError(f"the database is {whose}; use another one")


def _refuse_later(found: str | None, history: History) -> None:
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - see above

    known = {script.revision for script in ScriptDirectory.from_config(_config(None, history)).walk_revisions()}
    if found is not None and found not in known:
        raise StoreOutdated(f"the store's tables are at revision {found}, which this version does not know")


def _config(connection: Connection | None = None, history: History = STORE) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", f"{history.package}:migrations")
    config.attributes["connection"] = connection
    config.attributes["version_table"] = history.version_table
    return config


def _use_wal(file: Path) -> None:
    """Set write-ahead logging, which the file remembers. SQLite's busy timeout does not cover this statement."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(file, timeout=BUSY_SECONDS)) as connection:
            _until_not_busy(lambda: connection.execute("PRAGMA journal_mode = WAL").fetchone())
    except (OSError, sqlite3.OperationalError) as error:
        raise StoreUnreachable(f"the store at {file} cannot be opened: {error}") from error
    except sqlite3.DatabaseError as error:
        raise StoreError(f"{file} is not a store: {error}") from error


def _until_not_busy(act: Callable[[], object]) -> None:
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            act()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode not in _BUSY or time.monotonic() >= until:
                raise
            time.sleep(_PAUSE_SECONDS)
        else:
            return
