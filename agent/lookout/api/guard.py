"""Keeps foreign web pages out: a browser on this machine reaches loopback, and runs what any site sends it.

A page of another site can send requests here, with forms or ``fetch``. It can read the answers only if its own name
leads here (DNS rebinding), or if the server permits it (CORS), which this one never does. So each request has to name a
host that is ours, and what browsers add about the page that asks (``Origin``, ``Sec-Fetch-Site``) has to say that the
page is ours as well; programs add neither. Bodies are JSON by their type, which no form has, and bounded.
"""

import asyncio
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.bounds import MAX_BYTES, TOO_LARGE
from agent.lookout.api.problems import Problem, quoted
from agent.settings.base import is_loopback

BODY_SECONDS: Final = 10.0
"""How long a client may take to send a body."""

LONGEST_QUERY: Final = 16 << 10
"""Bytes of a query string."""

DATA: Final = "/api/"
"""Below it is what other sites may not even link to: a link can carry a question that is slow to answer."""

_JSON: Final = "application/json"
_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_OURS: Final = frozenset({"same-origin", "none"})
"""What ``Sec-Fetch-Site`` is for our own pages, and for an address that a person typed."""

_AUTHORITY: Final = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([0-9A-Za-z._-]+))(?::([0-9]{1,5}))?")
_ORIGIN: Final = re.compile(r"(https?)://(.+)", re.DOTALL)
_PORTS: Final = {"http": 80, "https": 443}

_RESPONSE_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
"""What each response says, unless it says otherwise."""


@dataclass(frozen=True, slots=True)
class Authority:
    """A host and, where one is written, a port."""

    host: str
    port: int | None

    @classmethod
    def parse(cls, text: str) -> "Authority | None":
        """As ``Host`` has it; ``None`` for anything else."""
        found = _AUTHORITY.fullmatch(text)
        if found is None:
            return None
        literal, name, port = found.groups()
        return cls(_normal(literal or name), int(port) if port else None)


def _normal(host: str) -> str:
    """One spelling of a name or an address."""
    try:
        return str(ip_address(host))
    except ValueError:
        return host.lower()


@dataclass(frozen=True, slots=True)
class AllowedHosts:
    """The names of this server: loopback, and those that the settings add."""

    names: frozenset[str]

    @classmethod
    def of(cls, added: Iterable[str]) -> "AllowedHosts":
        return cls(frozenset({"localhost", *map(_normal, added)}))

    def has(self, host: str) -> bool:
        return host in self.names or is_loopback(host)


def refusal(method: str, path: str, headers: Headers, allowed: AllowedHosts) -> Problem | None:
    """Why a request is refused before anything of it is read; ``None`` if it is not."""
    named = headers.getlist("host")
    ours = Authority.parse(named[0]) if len(named) == 1 else None
    if ours is None or not allowed.has(ours.host):
        return _foreign_host(named)
    if not all(_is_same(origin, ours) for origin in headers.getlist("origin")):
        return _foreign_page(f"a page of {quoted(headers['origin'])}")
    if not _OURS.issuperset(headers.getlist("sec-fetch-site")) and not _opens_a_page(method, path, headers):
        return _foreign_page(f"a page that the browser calls {quoted(headers['sec-fetch-site'])}")
    return None


def not_json(method: str, headers: Headers) -> Problem | None:
    """Why the body of a request is not read; ``None`` if it is, or if there is none."""
    if (method not in _WITH_BODY and not _has_body(headers)) or _is_json(headers.getlist("content-type")):
        return None
    detail = f"a body is JSON: send it with the header Content-Type: {_JSON}"
    return Problem(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "not-json", detail)


def _is_answered(scope: Scope) -> bool:
    """Whether something has this path and method."""
    routes: Sequence[BaseRoute] = scope["app"].routes
    return any(route.matches(scope)[0] is Match.FULL for route in routes)


def _opens_a_page(method: str, path: str, headers: Headers) -> bool:
    """Whether a person followed a link of another site. Our pages hold no data, and show in no frame."""
    navigates = (headers.get("sec-fetch-mode"), headers.get("sec-fetch-dest")) == ("navigate", "document")
    return navigates and method == "GET" and not path.startswith(DATA)


def _is_same(origin: str, ours: Authority) -> bool:
    """Whether a page is of this server. ``null`` is that of a sandbox or a file, which may be anybody's."""
    found = _ORIGIN.fullmatch(origin)
    theirs = None if found is None else Authority.parse(found[2])
    if found is None or theirs is None:
        return False
    usual = _PORTS[found[1]]
    return (theirs.host, theirs.port or usual) == (ours.host, ours.port or usual)


def _has_body(headers: Headers) -> bool:
    return "transfer-encoding" in headers or headers.get("content-length", "0") != "0"


def _is_json(types: Sequence[str]) -> bool:
    return bool(types) and all(text.partition(";")[0].strip().lower() == _JSON for text in types)


def _foreign_host(named: Sequence[str]) -> Problem:
    detail = (
        f"the header Host is {quoted(', '.join(named))}, which is not a name of this server; ask 127.0.0.1 or "
        "localhost, or add the name to api.allowedHosts"
    )
    return Problem(HTTPStatus.FORBIDDEN, "host-not-allowed", detail)


def _foreign_page(page: str) -> Problem:
    detail = f"{page} may not ask this server; only its own pages and programs may"
    return Problem(HTTPStatus.FORBIDDEN, "cross-site-request", detail)


class Guard:
    """Refuses what is not for this server, reads bodies up to a size, and adds security headers to each response."""

    def __init__(self, app: ASGIApp, allowed: AllowedHosts) -> None:
        self._app = app
        self._allowed = allowed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                _add_missing(MutableHeaders(scope=message), _RESPONSE_HEADERS)
            await send(message)

        try:
            body = await self._admitted(scope, receive)
        except Problem as problem:
            await problem.response()(scope, receive, sending)
            return
        await self._app(scope, _again(body, receive), sending)

    async def _admitted(self, scope: Scope, receive: Receive) -> bytes:
        """The body of a request that is not refused. Raises Problem."""
        headers = Headers(scope=scope)
        problem = refusal(scope["method"], scope["path"], headers, self._allowed) or _too_long(scope["query_string"])
        if problem is not None:
            raise problem
        problem = not_json(scope["method"], headers)
        if problem is None:
            return await _body(headers, receive)
        if _is_answered(scope):
            raise problem
        return b""  # that there is no such path or method is of more use


def _add_missing(headers: MutableHeaders, given: Mapping[str, str]) -> None:
    for name, value in given.items():
        headers.setdefault(name, value)


def _too_long(query: bytes) -> Problem | None:
    if len(query) <= LONGEST_QUERY:
        return None
    detail = f"the query is longer than {LONGEST_QUERY >> 10} KiB; filter by fewer values"
    return Problem(HTTPStatus.REQUEST_URI_TOO_LONG, "query-too-long", detail)


async def _body(headers: Headers, receive: Receive) -> bytes:
    """The whole body, so that no endpoint waits for a client that sends it slowly. Raises Problem."""
    if not _has_body(headers):
        return b""
    if int(headers.get("content-length", "0")) > MAX_BYTES:
        raise _too_large()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            return await _read(receive)
    except TimeoutError:
        detail = f"the body did not arrive within {BODY_SECONDS:g} s"
        raise Problem(HTTPStatus.REQUEST_TIMEOUT, "body-too-slow", detail) from None


async def _read(receive: Receive) -> bytes:
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Problem(HTTPStatus.BAD_REQUEST, "body-incomplete", "the connection ended before the body did")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > MAX_BYTES:
            raise _too_large()
        if not message.get("more_body", False):
            return b"".join(parts)


def _too_large() -> Problem:
    return Problem(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "body-too-large", f"the body is {TOO_LARGE}; send less at once")


def _again(body: bytes, receive: Receive) -> Receive:
    """What receives the body that was read, then what follows it: that the client has gone."""
    given = False

    async def receiving() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving
