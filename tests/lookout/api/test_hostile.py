"""Junk in every parameter of every operation: what it cannot mean is refused with the fix, and nothing fails."""

from collections.abc import Iterator
from http import HTTPStatus
from itertools import cycle
from typing import Any
from urllib.parse import quote

import pytest

from agent.lookout.api.application import described
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.ground.findings import assert_no_findings
from tests.lookout.api.serving import Answer, Client, served
from tests.lookout.api.test_guard import raw
from tests.lookout.process import failures
from tests.lookout.store.databases import database, database_url

__all__ = ["database", "database_url"]

DOCUMENT: dict[str, Any] = described().openapi()
STREAMS = frozenset({"/api/v1/changes"})
FORWARDED = "/api/v1/scheduler/"

FEW = 20
JUNK = (
    "",
    " ",
    "%00",
    "%ff%fe",
    "%ed%a0%80",
    "%25_%5C*?[]",
    "'; DROP TABLE job_run; --",
    '"',
    "-1",
    "1e400",
    "9" * 400,
    "NaN",
    "0x10",
    "true",
    "null",
    "2026-13-01T00:00:00Z",
    "9999999999d",
    "\N{RIGHT-TO-LEFT OVERRIDE}\N{PILE OF POO}",
    "a" * 9_000,
    "<script>",
    "../../etc/passwd",
    "%0d%0aX-Header:%20a",
    ",",
    "eyJ9",
)


@pytest.fixture
def filled(database: Store) -> Iterator[Client]:
    """A client of the API over some failures, on each kind of database."""
    with database.write() as connection:
        record(connection, failures(30))
    with served(database) as found:
        yield found


def parameters(operation: dict[str, Any]) -> Iterator[dict[str, Any]]:
    shared = DOCUMENT["components"]["parameters"]
    for parameter in operation.get("parameters", ()):
        yield shared[parameter["$ref"].rpartition("/")[2]] if "$ref" in parameter else parameter


def requests(path: str, operation: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Each parameter with one kind of junk, with NUL if there are few, and the address that has it."""
    found, junk = [*parameters(operation)], cycle(JUNK)
    for parameter in found:
        for text in {next(junk), "%00"} if len(found) < FEW else {next(junk)}:
            value = quote(text, safe="%")
            if parameter["in"] == "path":
                yield parameter["name"], path.replace(f"{{{parameter['name']}}}", value or "%20")
            else:
                yield parameter["name"], f"{path}?{quote(parameter['name'])}={value}"


GETS = {
    path: methods["get"]
    for path, methods in DOCUMENT["paths"].items()
    if "get" in methods and path not in STREAMS and not path.startswith(FORWARDED)
}


@pytest.mark.slow
def test_junk_in_every_parameter(filled: Client) -> None:
    assert_no_findings(lambda asked: unsound(filled, *asked), requests_of_all())


def requests_of_all() -> Iterator[tuple[str, str]]:
    for path, operation in GETS.items():
        yield from requests(path, operation)


def unsound(client: Client, name: str, address: str) -> Iterator[str]:
    answer = client.get(address)
    if not is_sound(answer, name):
        yield f"{address[:200]}: {answer.status} {answer.text[:300]}"


def is_sound(answer: Answer, name: str) -> bool:
    """Whether it is an answer, or a refusal that names the parameter and what it takes."""
    if answer.status == HTTPStatus.BAD_REQUEST:
        return any(fault["parameter"] == name and fault["message"] for fault in answer.json["errors"])
    return answer.status in (HTTPStatus.OK, HTTPStatus.NOT_FOUND)


LINT = b"POST /api/v1/lint HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SMUGGLED = b"0\r\n\r\nGET /smuggled HTTP/1.1\r\n\r\n"


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /api/v1/version HTTP/1.0\r\n\r\n", b"403"),
        (b"GET /api/v1/version HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
        (b"GET http://evil.example/api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 70_000, b"431"),
        (b"GET //evil.example/%2e%2e HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"GET /api/v1/jobs/ HTTP/1.1\r\nHost: localhost\r\n\r\n", b"404"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"400"),
        (LINT + b"Content-Length: x\r\n\r\n", b"400"),
        (LINT + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n" + SMUGGLED, b"400"),
    ],
)
def test_what_is_no_request_or_not_for_this_server(client: Client, sent: bytes, status: bytes) -> None:
    assert raw(client, sent).split(b" ", 2)[1] == status


@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b"9" * 5_000, b'{"text": "\\ud800"}', b'"' + b"a" * 1_000_000 + b'"', b"NaN"]
)
def test_hostile_bodies(client: Client, body: bytes) -> None:
    answer = client.ask("POST", "/api/v1/lint", body=body, headers={"Content-Type": "application/json"})

    assert 200 <= answer.status < 500


JSON: Any = {"body": b"{}", "headers": {"Content-Type": "application/json"}}
MANY = "&".join(f"x{number}" for number in range(2_000))
COMPARED = "&".join(f"queue.x{number}" for number in range(1_000))
FIELDS = {f"x{number}": 1 for number in range(50_000)}


@pytest.mark.parametrize("address", ["jobs", "failures", "corrections", "groups/runs", "rules/trial"])
@pytest.mark.parametrize("query", [MANY, COMPARED])
def test_of_many_wrong_parameters_the_first_are_named(client: Client, address: str, query: str) -> None:
    answer = client.ask("POST" if address == "rules/trial" else "GET", f"/api/v1/{address}?{query}", **JSON)

    assert (answer.status, answer.json["errors"][0]["parameter"][-2:]) == (400, "x0")
    assert len(answer.body) < 50_000


@pytest.mark.parametrize(
    ("address", "body"),
    [
        ("lint", {"text": "", **FIELDS}),
        ("corrections", FIELDS),
        ("rules/trial", {"text": "", "filter": {"queue": [1] * 50_000}}),
        ("rules/trial", {"text": "", "filter": FIELDS}),
        ("rules/trial", {"text": "", "filter": {name: ["a"] for name in FIELDS}}),
        ("rules/trial", {"text": "errorCategories:\n" + "- {}\n" * 5_000}),
    ],
)
def test_what_is_wrong_with_a_body_is_said_in_few_words(client: Client, address: str, body: object) -> None:
    answer = client.post(f"/api/v1/{address}", body)

    assert (answer.status, len(answer.body) < 50_000) == (400, True)
