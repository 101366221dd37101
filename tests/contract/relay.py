"""A relay between kubectl and the API server of a stage: plain HTTP on loopback, and a note of everything asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from aiohttp import web

from tests.contract.witness import Witness

_PASSED_ON: Final = ("Accept", "Content-Type")
_PASSED_BACK: Final = ("Content-Type", "Cache-Control")
_ANYBODYS: Final = ("hash", "timeout", "timeoutSeconds", "resourceVersion")
"""Parameters whose values differ from run to run."""


@dataclass(slots=True)
class Relay:
    """Sends what it is asked to ``server``; ``url`` is where it is asked, ``asked`` what it was asked."""

    server: Witness
    url: str = ""
    asked: list[str] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        headers = {name: request.headers[name] for name in _PASSED_ON if name in request.headers}
        url = f"{self.server.url}{request.rel_url}"
        async with self.server.session.request(
            request.method, url, headers=headers, data=await request.read() or None
        ) as answer:
            self.asked.append(_note(request, answer.status))
            back = {name: answer.headers[name] for name in _PASSED_BACK if name in answer.headers}
            response = web.StreamResponse(status=answer.status, headers=back)
            await response.prepare(request)
            async for chunk in answer.content.iter_any():
                await response.write(chunk)
        return response


def _note(request: web.Request, status: int) -> str:
    query = [f"{name}={_value(name, value)}" for name, value in sorted(request.query.items())]
    what = "?".join([request.path, *(["&".join(query)] if query else [])])
    forms = [each for each in ("as=Table", "as=APIGroupDiscoveryList") if each in request.headers.get("Accept", "")]
    sent = [request.content_type] if request.can_read_body else []
    return " ".join([request.method, what, *forms, *sent, f"-> {status}"])


def _value(name: str, value: str) -> str:
    if name in _ANYBODYS:
        return "..."
    return ",".join(sorted(value.split(","))) if name == "fieldSelector" else value  # Go's maps have no order


@asynccontextmanager
async def relaying(server: Witness) -> AsyncIterator[Relay]:
    """A relay to a server, as long as the context lasts."""
    relay = Relay(server)
    app = web.Application(client_max_size=4 << 20)
    app.router.add_route("*", "/{path:.*}", relay.answer)
    runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.2)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        relay.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        yield relay
    finally:
        await runner.cleanup()
