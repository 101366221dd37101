import socket
import sys

import pytest

from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.servers.ports import HANDED_OUT, candidates, free_ports


def test_free_ports_differ_and_can_be_taken() -> None:
    ports = free_ports(20)

    assert len(set(ports)) == 20
    for port in ports:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", port))


def test_the_kernel_hands_none_of_them_out() -> None:
    low, high = map(int, HANDED_OUT.read_text().split())
    if not set(range(10_000, 61_000)) - set(range(low, high + 1)):
        pytest.skip("here the kernel hands out all of them")

    assert [port for port in free_ports(50) if low <= port <= high] == []


@pytest.mark.parametrize(
    ("low", "high", "first", "last"),
    [(32768, 60999, 10_000, 32767), (10_000, 59_999, 60_000, 60_999), (1024, 65535, 10_000, 60_999)],
)
def test_others_are_chosen_where_there_are_others(low: int, high: int, first: int, last: int) -> None:
    chosen = candidates(low, high)

    assert (chosen[0], chosen[-1]) == (first, last)


def test_a_port_that_is_taken_is_not_free(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as released:
        ports = [each.getsockname()[1] for each in (taken, released)]
        monkeypatch.setattr("tests.servers.ports.candidates", lambda *_: ports)
        with pytest.raises(OSError, match="no 1 free ports"):
            free_ports(1)
        released.close()
        assert free_ports(1) == [ports[1]]


CHOOSE_AND_WAIT = """
import sys, tests.servers.ports as ports
ports.candidates = lambda *_: [int(each) for each in sys.argv[1:]]
print(*ports.free_ports(1), flush=True)
sys.stdin.read()
"""


@pytest.mark.slow
def test_a_port_belongs_to_the_process_that_chose_it_until_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    port = str(unused_port())
    monkeypatch.setattr("tests.servers.ports.candidates", lambda *_: [int(port)])
    command = [sys.executable, "-c", CHOOSE_AND_WAIT, port]
    with Child(command, cwd=ROOT, stdin=PIPE, stdout=PIPE) as other:
        assert other.line() == f"{port}\n"
        with pytest.raises(OSError, match="no 1 free ports"):
            free_ports(1)

    assert free_ports(1) == [int(port)]
    with pytest.raises(OSError, match="no 1 free ports"):
        free_ports(1)


def unused_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as released:
        return int(released.getsockname()[1])
