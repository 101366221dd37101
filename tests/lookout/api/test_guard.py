"""What a browser on this machine sends for a foreign page is refused; what people and programs send is not."""

import re
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st
from starlette.datastructures import Headers

from agent.bounds import MAX_BYTES
from agent.lookout.api import guard
from agent.lookout.api.application import create
from agent.lookout.api.guard import AllowedHosts, Guard, not_json, refusal
from agent.settings.fault import ConfigError
from tests import tables
from tests.lookout.api.serving import LOOPBACK, Answer, Client, backend, empty_store, serving
from tests.settings.test_lookout_settings import LEAST, read

ALLOWED = AllowedHosts.of(["Lookout.example.com", "2001:DB8::1"])
REQUESTS = tables.table(Path(__file__).with_name("guard.yaml"))


def refused(method: str, headers: Mapping[str, str], *, path: str = "/api/v1/jobs") -> str | None:
    found = refusal(method, path, Headers(headers), ALLOWED) or not_json(method, Headers(headers))
    return None if found is None else found.code


@pytest.mark.parametrize("row", REQUESTS, ids=lambda row: row["name"])
def test_requests(row: Mapping[str, object]) -> None:
    headers = {"Host": "127.0.0.1:8085", **row.get("headers", {})}  # type: ignore[dict-item]  # a table

    asked = refused(str(row.get("method", "GET")), headers, path=str(row.get("path", "/api/v1/jobs")))

    assert asked == row.get("refused")


def around(text: str) -> st.SearchStrategy[str]:
    """Text with other text before and behind it, as headers can have it."""
    other = st.text(st.characters(codec="latin-1"), max_size=3) | st.sampled_from(["", ".", ":", "@", ":80", "evil."])
    return st.builds(lambda before, behind: f"{before}{text}{behind}", other, other)


@given(host=around("localhost"))
def test_no_other_name_is_taken_for_ours(host: str) -> None:
    ours = re.fullmatch(r"localhost(:[0-9]{1,5})?", host)

    assert (refused("GET", {"Host": host}) is None) == bool(ours)


@given(origin=around("http://localhost:8085"))
def test_no_other_origin_is_taken_for_ours(origin: str) -> None:
    headers = {"Host": "localhost:8085", "Origin": origin}

    assert (refused("GET", headers) is None) == (origin == "http://localhost:8085")


def test_two_hosts_are_none() -> None:
    headers = Headers(raw=[(b"host", b"localhost"), (b"host", b"localhost")])

    assert refusal("GET", "/", headers, ALLOWED) is not None


@pytest.mark.parametrize("path", ["/api/v1/version", "/metrics", "/readyz", "/nowhere"])
def test_a_name_that_leads_here_reads_nothing(client: Client, path: str) -> None:
    answer = client.get(path, Host=f"evil.example:{client.port}")

    assert (answer.status, answer.code) == (403, "host-not-allowed")
    assert "add the name to api.allowedHosts" in answer.json["detail"]


FOREIGN = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
FORM = {**FOREIGN, "Content-Type": "application/x-www-form-urlencoded"}


@pytest.mark.parametrize(
    ("method", "headers"),
    [
        ("POST", FORM),
        ("POST", {**FOREIGN, "Content-Type": "text/plain"}),
        ("POST", {**FOREIGN, "Content-Type": "application/json"}),
        ("POST", {"Origin": "null", "Content-Type": "application/json"}),
        ("GET", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}),
        (
            "OPTIONS",
            {**FOREIGN, "Access-Control-Request-Method": "POST", "Access-Control-Request-Private-Network": "true"},
        ),
    ],
)
def test_a_foreign_page_neither_asks_nor_is_permitted_to(client: Client, method: str, headers: dict[str, str]) -> None:
    body = b'{"a": 1}' if method == "POST" else None
    answer = client.ask(method, "/api/v1/version", body=body, headers=headers)

    assert (answer.status, answer.code) == (403, "cross-site-request")
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_forms_of_old_browsers_which_say_nothing_about_the_page_are_refused(client: Client) -> None:
    for content_type in ("application/x-www-form-urlencoded", "multipart/form-data; boundary=a", "text/plain"):
        answer = client.ask("POST", "/api/v1/lint", body=b"{}", headers={"Content-Type": content_type})
        assert (answer.status, answer.code) == (415, "not-json")


@pytest.mark.parametrize("body", [None, b"text"])
@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_what_no_path_or_method_is_there_for_is_not_asked_to_be_json(
    client: Client, method: str, body: bytes | None
) -> None:
    unused = client.ask(method, "/api/v1/corrections", body=body)

    assert (unused.status, unused.code, unused.headers["allow"]) == (405, "method-not-allowed", "GET, HEAD, POST")
    assert client.ask(method, "/nowhere", body=body).code == "not-found"


def test_every_response_has_the_headers_that_protect_it(client: Client) -> None:
    for answer in (client.get("/api/v1/version"), client.get("/nowhere"), client.get("/metrics", Host="evil.example")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
        assert answer.headers["cache-control"] in ("no-store", "private, no-cache")
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "server-timing" in answer.headers


def test_settings_add_names(tmp_path: Path) -> None:
    with ExitStack() as stack:
        store = stack.enter_context(empty_store(tmp_path))
        app = create(backend(store), allowed_hosts=["lookout.example.com"])
        client = stack.enter_context(serving(app))
        assert client.get("/api/v1/version", Host="lookout.example.com").status == 200
        assert client.get("/api/v1/version", Host="example.com").status == 403


@pytest.mark.parametrize("name", ["https://lookout.example.com", "lookout.example.com:8085", "*", "", "a b", "[::1]"])
def test_what_is_no_name_of_a_host_is_refused_in_settings(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="not a host"):
        read(tmp_path, LEAST + f"api: {{allowedHosts: ['{name}']}}")


def test_names_and_addresses_are_taken_in_settings(tmp_path: Path) -> None:
    settings = read(tmp_path, LEAST + "api: {allowedHosts: [lookout, lookout_1.example.com, '2001:db8::1', 10.0.0.1]}")

    assert len(settings.api.allowed_hosts) == 4


@pytest.fixture(scope="module")
def echo() -> Iterator[Client]:
    """A guarded application that takes JSON."""
    app = FastAPI()
    app.add_middleware(Guard, allowed=AllowedHosts.of(()))

    @app.post("/json")
    def given_json(body: dict[str, str]) -> int:
        return len(body)

    with serving(app) as client:
        yield client


def test_a_body_that_is_too_large_is_not_read(echo: Client) -> None:
    answer = echo.ask("POST", "/json", body=b"x" * (MAX_BYTES + 1), headers={"Content-Type": "application/json"})

    assert (answer.status, answer.code) == (413, "body-too-large")
    assert "larger than 4 MiB; send less at once" in answer.json["detail"]


HEAD = b"POST /json HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def test_a_body_without_a_length_is_measured(echo: Client) -> None:
    head = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
    chunk = b"100000\r\n" + b" " * 0x100000 + b"\r\n"

    assert raw(echo, head, *[chunk] * 5).startswith(b"HTTP/1.1 413")
    assert raw(echo, head, b'd\r\n{"a": "text"}\r\n0\r\n\r\n').startswith(b"HTTP/1.1 200")


def test_a_body_that_comes_too_slowly_holds_nobody(echo: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)

    assert raw(echo, HEAD + b"Content-Length: 10\r\n\r\n{").startswith(b"HTTP/1.1 408")


def test_a_query_that_is_too_long_is_refused(echo: Client) -> None:
    answer: Answer = echo.get("/json?" + "a" * 20_000)

    assert (answer.status, answer.code) == (414, "query-too-long")


def raw(client: Client, *parts: bytes) -> bytes:
    """What the server answers to these bytes, as far as it takes them."""
    with closing(socket.create_connection((LOOPBACK, client.port), timeout=10)) as connection:
        try:
            for part in parts:
                connection.sendall(part)
                time.sleep(0.01)
        except ConnectionError:
            pass
        return connection.recv(65536)
