"""``GET /changes``: a stream of events (SSE) that says which version of a scope there is, and nothing else."""

import asyncio
import random
import re
import socket
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
import structlog
from fastapi import APIRouter, Query
from pydantic import WithJsonSchema
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from agent.lookout.api.backend import Given
from agent.lookout.api.connection import transport_of
from agent.lookout.api.live import ALL, JOB, Live, LiveClient
from agent.lookout.api.problems import Fault, Problem, quoted
from agent.telemetry import lookout_metrics as metrics

_log = structlog.get_logger(__name__)

HEARTBEAT_SECONDS: Final = 15.0
"""After which a client on a quiet stream gets a comment, so that both sides notice when the other has gone."""
PATIENCE_SECONDS: Final = 10.0
"""How long a client may take nothing before its connection is closed. It connects again and gets all versions."""
MOST_SCOPES: Final = 50

_BUFFER: Final = 16 << 10
"""Bytes that may wait for a client, here and in the kernel: what is older than the latest version is of no use."""
_RETRY_MILLISECONDS: Final = (1_000, 3_000)
"""When a client connects again; each is given another time, so that they do not all come at once."""

router: Final = APIRouter(tags=["live"])

_TEXT: Final = "text/event-stream"
_DESCRIPTION: Final = (
    'A stream of server-sent events. Each has a scope and a version, as `{"scope":"all","version":7}`: the first '
    "ones at once, later ones when what the scope shows has changed, at most one a second. Another version than before "
    "means: ask again for what you show. Open the stream first, then ask."
)
_SCOPES: Final = re.compile(f"{ALL}|{JOB}.+", re.DOTALL)
_Scope = Annotated[str, WithJsonSchema({"type": "string", "pattern": f"^({ALL}|{JOB}.+)$"})]
_SCOPE: Final = Query(
    alias="scope",
    max_length=MOST_SCOPES,
    description="`all`, or `job/` and the id of a job; several times for several of them. The default is `all`.",
    examples=["all", "job/01J5Z"],
)


@router.get(
    "/changes",
    operation_id="watch_changes",
    summary="Watch for changes",
    description=_DESCRIPTION,
    response_class=Response,
    responses={
        200: {"description": "Events until either side ends.", "content": {_TEXT: {"schema": {"type": "string"}}}}
    },
)
async def changes(backend: Given, scopes: Annotated[tuple[_Scope, ...], _SCOPE] = (ALL,)) -> Response:
    """Watch for changes."""
    if faults := [_fault(scope) for scope in scopes if not _SCOPES.fullmatch(scope)]:
        raise Problem(HTTPStatus.BAD_REQUEST, "unknown-scope", faults[0].message, faults=faults)
    return EventStream(backend.live, scopes)


def _fault(scope: str) -> Fault:
    return Fault(
        parameter="scope", message=f"{quoted(scope)} is no scope", fix="write all, or job/ and the id of a job"
    )


class EventStream(Response):
    """The events of one client, until it goes or the server stops."""

    media_type = _TEXT

    def __init__(self, live: Live, scopes: Sequence[str]) -> None:
        self.init_headers({"X-Accel-Buffering": "no", "Content-Type": _TEXT})
        self.status_code = HTTPStatus.OK.value
        self.background = None
        self._live: Final = live
        self._scopes: Final = scopes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._live.joined(self._scopes) as client:
            transport = transport_of(scope)
            _keep_small(transport)
            gone = asyncio.ensure_future(_gone(receive))
            gone.add_done_callback(lambda _: client.woken.set())
            try:
                await self._stream(client, gone, send)
            except TimeoutError:
                metrics.LIVE_DROPPED.inc()
                _log.info("a client that took no changes was dropped", seconds=PATIENCE_SECONDS)
                transport.abort()
                await gone
            finally:
                gone.cancel()

    async def _stream(self, client: LiveClient, gone: "asyncio.Future[None]", send: Send) -> None:
        """Raises TimeoutError for a client that takes nothing."""
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        text = f"retry: {random.randint(*_RETRY_MILLISECONDS)}\n\n".encode()  # noqa: S311 - spreads clients
        while not gone.done() and not self._live.closing:
            text += _events(self._live.news(client))
            async with asyncio.timeout(PATIENCE_SECONDS):
                await send({"type": "http.response.body", "body": text, "more_body": True})
            text = await _woken(client)
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _woken(client: LiveClient) -> bytes:
    """Wait for something to say; a comment if there is nothing for long."""
    try:
        async with asyncio.timeout(HEARTBEAT_SECONDS):
            await client.woken.wait()
    except TimeoutError:
        return b":\n\n"
    client.woken.clear()
    return b""


def _events(versions: Mapping[str, int]) -> bytes:
    return b"".join(
        b"data: %b\n\n" % msgspec.json.encode({"scope": scope, "version": version})
        for scope, version in versions.items()
    )


async def _gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _keep_small(transport: asyncio.Transport) -> None:
    """Notice early that a client takes nothing, unless it has gone: then there is no socket."""
    if transport.is_closing():
        return
    transport.set_write_buffer_limits(high=_BUFFER)
    connection: Any = transport.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _BUFFER)
