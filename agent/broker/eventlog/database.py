"""The file of an event log: its tables, how it is opened, and what its errors mean."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Self

from agent.broker.port import BrokerError, Unreachable
from agent.open_file import OpenFile

APPLICATION_ID: Final = 0x4641454C
SCHEMA_VERSION: Final = 2
BUSY_SECONDS: Final = 15.0
"""How long to wait for another process's transaction before the log counts as unreachable."""

MAX_AHEAD_US: Final = 600 * 1_000_000
"""No lease or delay is longer: a time further ahead was written before the clock was set back, and counts as past."""

Clock = Callable[[], datetime]
"""The time of day, aware. All processes of one log run on one machine, so they share its clock."""

_PRAGMAS: Final = ("PRAGMA foreign_keys=ON", "PRAGMA temp_store=MEMORY", "PRAGMA wal_autocheckpoint=2000")
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)

_TABLES: Final = (
    # incarnations: how many producers were opened; exclusive: the one of them that holds the topic, 0 where none does.
    """CREATE TABLE topic (
        id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
        incarnations INTEGER NOT NULL DEFAULT 0, exclusive INTEGER NOT NULL DEFAULT 0)""",
    """CREATE TABLE producer (
        topic INTEGER NOT NULL REFERENCES topic (id), name TEXT NOT NULL,
        incarnation INTEGER NOT NULL, last_sequence INTEGER NOT NULL DEFAULT -1,
        PRIMARY KEY (topic, name)) WITHOUT ROWID""",
    """CREATE TABLE message (
        id INTEGER PRIMARY KEY AUTOINCREMENT, topic INTEGER NOT NULL REFERENCES topic (id),
        published_us INTEGER NOT NULL, event_us INTEGER, slot INTEGER NOT NULL, producer TEXT NOT NULL,
        sequence INTEGER, key TEXT NOT NULL, properties TEXT NOT NULL, payload BLOB NOT NULL)""",
    "CREATE INDEX message_of_topic ON message (topic, id)",
    "CREATE INDEX message_published ON message (published_us)",
    """CREATE TABLE subscription (
        id INTEGER PRIMARY KEY, topic INTEGER NOT NULL REFERENCES topic (id), name TEXT NOT NULL,
        UNIQUE (topic, name))""",
    """CREATE TABLE consumer (
        id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, kind TEXT NOT NULL, lease_us INTEGER NOT NULL)""",
    """CREATE TABLE member (
        subscription INTEGER NOT NULL REFERENCES subscription (id),
        consumer INTEGER NOT NULL REFERENCES consumer (id),
        PRIMARY KEY (subscription, consumer)) WITHOUT ROWID""",
    # One row for each message that a subscription has not acknowledged.
    """CREATE TABLE pending (
        subscription INTEGER NOT NULL REFERENCES subscription (id), message INTEGER NOT NULL REFERENCES message (id),
        slot INTEGER NOT NULL, key TEXT NOT NULL, consumer INTEGER,
        redeliveries INTEGER NOT NULL DEFAULT 0, visible_us INTEGER NOT NULL DEFAULT 0,
        PRIMARY KEY (subscription, message)) WITHOUT ROWID""",
    # The owner of a topic; no row where nobody has claimed it.
    "CREATE TABLE claim (topic INTEGER PRIMARY KEY REFERENCES topic (id), owner TEXT NOT NULL)",
    "CREATE INDEX pending_message ON pending (message)",
    "CREATE INDEX pending_held ON pending (subscription, consumer, key) WHERE consumer IS NOT NULL",
    "CREATE INDEX pending_delayed ON pending (subscription, visible_us, key) WHERE visible_us > 0",
)


class UnusableLog(BrokerError):
    """The file is damaged, belongs to something else, or was written by another version; trying again cannot help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Database:
    """Where an event log lives. Every process, and every thread in it, opens its own connection.

    ``file``: the file that was opened first. While the path names another one, or none, nothing is opened or committed.
    """

    path: str
    file: OpenFile | None = None

    def opened(self) -> Self:
        """This database, bound to the file that the path names now. Raises Unreachable."""
        try:
            return replace(self, file=OpenFile.at(Path(self.path)))
        except OSError as error:
            raise Unreachable(f"event log {self.path}: {error.strerror}") from error

    def check(self) -> None:
        """Raise Unreachable unless the path still names the file that was opened."""
        problem = None if self.file is None else self.file.problem()
        if problem is not None:
            raise Unreachable(f"event log {self.path} {problem}")

    def connect(self, *, durable: bool) -> sqlite3.Connection:
        """Open a connection; create the folder, the file and its tables if there are none.

        ``durable``: a commit is on disk when it returns; otherwise it survives a killed process but not a power cut.
        Raises Unreachable if the file cannot be opened, UnusableLog if it is not an event log we can read.
        """
        if self.file is None:
            _make_folder(Path(self.path).parent)
        self.check()
        with translated(self.path):
            connection = sqlite3.connect(self.path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
            try:
                for pragma in _PRAGMAS:
                    connection.execute(pragma)
                _use_journal(connection)
                connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                _ensure_schema(connection, self.path)
            except BaseException:
                connection.close()
                raise
            return connection

    @contextmanager
    def transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Take the log's write lock; commit at the end, or roll back on any error.

        Raises the port's errors. Nothing is committed to a file that the path no longer names.
        """
        with translated(self.path), _transaction(connection):
            yield
            self.check()


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Raise the port's errors for SQLite's."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise Unreachable(f"event log {path}: {error}") from error
    except sqlite3.ProgrammingError as error:
        raise Unreachable(f"event log {path} was closed: {error}") from error
    except sqlite3.DatabaseError as error:
        raise UnusableLog(f"event log {path} is damaged or not an event log: {error}") from error


def microseconds(moment: datetime) -> int:
    """Microseconds since 1970; ``moment`` must be aware."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def moment(microseconds_since_1970: int) -> datetime:
    return _EPOCH + timedelta(microseconds=microseconds_since_1970)


def _use_journal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log. SQLite's busy timeout does not cover this statement, so it is tried again here."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def _snapshot(connection: sqlite3.Connection) -> Iterator[None]:
    """See one state of the file: another process may be creating its tables."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _ensure_schema(connection: sqlite3.Connection, path: str) -> None:
    with _snapshot(connection):
        is_ours = _is_ours(connection, path)
    if is_ours:
        return
    with _transaction(connection):
        if _is_ours(connection, path):
            return
        for statement in _TABLES:
            connection.execute(statement)
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")


def _is_ours(connection: sqlite3.Connection, path: str) -> bool:
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if application == APPLICATION_ID and version == SCHEMA_VERSION:
        return True
    if application == APPLICATION_ID:
        raise UnusableLog(
            f"event log {path} has schema version {version}, this program reads version {SCHEMA_VERSION}; "
            "use the program that wrote it, or another file"
        )
    if connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0] > 0:
        raise UnusableLog(f"{path} is a database of something else; name another file for the event log")
    return False


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unreachable(f"the folder {folder} of the event log cannot be created: {error.strerror}") from error
