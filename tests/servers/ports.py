"""Ports that are free, and that no client gets by chance as the near end of a connection.

A server that is killed and started again needs its port back. Were it one of those the kernel hands out, a client that
tries to connect meanwhile could be given it, and would even be connected to itself. Nor does another test's server take
it in the seconds before its own listens, or while it is down: a port is its process's until that ends.
"""

import os
import secrets
import socket
import tempfile
from fcntl import LOCK_EX, LOCK_NB, lockf
from functools import cache
from pathlib import Path
from typing import Final

HANDED_OUT: Final = Path("/proc/sys/net/ipv4/ip_local_port_range")
_FIRST, _LAST = 10_000, 60_999


_ours: Final[set[int]] = set()


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 on which nothing listens now, and that no process of this user was given that lives still."""
    low, high = map(int, HANDED_OUT.read_text(encoding="ascii").split())
    found: list[int] = []
    for port in _shuffled(candidates(low, high)):
        if _is_free(port) and _becomes_ours(port):
            found.append(port)
        if len(found) == count:
            return found
    raise OSError(f"127.0.0.1 has no {count} free ports")


def candidates(low: int, high: int) -> list[int]:
    """Ports to choose from, where the kernel hands out those from ``low`` to ``high``: other ones if there are any."""
    others = [port for port in range(_FIRST, _LAST + 1) if not low <= port <= high]
    return others or list(range(_FIRST, _LAST + 1))


def _shuffled(ports: list[int]) -> list[int]:
    return secrets.SystemRandom().sample(ports, len(ports))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _becomes_ours(port: int) -> bool:
    """Lock the byte that stands for the port, in a file that all processes of this user have."""
    if port in _ours:
        return False
    try:
        lockf(_book(), LOCK_EX | LOCK_NB, 1, port)
    except BlockingIOError:
        return False
    _ours.add(port)
    return True


@cache
def _book() -> int:
    """The file, which stays open: to close it once is to lose all locks on it (fcntl(2))."""
    name = Path(tempfile.gettempdir()) / f"failure-agent-ports-{os.getuid()}"
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
