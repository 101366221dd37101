"""HEAD: the headers of GET and no body, wherever GET is served."""

import re
import socket
from contextlib import closing
from pathlib import Path

import pytest

from agent.lookout.api import pages
from agent.lookout.api.application import create, described
from agent.lookout.api.connection import LONGEST_HEAD
from agent.lookout.store.recording import record
from tests.lookout.api.serving import LOOPBACK, Client, backend, empty_store, serving
from tests.lookout.api.test_corrections import BODY, PATH
from tests.lookout.query.test_histories import STORY
from tests.scheduler.path import wait_until

READ = [re.sub(r"\{\w+\}", "x", path) for path, methods in described().openapi()["paths"].items() if "get" in methods]
ELSEWHERE = ["/healthz", "/readyz", "/metrics", *(re.sub(r"\{.*\}", "x", path) for path in pages.ADDRESSES)]
VARYING = {"date", "server-timing", "content-security-policy"}


@pytest.mark.parametrize("path", [path for path in [*READ, *ELSEWHERE, "/nowhere"] if path != "/api/v1/changes"])
def test_it_is_answered_wherever_get_is(client: Client, path: str) -> None:
    whole, head = client.get(path), client.ask("HEAD", path)

    assert (head.status, head.body) == (whole.status, b"")
    assert head.headers.keys() == whole.headers.keys()
    assert head.headers["content-type"] == whole.headers["content-type"]


@pytest.mark.parametrize("path", ["/api/v1/version", "/api/v1/jobs", "/api/v1/openapi.json", "/healthz", "/nowhere"])
def test_its_headers_are_those_of_get(client: Client, path: str) -> None:
    whole, head = (client.ask(method, path).headers for method in ("GET", "HEAD"))

    assert int(head["content-length"]) > 0
    assert {name: head[name] for name in head if name not in VARYING} == {
        name: whole[name] for name in whole if name not in VARYING
    }


def test_both_share_an_answer_and_its_tag(client: Client) -> None:
    tag = client.ask("HEAD", "/api/v1/jobs").headers["etag"]
    known = client.ask("HEAD", "/api/v1/jobs", headers={"If-None-Match": tag})

    assert client.get("/api/v1/jobs", If_None_Match=tag).status == known.status == 304
    assert known.headers["etag"] == tag


@pytest.mark.parametrize("headers", [{"Host": "evil.example"}, {"Origin": "https://evil.example"}])
@pytest.mark.parametrize("path", ["/api/v1/jobs", "/metrics", "/jobs", "/nowhere"])
def test_who_may_not_get_may_not_head(client: Client, path: str, headers: dict[str, str]) -> None:
    answers = [client.ask(method, path, headers=headers) for method in ("GET", "HEAD")]

    assert [answer.status for answer in answers] == [403, 403]
    assert answers[1].body == b""


@pytest.mark.parametrize("path", ["/api/v1/lint", "/api/v1/rules/trial"])
def test_where_there_is_no_get_it_is_refused(client: Client, path: str) -> None:
    answer = client.ask("HEAD", path)

    assert (answer.status, answer.headers["allow"], answer.body) == (405, "POST", b"")


def test_a_stream_ends_with_its_headers_and_the_connection_goes_on(tmp_path: Path) -> None:
    with empty_store(tmp_path) as store:
        given = backend(store)
        with serving(create(given)) as client, closing(asking(client)) as connection:
            head, _ = answer_to(connection, b"HEAD", "/api/v1/changes")
            after, rest = answer_to(connection, b"HEAD", "/api/v1/version")
            wait_until(lambda: given.live.clients == 0)

    assert b"content-type: text/event-stream" in head
    assert after.startswith(b"HTTP/1.1 200 ")
    assert rest == b""


def test_an_export_ends_with_its_headers(tmp_path: Path) -> None:
    with empty_store(tmp_path) as store, serving(create(backend(store))) as client:
        with store.write() as connection:
            record(connection, STORY)
        client.post(PATH, BODY)
        with closing(asking(client)) as connection:
            head, rest = answer_to(connection, b"HEAD", f"{PATH}/export")
            after, _ = answer_to(connection, b"GET", "/api/v1/version")

    assert b"content-type: application/x-ndjson" in head
    assert (rest, after[:12]) == (b"", b"HTTP/1.1 200")


def asking(client: Client) -> socket.socket:
    return socket.create_connection((LOOPBACK, client.port), timeout=30)


def answer_to(connection: socket.socket, method: bytes, path: str) -> tuple[bytes, bytes]:
    """The head of an answer on a connection that stays open, and what came with it."""
    connection.sendall(method + f" {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    taken = b""
    while b"\r\n\r\n" not in taken:
        taken += connection.recv(1 << 16)
    head, _, rest = taken.partition(b"\r\n\r\n")
    return head, rest


@pytest.mark.parametrize(("path", "kind"), [("/jobs", b"text/html"), ("/api/v1/jobs", b"application/problem+json")])
def test_an_address_that_is_too_long_has_the_headers_of_get_as_well(client: Client, path: str, kind: bytes) -> None:
    with closing(asking(client)) as connection:
        for part in (b"HEAD " + path.encode() + b"?queue=", b"x" * LONGEST_HEAD, b"x" * LONGEST_HEAD):
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        head, _, body = b"".join(iter(lambda: connection.recv(1 << 16), b"")).partition(b"\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 414 ")
    assert kind in head
    assert body == b""
