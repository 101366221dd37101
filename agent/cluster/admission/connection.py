"""One HTTP connection to the webhook: since when a request arrives, and how long that may take."""

import asyncio
from typing import Final

import structlog
from aiohttp import web

from agent.telemetry import admission_metrics as metrics

_log = structlog.get_logger(__name__)

REQUEST_SECONDS: Final = 2.0
"""How long a request may take to arrive whole. The API server gives up after 1 s."""

_IDLE_SECONDS: Final = 120.0
"""How long a connection stays open without a request: more than the 90 s after which the API server closes it."""

_LINGERING_SECONDS: Final = 1.0
"""How long the rest of a refused request is read and dropped, so that its sender sees the answer."""


class Connection(web.RequestHandler):
    """An HTTP connection that is dropped when a request does not arrive in time."""

    def __init__(self, manager: web.Server, *, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(
            manager,
            loop=loop,
            keepalive_timeout=_IDLE_SECONDS,
            access_log=None,  # type: ignore[arg-type]  # it takes None, as its documentation says
            auto_decompress=False,  # some bytes may become gigabytes; the API server does not compress
            lingering_time=_LINGERING_SECONDS,
        )
        self.closed: Final = asyncio.Event()
        self._idle_since = loop.time()
        self._arrived: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def idle(self, now: float) -> float:
        """For how many seconds nothing was asked; 0 while a request arrives or is answered."""
        return 0.0 if self._arrived is not None else now - self._idle_since

    def begin(self) -> float:
        """A request arrives, or has arrived. Return the loop's time of its first byte."""
        if self._arrived is None:
            self._arrived = self._loop.time()
            self._timer = self._loop.call_later(REQUEST_SECONDS, self._drop)
        return self._arrived

    def end(self) -> None:
        """The request is answered."""
        if self._timer is not None:
            self._timer.cancel()
        self._arrived, self._timer, self._idle_since = None, None, self._loop.time()

    def abort(self) -> None:
        """Close it without waiting for the client."""
        if isinstance(self.transport, asyncio.WriteTransport):
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        if data:
            self.begin()
        super().data_received(data)

    def connection_lost(self, exc: BaseException | None) -> None:
        self.end()
        super().connection_lost(exc)
        self.closed.set()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer what is no HTTP, which comes from anybody, without a traceback in the log or the answer."""
        del message
        metrics.REFUSED.labels(metrics.Refused.HTTP).inc()
        _log.debug("no HTTP request", client=request.remote, status=status, error=str(exc))
        response = web.Response(status=status, text="not an HTTP request\n", headers={"Server": "failure-agent"})
        response.force_close()
        return response

    def _drop(self) -> None:
        metrics.REFUSED.labels(metrics.Refused.SLOW).inc()
        self.abort()
