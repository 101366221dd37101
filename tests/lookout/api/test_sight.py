"""Every endpoint asks for what is stored through the one place that knows what its caller may see."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import pytest
from sqlalchemy import event

from agent.lookout.query.sight import EVERYTHING, OPTION
from agent.lookout.store.recording import record
from agent.lookout.store.tables import metadata
from agent.store.store import Store
from tests.lookout.api.serving import Client, empty_store, served
from tests.lookout.api.test_lists import sent
from tests.lookout.query.test_trial import RULES

TABLES: Final = re.compile(rf"\b({'|'.join(metadata.tables)})\b")
OTHERS: Final = {"/api/v1/changes": "it goes on until the client leaves, and says only that something changed"}
"""Endpoints that are not asked, and why."""
BODIES: Final[dict[str, object]] = {
    "/api/v1/corrections": {"failureId": "e3", "category": "gpu", "origin": "infra"},
    "/api/v1/lint": {"text": "errorCategories: []"},
    "/api/v1/rules/trial": {"text": RULES},
}
"""What each endpoint is sent that takes something."""
WRITTEN: Final = re.compile(r"INSERT INTO correction\b")
"""What may be written: of a failure that was read before."""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with empty_store(tmp_path_factory.mktemp("lookout")) as found:
        with found.write() as connection:
            record(connection, [*sent(datetime.now(UTC))])
        yield found


class Listener:
    """Statements about what is stored, and of these the ones that did not pass."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.unseen: list[str] = []

    def __call__(self, *given: Any) -> None:
        _connection, _cursor, statement, _parameters, context, _many = given
        if TABLES.search(statement) and not WRITTEN.match(statement):
            passed = context.execution_options.get(OPTION) == EVERYTHING.name
            (self.seen if passed else self.unseen).append(statement)


@pytest.fixture
def listener(store: Store) -> Iterator[Listener]:
    listening = Listener()
    event.listen(store._engine, "before_cursor_execute", listening)
    yield listening
    event.remove(store._engine, "before_cursor_execute", listening)


def operations(client: Client) -> dict[str, dict[str, Any]]:
    """Those that Lookout answers itself, by path."""
    described = client.get("/api/v1/openapi.json").json["paths"]
    return {path: found for path, found in described.items() if path not in OTHERS and "/scheduler/" not in path}


def paths(client: Client) -> Iterator[str]:
    """A path of each operation that reads."""
    for path, found in operations(client).items():
        if "get" in found:
            noun = path.split("/")[3]
            yield path.replace("{id}", {"jobs": "broken", "runs": "r3", "failures": "e3"}.get(noun, "x"))


def test_no_statement_passes_beside_it(store: Store, listener: Listener) -> None:
    with served(store) as client:
        asked = list(paths(client))
        for path in asked:
            assert client.get(path).status == 200, path

    assert listener.unseen == []
    assert len(asked) >= 17
    assert len(listener.seen) > len(asked)


def test_none_passes_beside_it_where_something_is_sent(store: Store, listener: Listener) -> None:
    with served(store) as client:
        taking = [path for path, found in operations(client).items() if found.keys() - {"get"}]
        for path in taking:
            assert client.post(path, BODIES[path]).status in {200, 201}, path

    assert listener.unseen == []
    assert {*taking} == BODIES.keys()
    assert len(listener.seen) > 2


def test_a_statement_beside_it_is_found(store: Store, listener: Listener) -> None:
    with store.read() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM job_run")

    assert listener.unseen == ["SELECT count(*) FROM job_run"]
