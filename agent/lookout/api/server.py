"""Serves the application with uvicorn, in a thread of its own."""

import asyncio
import resource
import socket
from collections.abc import Callable
from contextlib import suppress
from http import HTTPStatus
from threading import Event, Thread
from types import TracebackType
from typing import Final, Self

import structlog
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from agent.lookout.api.connection import LONGEST_HEAD, Connection
from agent.lookout.api.problems import RETRY_SECONDS, Problem, Sending

_log = structlog.get_logger(__name__)

_BACKLOG: Final = 2048
_DESCRIPTORS: Final = 4096
"""Of the process: for the clients that wait for changes, and as many more."""
_GRACE_SECONDS: Final = 5
"""How long requests may go on after the server was asked to stop."""


class ApiServer:
    """Listens from construction on, and answers from ``serve`` on. Port 0 takes a free one; see ``port``."""

    def __init__(self, host: str, port: int) -> None:
        """Raise OSError where the address cannot be listened on."""
        _allow_many_connections()
        self._socket = _listening(host, port)
        self.port: Final = int(self._socket.getsockname()[1])
        self._server: _Server | None = None
        self._thread: Thread | None = None
        self._ending: Callable[[], None] = lambda: None

    def serve(self, app: ASGIApp, *, ending: Callable[[], None] = lambda: None) -> None:
        """Start to answer; returns when it does. ``ending`` is called when it stops, to end what does not by itself.

        Raises RuntimeError if the application does not start.
        """
        self._ending = ending
        self._server = _Server(_config(app))
        self._thread = Thread(target=self._server.run_until_end, args=(self._socket,), name="api", daemon=True)
        self._thread.start()
        self._server.serving.wait()
        if not self._server.started:
            raise RuntimeError("the API did not start; the log says why")

    def problem(self) -> str | None:
        """For liveness: only a restart brings back a thread that has ended."""
        running = self._thread is not None and self._thread.is_alive()
        return None if running else "the api thread has ended"

    def close(self) -> None:
        """Let requests finish, and end the thread."""
        if self._server is not None and self._thread is not None and self._thread.is_alive():
            self._ending()
            self._server.should_exit = True
            self._thread.join()
        self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()


class _Server(uvicorn.Server):
    """Says when it serves. uvicorn handles signals in the main thread only, so here it handles none."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.serving: Final = Event()

    def run_until_end(self, listening: socket.socket) -> None:
        with suppress(SystemExit):  # uvicorn's, if it does not start; it has logged why
            self.run([listening])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await super().startup(sockets)
        finally:
            self.serving.set()


class _Unfinished:
    """Answers requests that have not ended when the server does: uvicorn cancels them, and logs each as a failure."""

    def __init__(self, app: ASGIApp) -> None:
        self._app: Final = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = Sending(send)
        try:
            await self._app(scope, receive, sending)
        except asyncio.CancelledError:
            if scope["type"] != "http":
                raise
            method, path = scope["method"], scope["path"]
            _log.warning("a request did not end before the API stopped", method=method, path=path)
            if not sending.started:
                await _stopping().response()(scope, receive, send)


def _stopping() -> Problem:
    headers = {"Retry-After": str(RETRY_SECONDS)}
    detail = f"the server stopped before this request had ended; ask again in {RETRY_SECONDS} s"
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "stopping", detail, headers=headers)


def _config(app: ASGIApp) -> uvicorn.Config:
    return uvicorn.Config(
        _Unfinished(app),
        http=Connection,
        h11_max_incomplete_event_size=LONGEST_HEAD,
        ws="none",
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=_BACKLOG,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )


def _allow_many_connections() -> None:
    """Each connection needs a descriptor, and many systems allow a process 1,024 unless it asks for more."""
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _DESCRIPTORS if most == resource.RLIM_INFINITY else min(_DESCRIPTORS, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Unless the protocol is named, asyncio leaves on what delays the second part of a response by 40 ms (Nagle).
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        what = f"the API cannot be served on {host} port {port}: {error.strerror}"
        raise OSError(f"{what}; change api.host or api.port, or set api.enabled to false") from error
    return listening
