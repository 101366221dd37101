"""One answer for all who ask the same at the same time: computed once, and kept for a second.

After a change many clients ask for the same lists. What is kept has in its key what the caller may see and the version
of what is stored (``live``), so that nobody gets what another may see, or what was before the change.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from http import HTTPStatus
from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.lookout.api.backend import sight_of
from agent.lookout.api.live import Live

KEPT_SECONDS: Final = 1.0
MOST_BYTES: Final = 64 << 20
"""Of all answers that are kept."""

_WEAK: Final = "W/"
_NOT_IN_304: Final = (b"content-length", b"content-type")

_Key = tuple[int, str, str, bytes]


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole response. ``etag`` is that of a good one."""

    status: int
    headers: Sequence[tuple[bytes, bytes]]
    body: bytes
    etag: str | None

    @classmethod
    def of(cls, start: Message, body: bytes) -> "Answer":
        """What an application sent, with a tag if it is good."""
        if start["status"] != HTTPStatus.OK:
            return cls(start["status"], tuple(start["headers"]), body, None)
        headers = MutableHeaders(raw=list(start["headers"]))
        etag = f'{_WEAK}"{blake2b(body, digest_size=16).hexdigest()}"'
        headers["ETag"] = etag
        headers["Cache-Control"] = "private, no-cache"
        return cls(start["status"], tuple(headers.raw), body, etag)

    async def send(self, condition: str, send: Send) -> None:
        """Send it; without its body if that is the one which ``If-None-Match`` names."""
        if self.etag is not None and _names(condition, self.etag):
            headers = [(name, value) for name, value in self.headers if name not in _NOT_IN_304]
            await send(_start(HTTPStatus.NOT_MODIFIED.value, headers))
            await send(_body(b""))
            return
        await send(_start(self.status, self.headers))
        await send(_body(self.body))


def _start(status: int, headers: Sequence[tuple[bytes, bytes]]) -> Message:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def _body(body: bytes) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": False}


def _names(condition: str, etag: str) -> bool:
    """Whether ``If-None-Match`` names a tag, of which ours has no comma. Weak or not makes no difference (RFC 9110)."""
    named = (part.strip().removeprefix(_WEAK) for part in condition.split(","))
    return condition.strip() == "*" or etag.removeprefix(_WEAK) in named


class Shared:
    """Shares the answers to GET below a path, but not ``but`` it. What is sent in parts is shared with nobody."""

    def __init__(self, app: ASGIApp, *, below: str, but: tuple[str, ...], live: Live) -> None:
        self._app: Final = app
        self._below: Final = below
        self._but: Final = but
        self._live: Final = live
        self._answers: dict[_Key, asyncio.Future[Answer | None]] = {}
        self._bytes = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not self._has(scope["path"]):
            await self._app(scope, receive, send)
        elif scope["method"] == "GET":
            await self._answer(scope, receive, send)
        else:
            # Who changes something sees it at once, whatever is kept.
            await self._app(scope, receive, send)
            self._answers.clear()

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        key, condition = self._key(scope), Headers(scope=scope).get("if-none-match", "")
        known = self._answers.get(key)
        if known is None:
            await self._lead(key, condition, scope, receive, send)
            return
        answer = await asyncio.shield(known)
        if answer is None:
            await self._app(scope, receive, send)
        else:
            await answer.send(condition, send)

    def _has(self, path: str) -> bool:
        return path.startswith(self._below) and not path.startswith(self._but)

    def _key(self, scope: Scope) -> _Key:
        query = b"&".join(sorted(scope["query_string"].split(b"&")))
        return (self._live.version, sight_of(scope).name, scope["path"], query)

    async def _lead(self, key: _Key, condition: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Compute the answer, for which those wait who ask the same meanwhile."""
        answering: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._answers[key] = answering

        def end(answer: Answer | None) -> None:
            answering.set_result(answer)
            self._keep(key, answering, answer)

        try:
            await self._app(scope, receive, Collecting(send, condition, end).send)
        finally:
            if not answering.done():
                end(None)

    def _keep(self, key: _Key, answering: "asyncio.Future[Answer | None]", answer: Answer | None) -> None:
        """Keep a good answer for a while, and forget any other at once."""
        if answer is None or answer.etag is None or self._bytes + len(answer.body) > MOST_BYTES:
            self._forget(key, answering)
            return
        self._bytes += len(answer.body)
        asyncio.get_running_loop().call_later(KEPT_SECONDS, self._expire, key, answering, len(answer.body))

    def _expire(self, key: _Key, answering: "asyncio.Future[Answer | None]", size: int) -> None:
        self._bytes -= size
        self._forget(key, answering)

    def _forget(self, key: _Key, answering: "asyncio.Future[Answer | None]") -> None:
        if self._answers.get(key) is answering:
            del self._answers[key]


class Collecting:
    """Takes what an application sends. A whole answer ends it with that, an answer in parts with ``None``."""

    def __init__(self, send: Send, condition: str, end: Callable[[Answer | None], None]) -> None:
        self._send: Final = send
        self._condition: Final = condition
        self._end: Final = end
        self._start: Message | None = None

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._start = message
        elif self._start is None:
            await self._send(message)
        elif message.get("more_body", False):
            start, self._start = self._start, None
            self._end(None)
            await self._send(start)
            await self._send(message)
        else:
            answer = Answer.of(self._start, message.get("body", b""))
            self._end(answer)
            await answer.send(self._condition, self._send)
