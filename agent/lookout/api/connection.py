"""A connection of the server: uvicorn's, with limits that it does not have."""

import asyncio
from http import HTTPStatus
from typing import Final

import h11
from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from agent.lookout.api.guard import DATA
from agent.lookout.api.problems import Problem
from agent.lookout.api.readable import headers_of_page, page_of

SILENT_SECONDS: Final = 10.0
"""How long a client may take to send the headers of a request, of its first one from when it connects."""

LONGEST_HEAD: Final = 64 << 10
"""Bytes of the address and the headers of a request, if they come in parts."""

_LINGER_SECONDS: Final = 2.0
"""How long the rest of a request that is refused is taken: who still sends does not read what was answered."""

_TRANSPORT: Final = "transport"


class Connection(H11Protocol):
    """Closes if no request comes, and lends its transport to requests: what a client does not take can be dropped."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(transport)
        self.app_state = {**self.app_state, _TRANSPORT: transport}
        self._silence = self.loop.call_later(SILENT_SECONDS, transport.abort)
        self._is_refused = False

    def connection_lost(self, exc: Exception | None) -> None:
        self._silence.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._silence.cancel()
        elif self._silence.cancelled():  # a further request has begun, which ends what the server waits for by itself
            self._silence = self.loop.call_later(SILENT_SECONDS, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no request, or one that is too long to be read."""
        head = self.conn.trailing_data[0]
        if len(head) <= LONGEST_HEAD:
            super().send_400_response(msg)
            return
        self._is_refused = True
        self.transport.write(_refusal(bytes(head)))
        self.transport.write_eof()
        self._silence.cancel()
        self._silence = self.loop.call_later(_LINGER_SECONDS, self.transport.abort)


def _refusal(head: bytes) -> bytes:
    """The whole response to a request that begins so: a page where pages are, otherwise a problem."""
    problem = _too_long(head)
    method, _, target = head.partition(b" ")
    if method in {b"GET", b"HEAD"} and target.startswith(b"/") and not target.startswith(DATA.encode()):
        body = page_of(problem.body())
        headers = headers_of_page(len(body))
    else:
        response = problem.response()
        body, headers = bytes(response.body), dict(response.headers)
    lines = [f"HTTP/1.1 {problem.status.value} {problem.status.phrase}", "Connection: close"]
    lines += [f"{name}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "\r\n"]).encode() + (b"" if method == b"HEAD" else body)


def _too_long(head: bytes) -> Problem:
    size = f"{LONGEST_HEAD >> 10} KiB"
    if b"\r\n" not in head:
        detail = f"the address is longer than {size}; filter by fewer values"
        return Problem(HTTPStatus.REQUEST_URI_TOO_LONG, "address-too-long", detail)
    detail = f"the headers are longer than {size}; in a browser, delete the cookies of this server's name"
    return Problem(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "headers-too-long", detail)


def transport_of(scope: Scope) -> asyncio.Transport:
    """The transport of a request."""
    found: asyncio.Transport = scope["state"][_TRANSPORT]
    return found
