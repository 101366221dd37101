"""Clients that watch a Lookout for changes, each on a raw socket, in a process of their own.

The first line on its input is JSON with a port and a number of clients; it answers when each has its first event. The
next has a number of seconds; it answers with the times at which each client got events meanwhile, by the clock that
all processes of a machine share (CLOCK_MONOTONIC).
"""

import json
import resource
import selectors
import socket
import sys
import time
from typing import Final

_REQUEST: Final = b"GET /api/v1/changes HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
_EVENT: Final = b"data: "
_PATIENCE_SECONDS: Final = 60.0


class Watchers:
    """Open streams."""

    def __init__(self, port: int, clients: int) -> None:
        self._selector = selectors.DefaultSelector()
        self._times: list[list[float]] = []
        for number in range(clients):
            connection = socket.create_connection(("127.0.0.1", port), timeout=_PATIENCE_SECONDS)
            connection.sendall(_REQUEST)
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ, number)
            self._times.append([])

    def wait_for_first(self) -> None:
        """Raises TimeoutError if a client gets no event."""
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while not all(self._times):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{sum(not times for times in self._times)} clients got no event")
            self._read(0.1)

    def watch(self, seconds: float) -> list[list[float]]:
        """The times of the events that come from now on, by client."""
        for times in self._times:
            times.clear()
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self._read(left)
        return self._times

    def _read(self, seconds: float) -> None:
        """Raises ConnectionError if a stream ends."""
        for key, _ in self._selector.select(seconds):
            connection = key.fileobj
            assert isinstance(connection, socket.socket)  # noqa: S101 - what was registered
            received = connection.recv(65536)
            if not received:
                raise ConnectionError(f"the stream of client {key.data} ended")
            if _EVENT in received:
                self._times[key.data].append(time.monotonic())


def main() -> None:
    """Answer both lines."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    asked = json.loads(sys.stdin.readline())
    watchers = Watchers(asked["port"], asked["clients"])
    watchers.wait_for_first()
    print(json.dumps(asked), flush=True)
    seconds = json.loads(sys.stdin.readline())
    print(json.dumps(watchers.watch(seconds)), flush=True)


if __name__ == "__main__":
    main()
