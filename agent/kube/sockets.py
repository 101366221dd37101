"""The sockets to an API server, so that all of them are closed when the connection is.

aiohttp closes those that are idle or in use, and waits. It does not wait for one whose TLS is being shut down: of a
watch that was left, or of a request that was cancelled or took too long. That lasts until the server answers.
"""

import asyncio
import socket
import ssl
from contextlib import suppress
from typing import Final
from weakref import WeakSet

import aiohttp

_LOOK_SECONDS: Final = 0.01
_SECONDS: Final = 1.0
"""How long closing takes at most: one that still connects cannot be cut."""


class Sockets:
    """The sockets that are open, of all its connectors."""

    def __init__(self) -> None:
        self._connectors: WeakSet[aiohttp.TCPConnector] = WeakSet()
        self._opened: WeakSet[socket.socket] = WeakSet()

    def connector(self, *, limit: int, tls: ssl.SSLContext, reuse: bool = True) -> aiohttp.TCPConnector:
        """What opens at most ``limit`` sockets at a time (0: any number). Call it on the event loop."""
        made = aiohttp.TCPConnector(limit=limit, ssl=tls, force_close=not reuse, socket_factory=self._open)
        self._connectors.add(made)
        return made

    def _left(self) -> list[socket.socket]:
        """Those that are open now."""
        return [opened for opened in self._opened if opened.fileno() != -1]

    async def close(self) -> None:
        """Close the connectors, cut what is left then, and wait until the event loop has closed it."""
        for connector in list(self._connectors):
            await connector.close()
        loop = asyncio.get_running_loop()
        until = loop.time() + _SECONDS
        while (left := self._left()) and loop.time() < until:
            for opened in left:
                with suppress(OSError):  # it is not connected yet, or no longer
                    opened.shutdown(socket.SHUT_RDWR)
            await asyncio.sleep(_LOOK_SECONDS)

    def _open(self, address: aiohttp.AddrInfoType) -> socket.socket:
        family, kind, protocol, _, _ = address
        opened = socket.socket(family, kind, protocol)
        self._opened.add(opened)
        return opened
