"""A connection that is closed has no socket left, even to a server that does not answer any more."""

import asyncio
import gc
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import pytest

from agent.kube.connection import Connection
from agent.settings.kube import KubeSettings
from tests.servers.authority import Authority
from tests.servers.credential import Token, write_kubeconfig

BEGUN = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"


@dataclass(kw_only=True)
class Silent:
    """A server that begins to answer its client, then falls silent, so that it does not end TLS either."""

    begins: bytes
    tls: ssl.SSLContext
    asked: Event = field(default_factory=Event)
    over: Event = field(default_factory=Event)

    def __post_init__(self) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = self.listening.getsockname()[1]

    def serve(self) -> None:
        accepted, _ = self.listening.accept()
        with self.listening, self.tls.wrap_socket(accepted, server_side=True) as client:
            client.recv(1)
            client.sendall(self.begins)
            self.asked.set()
            self.over.wait()

    def left(self) -> int:
        """How many sockets of this process are connected to it."""
        return sum(type(found) is socket.socket and peer(found) == self.port for found in gc.get_objects())


def peer(of: socket.socket) -> int | None:
    """The port that it is connected to, if any."""
    try:
        return int(of.getpeername()[1]) if of.family == socket.AF_INET else None
    except OSError:
        return None


@contextmanager
def silent(authority: Authority, begins: bytes) -> Iterator[Silent]:
    credential, tls = authority.issue("silent"), ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(credential.certificate, credential.key)
    server = Silent(begins=begins, tls=tls)
    thread = Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.over.set()
        thread.join()


async def leave_a_watch(connection: Connection, server: Silent) -> None:
    async with connection.stream("/", {}, seconds=60, idle_seconds=60) as chunks:
        assert await anext(chunks) == b"{}"
    assert server.asked.wait(60)


async def cancel_a_request(connection: Connection, server: Silent) -> None:
    asking = asyncio.create_task(connection.get("/"))
    assert await asyncio.to_thread(server.asked.wait, 60)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)


@pytest.mark.parametrize(("begins", "use"), [(BEGUN, leave_a_watch), (b"", cancel_a_request)], ids=["watch", "request"])
async def test_nothing_is_left_of_a_watch_and_of_a_request_without_an_answer(
    tmp_path: Path, begins: bytes, use: Callable[[Connection, Silent], Awaitable[None]]
) -> None:
    authority = Authority(tmp_path)
    with silent(authority, begins) as server:
        file, url = tmp_path / "kubeconfig", f"https://127.0.0.1:{server.port}"
        write_kubeconfig(file, url=url, authority=authority.certificate, credential=Token("t"))
        async with await Connection.open(KubeSettings(kubeconfig=file)) as connection:
            await use(connection, server)
            before = server.left()
        after = server.left()

    assert (before, after) == (1, 0)
