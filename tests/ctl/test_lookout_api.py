"""What ``failctl`` makes of answers that are not what a Lookout of this version gives."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest

from agent.console.exits import CommandError, FindingError, NotFoundError, UnreachableError, UsageError
from agent.ctl.lookout_api import answers, opened
from agent.ctl.lookout_reading import LookoutRecords
from agent.store.records.filters import JobFilter


@contextmanager
def answering(status: int, body: bytes, *, missing: int = 0) -> Iterator[str]:
    """The URL of a server that always gives one answer, of which so many bytes do not come."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:  # the name is that of the library
            self.send_response(status)
            self.send_header("Content-Length", str(len(body) + missing))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with serving(Handler) as url:
        yield url


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The URL of a server with this handler."""
    with HTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def problem(code: str, detail: str) -> bytes:
    return json.dumps({"type": "urn:x", "status": 0, "code": code, "detail": detail}).encode()


@pytest.mark.parametrize(
    ("status", "body", "kind", "said"),
    [
        (200, b"<html>", UsageError, "cannot be read"),
        (200, b'{"items": [{}], "next": null}', UsageError, "if it is of a later version, use its failctl"),
        (200, b'{"items": ' + b"[" * 100_000, UsageError, "cannot be read"),
        (404, b"<html>not here</html>", UnreachableError, "is no Lookout: 404 Not Found"),
        (404, problem("not-found", "there is nothing at '/api/v1/jobs'"), UsageError, "of a later version"),
        (404, problem("no-such-job", "there is no job 'a' here"), NotFoundError, "there is no job 'a' here"),
        (400, problem("invalid-request", "queue: \x1b[2J"), UsageError, "queue: \\x1b[2J"),
        (403, problem("foreign-host", "not a name of this server"), FindingError, "not a name of this server"),
        (503, problem("too-slow", "it took too long"), UnreachableError, ": it took too long"),
        (500, problem("internal-error", "the log has it as 12"), UnreachableError, "the log has it as 12"),
        (299, b"", UsageError, "299"),
    ],
)
def test_each_answer_becomes_an_error_of_failctl(status: int, body: bytes, kind: type[CommandError], said: str) -> None:
    with answering(status, body) as url, opened(url) as client:
        with pytest.raises(CommandError) as raised:
            LookoutRecords(client).jobs(JobFilter())
        assert not answers(url)

    assert type(raised.value) is kind
    assert said in str(raised.value)


def test_an_answer_that_ends_in_its_middle_is_that_of_a_server_that_has_ended() -> None:
    with (
        answering(200, b'{"items": [', missing=9) as url,
        opened(url) as client,
        pytest.raises(UnreachableError, match="the connection ended before its answer did; is failure-agent lookout"),
    ):
        LookoutRecords(client).jobs(JobFilter())


def test_a_connection_that_the_server_closed_meanwhile_is_opened_again() -> None:
    """A list that is watched is asked for after minutes; uvicorn closes a connection that was idle for seconds."""

    class Closing(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # the name is that of the library
            body = b'{"items": [], "next": null}'
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = True  # which the client does not hear

        def log_message(self, *_: object) -> None:
            pass

    with serving(Closing) as url, opened(url) as client:
        records = LookoutRecords(client)
        assert [records.jobs(JobFilter()).records for _ in range(3)] == [(), (), ()]
