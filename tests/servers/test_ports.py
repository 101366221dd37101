import socket

import pytest

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
    taken, free = free_ports(2)
    monkeypatch.setattr("tests.servers.ports.candidates", lambda *_: [taken, free])
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", taken))
        assert free_ports(1) == [free]
        with pytest.raises(OSError, match="no 2 free ports"):
            free_ports(2)
