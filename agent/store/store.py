"""The store: one database, opened once by a process and closed by it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from sqlalchemy import Connection, Engine, text

from agent.open_file import OpenFile
from agent.store import migrate
from agent.store.engine import SNAPSHOT, WRITES, file_of, make_engine, parse
from agent.store.errors import StoreUnreachable, translated_errors
from agent.store.lock import lock_scopes


class Store:
    """Hands out transactions, whose connection the other modules of this package use. Safe to share by threads."""

    def __init__(self, engine: Engine, history: migrate.History = migrate.STORE) -> None:
        self._engine = engine
        self._history = history
        self._file: OpenFile | None = None

    @classmethod
    def open(cls, url: str, *, password_file: Path | None = None, history: migrate.History = migrate.STORE) -> Self:
        """Open a store and bring its tables to head; create it if it does not exist.

        Raises BadStoreAddress, StoreUnreachable, StoreOutdated for tables of a later version, and StoreError for a
        database of another ``history``.
        """
        engine = make_engine(parse(url), password_file=password_file, pragmas=history.pragmas)
        store = cls(engine, history)
        try:
            with translated_errors():
                migrate.upgrade(store._engine, history)
            store._file = _opened(store._engine)
        except BaseException:
            store.close()
            raise
        return store

    @classmethod
    def attach(cls, url: str, *, password_file: Path | None = None, history: migrate.History = migrate.STORE) -> Self:
        """Open an existing store to read; nothing is created or changed.

        Raises BadStoreAddress, StoreUnreachable if there is none, StoreOutdated if its tables are not at head.
        """
        parsed = parse(url)
        file = file_of(parsed)
        if file is not None and not _is_file(file):
            raise StoreUnreachable(f"there is no store at {file}")
        store = cls(make_engine(parsed, password_file=password_file, pragmas=history.pragmas), history)
        try:
            store._file = _opened(store._engine)
            store.check()
        except BaseException:
            store.close()
            raise
        return store

    @property
    def dialect(self) -> str:
        """``sqlite`` or ``postgresql``."""
        return self._engine.dialect.name

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A transaction that only reads, and sees one state of the store throughout."""
        self._check_file()
        options = SNAPSHOT if self._engine.dialect.name == "postgresql" else {}
        with translated_errors(), self._engine.connect() as connection:
            reading = connection.execution_options(**options)
            with reading.begin():
                yield reading

    @contextmanager
    def decide(self, scopes: Iterable[str]) -> Iterator[Connection]:
        """A transaction that writes and excludes all others that decide one of ``scopes``; an error rolls it back.

        Raises StoreUnreachable if the database is unavailable, stays busy, or is no longer the file that was opened,
        StoreOutdated if another version has migrated it, RowRefused for a row that it refuses.
        """
        self._check_file()
        with translated_errors(), self._engine.connect() as connection:
            writing = connection.execution_options(**WRITES)
            with writing.begin():
                lock_scopes(writing, scopes)
                # Another version may have migrated since: what this one wrote then would lack what that one needs.
                migrate.check(writing, self._history)
                yield writing
                self._check_file()

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """A transaction that writes what needs no scope."""
        with self.decide(()) as connection:
            yield connection

    @contextmanager
    def session(self) -> Iterator[Connection]:
        """A connection of its own, outside of the pool and of transactions, to wait on. Raises StoreUnreachable."""
        with translated_errors(), self._engine.connect() as connection:
            alone = connection.execution_options(isolation_level="AUTOCOMMIT")
            alone.detach()
            yield alone

    def check(self) -> None:
        """Raise StoreUnreachable unless the database answers, StoreOutdated unless its tables are at head."""
        with self.read() as connection:
            connection.execute(text("SELECT 1"))
            migrate.check(connection, self._history)

    def close(self) -> None:
        self._engine.dispose()

    def _check_file(self) -> None:
        """Raise StoreUnreachable unless the path still names the SQLite file that was opened."""
        if self._file is not None and (problem := self._file.problem()) is not None:
            raise StoreUnreachable(f"the store {self._file.path} {problem}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


def _opened(engine: Engine) -> OpenFile | None:
    """The file of a SQLite store. Raises StoreUnreachable if it is no longer there."""
    file = file_of(engine.url)
    try:
        return None if file is None else OpenFile.at(file)
    except OSError as error:
        raise StoreUnreachable(f"there is no store at {file}: {error.strerror}") from error


def _is_file(file: Path) -> bool:
    """Raises StoreUnreachable where that cannot be seen: the name is too long, or a folder above may not be read."""
    try:
        return file.is_file()
    except OSError as error:
        raise StoreUnreachable(f"there is no store at {file}: {error.strerror}") from error
