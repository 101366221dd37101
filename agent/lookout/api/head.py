"""HEAD: what GET answers, without the body (RFC 9110, 9.3.2)."""

from collections.abc import Collection, Sequence

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Head:
    """Asks for GET whenever a client asks for HEAD, and ends the response after its headers.

    All that is inside sees GET only: what guards it, and what shares its answers, holds for both.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                await send(message)
                # From now on the server says that the client has gone, at which streams end.
                await send({"type": "http.response.body", "body": b"", "more_body": False})

        await self._app({**scope, "method": "GET"}, receive, sending)


def with_head(methods: Collection[str]) -> Sequence[str]:
    """The methods of a path as ``Allow`` lists them: HEAD is one wherever GET is."""
    return sorted({*methods, "HEAD"} if "GET" in methods else methods)
