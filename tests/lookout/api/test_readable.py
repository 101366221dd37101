"""What a person reads in a browser who opened an address that is refused."""

import json
import re
import socket
from base64 import b64encode
from hashlib import sha256

import pytest

from agent.lookout.api.connection import LONGEST_HEAD
from agent.lookout.api.guard import LONGEST_QUERY
from tests.lookout.api.serving import LOOPBACK, Client

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
LONG = "/jobs?queue=" + "x" * LONGEST_QUERY


def test_a_person_gets_a_page_that_leads_on(client: Client) -> None:
    answer = client.get(LONG, Accept=ACCEPT)

    assert (answer.status, answer.headers["content-type"]) == (414, "text/html; charset=utf-8")
    assert "The query is longer than 16 KiB; filter by fewer values." in answer.text
    assert '<a href="/jobs">' in answer.text


def test_a_name_that_is_not_of_this_server_is_said(client: Client) -> None:
    answer = client.get("/jobs", Accept=ACCEPT, Host="lookout.example")

    assert answer.status == 403
    assert "add the name to api.allowedHosts." in answer.text
    assert "<h1>Host not allowed</h1>" in answer.text


def test_what_a_request_says_is_text_and_its_style_is_the_only_one_allowed(client: Client) -> None:
    answer = client.get("/", Accept=ACCEPT, Host="<script>alert(1)</script>")
    (style,) = re.findall(r"<style>(.*)</style>", answer.text)
    policy = answer.headers["content-security-policy"]

    assert "&lt;script&gt;alert(1)" in answer.text
    assert "<script" not in answer.text
    assert f"style-src 'sha256-{b64encode(sha256(style.encode()).digest()).decode()}'" in policy
    assert policy.startswith("default-src 'none'")
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(("path", "accept"), [(LONG, "*/*"), ("/api/v1/jobs/none", ACCEPT), ("/nowhere", "")])
def test_programs_get_a_problem(client: Client, path: str, accept: str) -> None:
    assert client.get(path, Accept=accept).code in {"query-too-long", "no-such-job", "not-found"}


def test_what_is_no_problem_stays_as_it_is(client: Client) -> None:
    assert client.get("/healthz", Accept=ACCEPT).json["status"] == "ok"


def sent(client: Client, *parts: bytes) -> tuple[bytes, bytes]:
    """The head and the body of the answer to a request that comes in parts, all of which are taken."""
    with socket.create_connection((LOOPBACK, client.port), timeout=30) as connection:
        for part in parts:
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        head, _, body = b"".join(iter(lambda: connection.recv(1 << 16), b"")).partition(b"\r\n\r\n")
        return head, body


PADDING = b"x" * (LONGEST_HEAD // 2 + 1)


def test_an_address_that_is_too_long_to_be_read_has_a_page(client: Client) -> None:
    head, body = sent(client, b"GET /jobs?queue=", *[PADDING] * 40)

    assert head.startswith(b"HTTP/1.1 414 ")
    assert b"text/html" in head
    assert b"The address is longer than 64 KiB; filter by fewer values." in body


def test_a_program_whose_address_is_too_long_to_be_read_gets_a_problem(client: Client) -> None:
    head, body = sent(client, b"GET /api/v1/jobs?queue=", *[PADDING] * 40)

    assert b"application/problem+json" in head
    assert json.loads(body)["code"] == "address-too-long"


def test_cookies_that_are_too_long_are_named(client: Client) -> None:
    head, body = sent(client, b"GET / HTTP/1.1\r\nHost: localhost\r\nCookie: ", *[PADDING] * 3)

    assert head.startswith(b"HTTP/1.1 431 ")
    assert b"delete the cookies" in body


def test_what_is_no_request_is_refused(client: Client) -> None:
    head, _ = sent(client, b"\x16\x03\x01\r\n\r\n")

    assert head.startswith(b"HTTP/1.1 400 ")
