"""Lookout's API on a free loopback port, and a client that sees exactly what it answers."""

import http.client
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from starlette.types import ASGIApp

from agent.lookout.api.application import create
from agent.lookout.api.backend import Backend
from agent.lookout.api.live import Live
from agent.lookout.api.server import ApiServer
from agent.lookout.changes import Changes
from agent.lookout.store.opening import open_store
from agent.store.store import Store
from agent.telemetry.check import Check
from agent.telemetry.health import HealthPages
from tests.lookout.store.databases import new_database

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:  # noqa: ANN401 - whatever the API answers
        return json.loads(self.body)

    @property
    def code(self) -> str:
        """The code of a problem, which this must be."""
        assert self.headers["content-type"] == "application/problem+json", self.text
        assert self.json["status"] == self.status
        found: str = self.json["code"]
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """Asks one server; each request on a connection of its own."""

    port: int
    headers: Mapping[str, str] = field(default_factory=dict)
    """What every request has."""

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, headers=headers)

    def post(self, path: str, body: object, **headers: str) -> Answer:
        """Send a value as JSON."""
        given = {"Content-Type": "application/json", **headers}
        return self.ask("POST", path, body=json.dumps(body).encode(), headers=given)

    def ask(
        self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Any request; ``_`` in the names of headers is a hyphen."""
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=30)
        given = {name.replace("_", "-"): value for name, value in {**self.headers, **(headers or {})}.items()}
        try:
            connection.request(method, path, body=body, headers=given)
            response = connection.getresponse()
            names = {name.lower(): value for name, value in response.getheaders()}
            return Answer(status=response.status, headers=names, body=response.read())
        finally:
            connection.close()


def backend(
    store: Store, *, checks: Mapping[str, Check] | None = None, lag: Callable[[], timedelta] = timedelta
) -> Backend:
    """What an application needs, over a store."""
    health = HealthPages(ready=checks or {}, alive={})
    changes = Changes()
    return Backend(store=store, health=health, live=Live(changes), changes=changes, lag=lag)


@contextmanager
def serving(app: ASGIApp) -> Iterator[Client]:
    """A client of this application, which is served meanwhile."""
    with ApiServer(LOOPBACK, 0) as server:
        server.serve(app)
        yield Client(port=server.port)


@contextmanager
def served(store: Store) -> Iterator[Client]:
    """A client of the API over a store."""
    with serving(create(backend(store))) as client:
        yield client


@contextmanager
def empty_store(folder: Path) -> Iterator[Store]:
    """An empty database of Lookout on SQLite."""
    with open_store(new_database(folder)) as store:
        yield store
