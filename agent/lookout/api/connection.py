"""A connection of the server: uvicorn's, with limits that it does not have."""

import asyncio
from typing import Final

import h11
from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

SILENT_SECONDS: Final = 10.0
"""How long a client may take to send the headers of a request, of its first one from when it connects."""

_TRANSPORT: Final = "transport"


class Connection(H11Protocol):
    """Closes if no request comes, and lends its transport to requests: what a client does not take can be dropped."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.app_state = {**self.app_state, _TRANSPORT: transport}
        self._silence = self.loop.call_later(SILENT_SECONDS, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        self._silence.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._silence.cancel()
        elif self._silence.cancelled():  # a further request has begun, which ends what the server waits for by itself
            self._silence = self.loop.call_later(SILENT_SECONDS, self.transport.abort)


def transport_of(scope: Scope) -> asyncio.Transport:
    """The transport of a request."""
    found: asyncio.Transport = scope["state"][_TRANSPORT]
    return found
