"""``Server-Timing``: how long a request took, and how much of it in the database."""

import time

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.lookout.spent import SPENT, Spent


class Timing:
    """Adds the header to every response. Threads that work for a request share its ``Spent``."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        spent, began = Spent(), time.perf_counter()
        SPENT.set(spent)

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                header = _header(database=spent.database, whole=time.perf_counter() - began)
                MutableHeaders(scope=message).append("Server-Timing", header)
            await send(message)

        await self._app(scope, receive, sending)


def _header(*, database: float, whole: float) -> str:
    return f"db;dur={database * 1000:.1f}, app;dur={max(0.0, whole - database) * 1000:.1f}"
