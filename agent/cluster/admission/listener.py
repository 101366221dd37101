"""Accepts connections to the webhook, no more than a number of them at a time, and makes room for new ones.

TLS needs 256 KiB for each connection, so their number bounds the memory. Where it is reached, a connection that nobody
has used for a second makes room; if there is none, new ones wait in the queue of the system.
"""

import asyncio
import socket
import ssl
from collections.abc import Callable
from typing import Final

import structlog
from aiohttp import web

from agent.cluster.admission.connection import Connection
from agent.telemetry import admission_metrics as metrics
from agent.telemetry.repetition import Repetition

_log = structlog.get_logger(__name__)

MOST_CONNECTIONS: Final = 128
"""Connections at a time. Each API server keeps at most 25 that are idle."""

HANDSHAKE_SECONDS: Final = 2.0
_SHUTDOWN_SECONDS: Final = 1.0
_SURELY_IDLE_SECONDS: Final = 1.0
"""Nobody uses a connection that was idle for this time: one that was just answered may be asked again any moment."""

_LOOK_SECONDS: Final = 0.1
_RETRY_SECONDS: Final = 1.0
_QUEUE: Final = 1024
"""Connections that wait in the system, as far as it allows."""


def listen(host: str, port: int) -> socket.socket:
    """Open the port. Raises OSError, whose text names the settings to change."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        listening = socket.create_server((host, port), family=family, backlog=_QUEUE)
    except OSError as error:
        what = f"the admission webhook cannot be served on {host}:{port}"
        raise OSError(f"{what}: {error.strerror}; change admission.host or admission.port") from error
    listening.setblocking(False)
    return listening


class Listener:
    """Accepts connections for ``manager``, each with the TLS ``context`` of that moment."""

    def __init__(self, listening: socket.socket, *, context: Callable[[], ssl.SSLContext], manager: web.Server) -> None:
        self._listening = listening
        self._context = context
        self._manager = manager
        self._open: dict[asyncio.Task[None], Connection] = {}
        self._repetition = Repetition()

    async def run(self) -> None:
        """Accept until cancelled, then close all."""
        try:
            while True:
                if (accepted := await self._accept()) is not None:
                    await self._make_room()
                    self._start(accepted)
        finally:
            self._listening.close()
            await _cancel(*self._open)

    async def _accept(self) -> socket.socket | None:
        """The next connection; ``None`` where the system has no room for one."""
        try:
            accepted, _ = await asyncio.get_running_loop().sock_accept(self._listening)
        except OSError as error:
            if self._repetition.is_due(str(error)):
                _log.warning("no connection to the webhook can be accepted; will try again", error=str(error))
            await asyncio.sleep(_RETRY_SECONDS)
            return None
        self._repetition.over()
        return accepted

    async def _make_room(self) -> None:
        while len(self._open) >= MOST_CONNECTIONS:
            now = asyncio.get_running_loop().time()
            oldest = max(self._open, key=lambda task: self._open[task].idle(now))
            if self._open[oldest].idle(now) > _SURELY_IDLE_SECONDS:
                await _cancel(oldest)
            else:
                await asyncio.wait(self._open, timeout=_LOOK_SECONDS, return_when=asyncio.FIRST_COMPLETED)

    def _start(self, accepted: socket.socket) -> None:
        connection = Connection(self._manager, loop=asyncio.get_running_loop())
        task = asyncio.create_task(self._serve(accepted, connection), name="admission connection")
        self._open[task] = connection
        metrics.CONNECTIONS.set(len(self._open))
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        del self._open[task]
        metrics.CONNECTIONS.set(len(self._open))

    async def _serve(self, accepted: socket.socket, connection: Connection) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection,
                accepted,
                ssl=self._context(),
                ssl_handshake_timeout=HANDSHAKE_SECONDS,
                ssl_shutdown_timeout=_SHUTDOWN_SECONDS,
            )
            await connection.closed.wait()
        except OSError as error:
            metrics.REFUSED.labels(metrics.Refused.HANDSHAKE).inc()
            _log.debug("no TLS connection to the webhook", error=str(error))
        finally:
            connection.abort()


async def _cancel(*tasks: asyncio.Task[None]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
