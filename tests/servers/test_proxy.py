"""The network is broken in the ways it is told to be, and in no other."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from tests.servers.patience import until
from tests.servers.proxy import Direction, TcpProxy

StartProxy = Callable[[int], TcpProxy]


def echo(listening: socket.socket) -> None:
    """Send back what comes, in one thread a connection, until the listening socket is closed."""

    def serve(accepted: socket.socket) -> None:
        with accepted:
            try:
                while piece := accepted.recv(1000):
                    accepted.sendall(piece)
                accepted.sendall(b"bye")
            except ConnectionError:
                return

    while True:
        try:
            accepted, _ = listening.accept()
        except OSError:
            return
        threading.Thread(target=serve, args=(accepted,)).start()


@pytest.fixture
def echo_port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=echo, args=(listening,))
        serving.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
    serving.join()


@pytest.fixture
def proxy(start_proxy: StartProxy, echo_port: int) -> TcpProxy:
    return start_proxy(echo_port)


@pytest.fixture
def client(proxy: TcpProxy) -> Iterator[socket.socket]:
    with closing(connect(proxy)) as connected:
        assert answered(connected, b"hello") == b"hello"
        yield connected


def connect(proxy: TcpProxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=30)


def answered(connected: socket.socket, question: bytes) -> bytes:
    connected.sendall(question)
    return received(connected, len(question))


def received(connected: socket.socket, count: int) -> bytes:
    found = b""
    while len(found) < count and (piece := connected.recv(count - len(found))):
        found += piece
    return found


def is_silent(connected: socket.socket) -> bool:
    connected.settimeout(0.2)
    try:
        return not connected.recv(1)
    except TimeoutError:
        return True
    finally:
        connected.settimeout(30)


def test_it_passes_on_what_it_gets(client: socket.socket) -> None:
    much = bytes(range(256)) * 2000
    threading.Thread(target=client.sendall, args=(much,)).start()

    assert received(client, len(much)) == much


def test_an_end_is_passed_on_and_what_comes_after_it_too(proxy: TcpProxy, client: socket.socket) -> None:
    client.shutdown(socket.SHUT_WR)

    assert received(client, 100) == b"bye"
    until(lambda: proxy.connections == 0, "closed")


def test_cut_connections_are_reset_and_new_ones_accepted(proxy: TcpProxy, client: socket.socket) -> None:
    proxy.cut()

    assert proxy.connections == 0
    with pytest.raises(ConnectionResetError):
        client.recv(1)
    with closing(connect(proxy)) as again:
        assert answered(again, b"again") == b"again"
    assert proxy.accepted == 2


def test_refused_until_it_is_mended(proxy: TcpProxy, client: socket.socket) -> None:
    proxy.refuse()
    with pytest.raises(ConnectionRefusedError):
        connect(proxy)
    assert answered(client, b"still") == b"still"

    proxy.mend()

    with closing(connect(proxy)) as again:
        assert answered(again, b"again") == b"again"


@pytest.mark.parametrize("directions", [(), (Direction.REQUESTS,), (Direction.ANSWERS,)])
def test_what_is_stalled_arrives_when_it_is_mended(
    proxy: TcpProxy, client: socket.socket, directions: tuple[Direction, ...]
) -> None:
    proxy.stall(*directions)
    client.sendall(b"late")
    assert is_silent(client)
    with closing(connect(proxy)) as new:
        new.sendall(b"new")
        assert is_silent(new)

        proxy.mend()

        assert received(new, 3) == b"new"
    assert received(client, 4) == b"late"


def test_what_is_stalled_is_lost_when_it_is_cut(proxy: TcpProxy, client: socket.socket) -> None:
    proxy.stall()
    client.sendall(b"lost")
    proxy.cut()
    proxy.mend()

    with pytest.raises(ConnectionResetError):
        client.recv(1)


@pytest.mark.slow
def test_a_delay_holds_back(proxy: TcpProxy, client: socket.socket) -> None:
    proxy.delay(1.0, Direction.ANSWERS)
    client.sendall(b"later")
    assert is_silent(client)
    assert received(client, 5) == b"later"


def test_a_half_closed_connection_goes_on_the_other_way(proxy: TcpProxy, client: socket.socket) -> None:
    proxy.half_close(Direction.REQUESTS)
    assert received(client, 100) == b"bye"


def test_a_client_is_told_by_the_servers_end_alone(proxy: TcpProxy, client: socket.socket) -> None:
    proxy.half_close(Direction.ANSWERS)

    assert received(client, 1) == b""
    client.sendall(b"heard by nobody")
    assert proxy.connections == 1


def test_a_server_that_is_not_there_resets(start_proxy: StartProxy) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        proxy = start_proxy(nobody.getsockname()[1])
        with pytest.raises(ConnectionResetError), closing(connect(proxy)) as connected:
            connected.recv(1)


def test_a_port_that_is_taken_is_an_error(echo_port: int) -> None:
    with pytest.raises(OSError, match="in use"), TcpProxy(1, port=echo_port):
        pass
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("proxy-")] == []
