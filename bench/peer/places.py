"""Brokers and databases to consume from and decide in: real servers where they are prepared, and files."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from pathlib import Path

from tests.servers.availability import NotPrepared, Prepared, look
from tests.servers.cache import Cache
from tests.servers.catalogue import SERVERS
from tests.servers.postgres_server import PostgresServer
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import make_namespace


class Broker(StrEnum):
    """Where messages come from."""

    EVENT_LOG = "event log"
    PULSAR = "pulsar"


class Database(StrEnum):
    """Where decisions are stored."""

    SQLITE = "sqlite"
    POSTGRES = "postgres"


class NotThere(Exception):
    """A server is not prepared; the text says what does that."""


class Places:
    """The servers of one measurement, each started when it is first asked for; a call gives an address of its own.

    Every call may raise NotThere.
    """

    def __init__(self, folder: Path, *, cache: Cache, running: ExitStack) -> None:
        self._folder = folder
        self._cache = cache
        self._running = running
        self._pulsar: PulsarBroker | None = None
        self._postgres: PostgresServer | None = None

    def broker(self, kind: Broker) -> str:
        """The address of a broker without topics."""
        if kind is Broker.EVENT_LOG:
            return f"sqlite:///{self._folder}/{secrets.token_hex(4)}-log.db"
        if self._pulsar is None:
            program = prepared("pulsar", self._cache)
            self._pulsar = self._running.enter_context(PulsarBroker(program, self._folder / "pulsar"))
        return f"{self._pulsar.url}/{make_namespace(self._pulsar).name}"

    def store(self, kind: Database) -> str:
        """The address of an empty store."""
        if kind is Database.SQLITE:
            return f"sqlite:///{self._folder}/{secrets.token_hex(4)}-store.db"
        if self._postgres is None:
            self._postgres = self._running.enter_context(PostgresServer(prepared("postgres", self._cache)))
        name = f"bench_{secrets.token_hex(4)}"
        self._postgres.create_database(name)
        return self._postgres.store_url(name)


@contextmanager
def started(folder: Path, *, cache: Cache) -> Iterator[Places]:
    """Places whose servers end with the context."""
    with ExitStack() as running:
        yield Places(folder, cache=cache, running=running)


def prepared(name: str, cache: Cache) -> Path:
    """The folder of a prepared server. Raises NotThere."""
    match look(SERVERS[name], cache):
        case Prepared(folder):
            return folder
        case NotPrepared(why):
            raise NotThere(f"no real {name} server: {why}")
