"""The server: where it listens, and how it stops."""

import socket
import threading
from contextlib import AbstractAsyncContextManager, closing

import pytest
from fastapi import FastAPI
from structlog.testing import capture_logs

from agent.lookout.api import server as server_api
from agent.lookout.api.server import ApiServer
from tests.lookout.api.serving import LOOPBACK, Answer, Client, serving
from tests.scheduler.path import wait_until


def test_a_port_that_is_taken_is_said_with_the_settings_to_change() -> None:
    with (
        ApiServer(LOOPBACK, 0) as first,
        pytest.raises(OSError, match=r"already in use; change api\.host or api\.port"),
    ):
        ApiServer(LOOPBACK, first.port)


def test_it_lets_a_request_finish_and_then_its_port_is_free() -> None:
    app, began, go_on = FastAPI(), threading.Event(), threading.Event()

    @app.get("/slow")
    def slow() -> str:
        began.set()
        go_on.wait(10)
        return "finished"

    found: list[str] = []
    server = ApiServer(LOOPBACK, 0)
    server.serve(app)
    asking = threading.Thread(target=lambda: found.append(Client(port=server.port).get("/slow").json))
    asking.start()
    assert began.wait(10)
    closing_it = threading.Thread(target=server.close)
    closing_it.start()
    go_on.set()
    asking.join(10)
    closing_it.join(10)

    assert found == ["finished"]
    assert server.problem() == "the api thread has ended"
    with closing(socket.socket()) as other, pytest.raises(ConnectionRefusedError):
        other.connect((LOOPBACK, server.port))


def test_a_request_that_does_not_end_is_answered_and_logged_in_a_line(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(server_api, "_GRACE_SECONDS", 0.1)
    app, began, go_on = FastAPI(), threading.Event(), threading.Event()

    @app.get("/slow")
    def slow() -> None:
        began.set()
        go_on.wait(60)

    found: list[Answer] = []
    server = ApiServer(LOOPBACK, 0)
    server.serve(app)
    asking = threading.Thread(target=lambda: found.append(Client(port=server.port).get("/slow")))
    asking.start()
    assert began.wait(10)
    with capture_logs() as logged:
        server.close()
    asking.join(10)
    is_running = not go_on.is_set()
    go_on.set()

    assert is_running
    assert [(answer.status, answer.code, answer.headers["retry-after"]) for answer in found] == [(503, "stopping", "5")]
    said = "a request did not end before the API stopped"
    assert logged == [{"event": said, "method": "GET", "path": "/slow", "log_level": "warning"}]
    assert [record for record in caplog.records if record.exc_info] == []


def test_ipv6_is_served() -> None:
    try:
        server = ApiServer("::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with server, closing(socket.create_connection(("::1", server.port), timeout=10)) as connection:
        server.serve(FastAPI(openapi_url="/openapi.json"))
        connection.sendall(b"GET /openapi.json HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n")
        assert connection.recv(12) == b"HTTP/1.1 200"


def test_what_was_never_served_closes() -> None:
    server = ApiServer(LOOPBACK, 0)
    server.close()

    assert server.problem() == "the api thread has ended"


def test_an_application_that_does_not_start_is_not_waited_for() -> None:
    def failing(_app: FastAPI) -> AbstractAsyncContextManager[None]:
        raise KeyError("on purpose")

    with ApiServer(LOOPBACK, 0) as server:
        with pytest.raises(RuntimeError, match="the API did not start; the log says why"):
            server.serve(FastAPI(lifespan=failing))
        wait_until(lambda: server.problem() is not None)


def test_its_thread_is_alive_while_it_serves() -> None:
    with ApiServer(LOOPBACK, 0) as server:
        server.serve(FastAPI())
        assert server.problem() is None


def test_serving_again_after_another_server_of_this_process() -> None:
    for _ in range(2):
        with serving(FastAPI(openapi_url="/openapi.json")) as client:
            assert client.get("/openapi.json").status == 200


def test_no_part_of_a_response_waits_for_the_last_one_to_be_acknowledged() -> None:
    with ApiServer(LOOPBACK, 0) as server, socket.create_connection((LOOPBACK, server.port)):
        accepted, _ = server._socket.accept()
        accepted.close()

    assert accepted.proto == socket.IPPROTO_TCP
