"""Brings the tables to the revision that this version works with; one process at a time.

Alembic and structlog are imported only to migrate: who reads needs to know the revision, which the names of the
migrations say.
"""

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, column, select, table

from agent.store.engine import BUSY_SECONDS, WRITES, file_of
from agent.store.errors import StoreError, StoreOutdated, StoreUnreachable
from agent.store.lock import lock_scopes

if TYPE_CHECKING:
    from alembic.config import Config

_PAUSE_SECONDS = 0.05
_VERSION = table("alembic_version", column("version_num"))
_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})


@cache
def head() -> str:
    """The revision that this version works with."""
    names = [file.stem for file in Path(__file__).with_name("migrations").glob("versions/[0-9]*.py")]
    if not names:
        raise StoreOutdated("the package holds no migrations")
    return max(names).partition("_")[0]


def revision(connection: Connection) -> str | None:
    """The revision of the tables in the database; ``None`` if it is empty.

    Read without Alembic: every transaction that writes asks for it, and Alembic logs two lines for each context.
    """
    if not connection.dialect.has_table(connection, _VERSION.name):
        return None
    return connection.scalars(select(_VERSION.c.version_num)).one_or_none()


def upgrade(engine: Engine) -> None:
    """Create or change the tables, in one transaction that other processes wait for.

    Raises StoreOutdated if the tables were made by a later version.
    """
    import structlog  # noqa: PLC0415 - see above
    from alembic import command  # noqa: PLC0415 - see above

    file = file_of(engine.url)
    if file is not None:
        _use_wal(file)
    with engine.connect().execution_options(**WRITES) as connection, connection.begin():
        lock_scopes(connection, ["migrations"])
        before = revision(connection)
        if before == head():
            return
        _refuse_later(before)
        command.upgrade(_config(connection), "head")
    structlog.get_logger(__name__).info("the store's tables were migrated", before=before or "none", after=head())


def check(connection: Connection) -> None:
    """Raise StoreOutdated unless the tables are at head."""
    found, wanted = revision(connection), head()
    if found != wanted:
        raise StoreOutdated(f"the store's tables are at revision {found or 'none'}, this version needs {wanted}")


def _refuse_later(found: str | None) -> None:
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - see above

    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if found is not None and found not in known:
        raise StoreOutdated(f"the store's tables are at revision {found}, which this version does not know")


def _config(connection: Connection | None = None) -> "Config":
    from alembic.config import Config  # noqa: PLC0415 - see above

    config = Config()
    config.set_main_option("script_location", "agent.store:migrations")
    config.attributes["connection"] = connection
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
