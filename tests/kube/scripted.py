"""An API server that answers with the lines of a test, and counts requests."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.simulator.api import Json

ASKS = "sendInitialEvents"


@dataclass(slots=True, kw_only=True)
class Scripted:
    """``streams``: the lines of each watch, one after the other; the last watch stays open. Lists are empty."""

    streams: list[bytes]
    streamed: bool = True
    watches: list[dict[str, str]] = field(default_factory=list)
    lists: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0

    async def answer(self, request: web.Request) -> web.StreamResponse:
        query = dict(request.query)
        if "watch" not in query:
            self.lists.append(query)
            return web.json_response({"kind": "PodList", "metadata": {"resourceVersion": "1"}, "items": []})
        self.watches.append(query)
        if ASKS in query and not self.streamed:
            return web.json_response({"kind": "Status", "code": 422, "message": "forbidden"}, status=422)
        response = web.StreamResponse()
        await response.prepare(request)
        number = min(len(self.watches), len(self.streams)) - 1
        await self._say(response, self.streams[number])
        if len(self.watches) >= len(self.streams):
            await asyncio.sleep(60)
        return response

    async def _say(self, response: web.StreamResponse, text: bytes) -> None:
        for line in text.splitlines(keepends=True):
            await response.write(line)
            self.sent += len(line)


@asynccontextmanager
async def serving(handler: Callable[[web.Request], object]) -> AsyncIterator[str]:
    """The address of a server with these answers."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)  # type: ignore[arg-type]  # any kind of handler
    runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def line(kind: str, name: str, *, uid: str = "", version: int, **status: object) -> bytes:
    """A watch event about a pod; its uid is its name by default."""
    metadata = {"name": name, "namespace": "default", "uid": uid or name, "resourceVersion": str(version)}
    return _line(kind, {"metadata": metadata, "status": status})


def bookmark(version: int, *, ends_list: bool = False) -> bytes:
    """A bookmark."""
    notes = {"annotations": {"k8s.io/initial-events-end": "true"}} if ends_list else {}
    return _line("BOOKMARK", {"metadata": {"resourceVersion": str(version), **notes}})


def _line(kind: str, thing: Json) -> bytes:
    return json.dumps({"type": kind, "object": thing}, ensure_ascii=False).encode() + b"\n"
