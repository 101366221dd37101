"""A Postgres server as a process on loopback."""

import os
import pwd
import secrets
import shutil
import signal
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import psycopg
from psycopg import sql

from tests.child import run
from tests.servers.leash import leashed
from tests.servers.ports import free_ports
from tests.servers.postgres_program import TOOLS, tools_of
from tests.servers.process import ServerProcess

_LOOPBACK: Final = "127.0.0.1"
_SUPERUSER: Final = "postgres"
_NOBODY: Final = "nobody"
_READY_SECONDS: Final = 60.0
_POLL_SECONDS: Final = 0.05


class PostgresEndedError(Exception):
    """A server could not be made or started, or is not ready in time. The text has what it said last."""


class PostgresServer:
    """One server with a data folder of its own; ``program`` is the folder of the prepared server.

    Starts on entering ``with`` (2 to 3 s) and is gone after leaving it, with all it stored. ``settings`` are of
    postgresql.conf; without any it syncs to the disk as Postgres always does. Postgres refuses to be root: started by
    root it runs as ``nobody``. To be used by the main thread (ServerProcess).
    """

    def __init__(self, program: Path, *, settings: Mapping[str, str] | None = None) -> None:
        self._program: Final = program
        self._settings: Final = dict(settings or {})
        self._user: Final = _NOBODY if os.geteuid() == 0 else None
        self._password: Final = secrets.token_hex(16)
        (self.port,) = free_ports(1)
        self._folder: Path | None = None
        self._process: ServerProcess | None = None

    def __enter__(self) -> Self:
        try:
            self._make()
            self.start()
        except BaseException:
            self.remove()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()

    def start(self) -> None:
        """Start it on the data it has, and wait until it answers. Raises PostgresEndedError.

        After ``kill`` it refuses to start until the last of its children has seen that: then it is started again.
        """
        deadline = time.monotonic() + _READY_SECONDS
        self._spawn()
        while not self._answers():
            if time.monotonic() > deadline:
                raise PostgresEndedError(f"Postgres does not answer:\n{self.process.last_words()}")
            if not self.lives():
                self._restart_if_children_live()
            time.sleep(_POLL_SECONDS)

    def kill(self) -> None:
        """``kill -9``; fine if it has ended. ``mend`` starts it again, on the same port and data."""
        if self._process is not None:
            self._process.kill()

    def stop(self) -> None:
        """Have it end in order: connections are closed, everything is on the disk (SIGINT, "fast shutdown")."""
        self.process.end(signal.SIGINT)

    def mend(self) -> None:
        """Start it if it has ended, resume it if it is paused, and wait until it answers."""
        if self.lives():
            self.process.resume()
        else:
            self.start()

    def remove(self) -> None:
        """End it and its children, and remove its folder. Fine if nothing runs."""
        if self._process is not None and self._process.lives():
            self._process.resume()
            try:
                self._process.end(signal.SIGQUIT)
            finally:
                self._process.kill()
        if self._folder is not None:
            shutil.rmtree(self._folder)
            self._folder = None

    def lives(self) -> bool:
        """Whether its process is there."""
        return self._process is not None and self._process.lives()

    def complain_if_ended(self) -> None:
        """Raise PostgresEndedError, with the end of its log, if it has ended."""
        if not self.lives():
            raise PostgresEndedError(f"Postgres ended:\n{self.process.last_words()}")

    @property
    def process(self) -> ServerProcess:
        """Its process; paused, it takes no new connections, and its children answer."""
        if self._process is None:
            raise ValueError("the server was never started")
        return self._process

    @property
    def folder(self) -> Path:
        """Where its data and its log are, while it is there."""
        if self._folder is None:
            raise ValueError("the server has no folder before it is started and after it is removed")
        return self._folder

    def url(self, database: str = _SUPERUSER) -> str:
        """The address of one of its databases, as psycopg and psql take it."""
        return f"postgresql://{_SUPERUSER}:{self._password}@{_LOOPBACK}:{self.port}/{database}"

    def store_url(self, database: str) -> str:
        """The address of one of its databases, as a store has it."""
        return self.url(database).replace("postgresql", "postgresql+psycopg", 1)

    def create_database(self, name: str, *, like: str = "template1") -> None:
        """Make a database: an empty one, or a copy of another, to which nobody may be connected."""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self._do(statement.format(sql.Identifier(name), sql.Identifier(like)))

    def drop_database(self, name: str) -> None:
        """Remove it, whoever uses it."""
        self._do(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    def _do(self, statement: sql.Composed) -> None:
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement)

    def _make(self) -> None:
        """Make its folder and an empty cluster in it, owned by whom it will run as."""
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        password = self._folder / "password"
        password.write_text(self._password, encoding="ascii")
        if self._user is not None:
            owner = pwd.getpwnam(self._user)
            for path in (self._folder, password):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        cluster = ["--pgdata", str(self._folder / "data"), "--username", _SUPERUSER, "--encoding=UTF8", "--locale=C"]
        access = ["--auth=scram-sha-256", "--pwfile", str(password)]
        command = leashed([self._tool("initdb"), "--no-sync", *cluster, *access], user=self._user)
        ran = run(command, cwd=self._folder)
        password.unlink()
        if ran.returncode != 0:
            raise PostgresEndedError(f"initdb ended with {ran.returncode}:\n{ran.stderr.strip()}")

    def _tool(self, name: str) -> str:
        """Where a tool is that its user can run: what is in root's own folders is copied out of them."""
        tools = tools_of(self._program)
        if self._user is None or not tools.is_relative_to(self._program):
            return str(tools / name)
        copy = self.folder / "program"
        if not copy.exists():
            shutil.copytree(self._program, copy)
        return str(tools_of(copy) / name)

    def _spawn(self) -> None:
        listen = {"listen_addresses": _LOOPBACK, "port": str(self.port), "unix_socket_directories": ""}
        options = [f"--{name}={value}" for name, value in (listen | self._settings).items()]
        command = [self._tool(TOOLS[1]), "-D", str(self.folder / "data"), *options]
        self._process = ServerProcess(leashed(command, user=self._user), log=self.folder / "postgres.log")

    def _restart_if_children_live(self) -> None:
        if "is still in use" not in self.process.last_words():
            self.complain_if_ended()
        self._spawn()

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True
