"""The stream of changes, read from raw sockets as a browser reads it."""

import asyncio
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from datetime import timedelta
from pathlib import Path
from typing import Self

import pytest
from starlette.types import Message

from agent.lookout.api import changes as changes_api
from agent.lookout.api import connection as connection_api
from agent.lookout.api.application import create
from agent.lookout.api.backend import Backend
from agent.lookout.api.live import Live
from agent.lookout.api.server import ApiServer
from agent.lookout.changes import Changes
from agent.telemetry.health import HealthPages
from tests.docs.lookout_api_page import PAGE
from tests.lookout.api.serving import LOOPBACK, Client, empty_store
from tests.scheduler.path import wait_until

INTERVAL = 0.05


class Watched:
    """A server whose changes a test reports, and what it counts."""

    def __init__(self, stack: ExitStack, folder: Path, *, most: int = 10, interval: float = INTERVAL) -> None:
        store = stack.enter_context(empty_store(folder))
        self.changes = Changes()
        self.live = Live(self.changes, interval=interval, most=most, first=1)
        health = HealthPages(ready={}, alive={})
        backend = Backend(store=store, health=health, live=self.live, changes=self.changes, lag=timedelta)
        self.server = stack.enter_context(ApiServer(LOOPBACK, 0))
        self.server.serve(create(backend), ending=self.live.close)
        self._stack = stack

    @property
    def client(self) -> Client:
        return Client(port=self.server.port)

    def watch(self, query: str = "", *, buffer: int | None = None) -> "Watcher":
        return self._stack.enter_context(Watcher(self.server.port, query, buffer=buffer))


class Watcher:
    """One client of the stream."""

    def __init__(self, port: int, query: str, *, buffer: int | None) -> None:
        self._socket = socket.socket()
        if buffer is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self._socket.settimeout(10)
        self._socket.connect((LOOPBACK, port))
        self._socket.sendall(f"GET /api/v1/changes{query} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        self._taken = b""

    def line(self) -> str:
        """The next line that is part of an event or of the head; the sizes of chunks are not."""
        while True:
            while b"\n" not in self._taken:
                received = self._socket.recv(65536)
                if not received:
                    raise EOFError(self._taken)
                self._taken += received
            line, _, self._taken = self._taken.partition(b"\n")
            text = line.decode().rstrip("\r")
            if text and not re.fullmatch("[0-9a-f]+", text):
                return text

    def event(self) -> tuple[str, int]:
        """The next scope and version."""
        while not (line := self.line()).startswith("data: "):
            pass
        found = json.loads(line.removeprefix("data: "))
        return found["scope"], found["version"]

    def ends(self) -> bool:
        try:
            while True:
                self.line()
        except (EOFError, ConnectionError):
            return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as found:
        yield found


@pytest.fixture
def watched(stack: ExitStack, tmp_path: Path) -> Watched:
    return Watched(stack, tmp_path)


def test_a_client_gets_the_version_at_once_and_each_later_one(watched: Watched) -> None:
    watcher = watched.watch()

    assert watcher.event() == ("all", 1)
    for version in (2, 3):
        watched.changes.report(frozenset({"job-1"}))
        assert watcher.event() == ("all", version)


def test_a_scope_of_a_job_hears_only_of_that_job(watched: Watched) -> None:
    watcher, every = watched.watch("?scope=job/job-1&scope=job/job-2"), watched.watch()
    assert {watcher.event(), watcher.event()} == {("job/job-1", 1), ("job/job-2", 1)}
    assert every.event() == ("all", 1)

    for version, jobs in ((2, {"job-3"}), (3, {"job-2", *(f"other-{number}" for number in range(9))})):
        watched.changes.report(frozenset(jobs))
        assert every.event() == ("all", version)
    assert watcher.event() == ("job/job-2", 3)
    watched.changes.report(None)
    assert {watcher.event(), watcher.event()} == {("job/job-1", 4), ("job/job-2", 4)}


def test_changes_within_an_interval_are_one_version(stack: ExitStack, tmp_path: Path) -> None:
    watched = Watched(stack, tmp_path, interval=0.3)
    watcher = watched.watch()
    assert watcher.event() == ("all", 1)
    watched.changes.report(frozenset())
    assert watcher.event() == ("all", 2)
    for _ in range(100):
        watched.changes.report(frozenset({"job-1"}))

    assert watcher.event() == ("all", 3)
    assert watched.live.version == 3


def test_who_asks_because_of_a_version_sees_what_made_it(watched: Watched) -> None:
    watcher = watched.watch()
    assert watcher.event() == ("all", 1)
    tag = watched.client.get("/api/v1/version").headers["etag"]
    watched.changes.report(None)
    assert watcher.event() == ("all", 2)

    assert watched.client.get("/api/v1/version", If_None_Match=tag).status == 304


def test_the_head_says_that_it_is_a_stream_which_nothing_keeps(watched: Watched) -> None:
    watcher = watched.watch()
    head = [watcher.line() for _ in range(12)]

    assert head[0] == "HTTP/1.1 200 OK"
    assert {"content-type: text/event-stream", "cache-control: no-store", "x-accel-buffering: no"} <= set(head)
    assert any(re.fullmatch("retry: [123][0-9]{3}", line) for line in [*head, watcher.line()])


def test_a_quiet_stream_has_heartbeats(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(changes_api, "HEARTBEAT_SECONDS", 0.05)
    watcher = watched.watch()
    watcher.event()

    assert [watcher.line(), watcher.line()] == [":", ":"]


def test_who_has_gone_waits_no_longer(watched: Watched) -> None:
    for _ in range(3):
        watcher = watched.watch("?scope=job/a&scope=all&scope=all")
        watcher.event()
        watcher.close()
    wait_until(lambda: watched.live.clients == 0)


def test_more_clients_than_may_wait_are_sent_away(stack: ExitStack, tmp_path: Path) -> None:
    watched = Watched(stack, tmp_path, most=1)
    watcher = watched.watch()
    watcher.event()
    answer = watched.client.get("/api/v1/changes")

    assert (answer.status, answer.code, answer.headers["retry-after"]) == (503, "too-many-clients", "5")
    watcher.close()
    wait_until(lambda: watched.live.clients == 0)
    assert watched.watch().event() == ("all", 1)


def test_a_slow_reader_is_dropped_and_gets_everything_when_it_comes_back(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes_api, "PATIENCE_SECONDS", 0.1)
    monkeypatch.setattr(watched.live, "_interval", 0)
    scopes = "&".join(f"scope=job/{number:0200}" for number in range(50))
    slow, other = watched.watch(f"?{scopes}", buffer=4096), watched.watch()
    other.event()
    wait_until(lambda: watched.live.clients == 2)

    def is_dropped() -> bool:
        watched.changes.report(None)
        return watched.live.clients == 1

    wait_until(is_dropped)
    assert slow.ends()
    back = watched.watch(f"?{scopes}")
    versions = dict(back.event() for _ in range(50))
    assert len(versions) == 50
    assert min(versions.values()) > 1
    other.event()


def test_stopping_ends_all_streams(watched: Watched) -> None:
    watcher = watched.watch()
    watcher.event()
    stopping = threading.Thread(target=watched.server.close)
    stopping.start()

    assert watcher.ends()
    stopping.join(3)
    assert not stopping.is_alive()


@pytest.mark.parametrize("scope", ["everything", "job/", "", "node/a", "ALL"])
def test_a_scope_that_is_none_is_refused(watched: Watched, scope: str) -> None:
    answer = watched.client.get(f"/api/v1/changes?scope={scope}")

    assert (answer.status, answer.code) == (400, "unknown-scope")
    assert answer.json["errors"][0]["fix"] == "write all, or job/ and the id of a job"


def test_too_many_scopes_are_refused(watched: Watched) -> None:
    answer = watched.client.get("/api/v1/changes?" + "&".join(["scope=all"] * 51))

    assert (answer.status, answer.code) == (400, "invalid-request")


def test_a_connection_on_which_nothing_is_asked_is_closed(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection_api, "SILENT_SECONDS", 0.05)
    for sent in (b"", b"GET / HTTP/1.1\r\nHo"):
        with closing(socket.create_connection((LOOPBACK, watched.server.port), timeout=10)) as silent:
            silent.sendall(sent)
            with suppress(ConnectionResetError):
                assert silent.recv(1) == b""


def test_a_connection_on_which_a_further_request_does_not_end_is_closed(
    watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_api, "SILENT_SECONDS", 0.2)
    with closing(socket.create_connection((LOOPBACK, watched.server.port), timeout=10)) as silent:
        silent.sendall(b"GET /api/v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += silent.recv(4096)
        silent.sendall(b"GET / HTTP/1.1\r\nHo")
        with suppress(ConnectionResetError):
            assert silent.recv(1) == b""


def test_a_client_that_has_gone_before_its_stream_begins_breaks_nothing() -> None:
    sent: list[Message] = []

    async def gone() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        sent.append(message)

    async def watch() -> None:
        ours, theirs = socket.socketpair()
        with closing(theirs):
            transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=ours)
            transport.abort()
            await asyncio.sleep(0)  # closes the socket
            stream = changes_api.EventStream(Live(Changes(), first=1), ["all"])
            await stream({"type": "http", "state": {"transport": transport}}, gone, send)

    asyncio.run(watch())

    assert (sent[0]["status"], sent[-1]["more_body"]) == (200, False)


def test_changes_before_and_after_the_server_break_nothing(stack: ExitStack, tmp_path: Path) -> None:
    early = Changes()
    live = Live(early, interval=INTERVAL, first=1)
    early.report(None)
    watched = Watched(stack, tmp_path)
    watched.server.close()
    watched.changes.report(None)

    assert (live.version, watched.live.version) == (1, 1)


@pytest.mark.parametrize("query", re.findall(r"^    curl -N '.*/api/v1/changes(.*)'$", PAGE.read_text(), re.MULTILINE))
def test_the_streams_of_the_documentation_have_events(watched: Watched, query: str) -> None:
    assert watched.watch(query).event() == ("all", 1)
