"""Sends requests to an API server and writes down, word for word, what was asked and answered."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Final

import aiohttp

from tests.simulator.api import MERGE, Json

_TOLD_HEADERS: Final = ("Content-Type", "Retry-After")
_EVENT_SECONDS: Final = 30.0
_WATCH_SECONDS: Final = 20


Shown = Callable[[Any], Any]
"""What a transcript shows of an answer."""


def whole(body: Any) -> Any:  # noqa: ANN401 - any JSON value
    """All of it."""
    return body


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer; ``body`` is JSON, or the text where it is none."""

    status: int
    body: Any


@dataclass(slots=True)
class Witness:
    """A client of the API server at ``url``, in the name of ``token``'s owner, to which the session holds.

    ``exchanges`` is all that went to and fro; of the bodies of answers, and the events of watches, what is ``shown``.
    ``accept`` is the form in which answers are asked for, if that is said.
    """

    session: aiohttp.ClientSession
    url: str
    token: str = ""
    exchanges: list[Json] = field(default_factory=list)
    accept: str = ""
    shown: Shown = whole

    def asking(self, accept: str = "", *, shown: Shown) -> "Witness":
        """The same witness, who asks for answers in this form and writes down only what is ``shown`` of them."""
        return replace(self, accept=accept, shown=shown)

    @property
    def _accepting(self) -> dict[str, str]:
        return {"Accept": self.accept} if self.accept else {}

    async def ask(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        content_type: str = "application/json",
        **query: str | int,
    ) -> Answer:
        """One request. A query's name may end in ``_`` where Python has taken the word."""
        return await self._send(method, path, query, body=body, content_type=content_type)

    async def _send(
        self,
        method: str,
        path: str,
        query: Mapping[str, str | int],
        *,
        body: object = None,
        content_type: str = "application/json",
    ) -> Answer:
        asked = _request(method, path, query, body=body, content_type=content_type, accept=self.accept)
        headers = {} if body is None else {"Content-Type": content_type}
        headers |= self._accepting
        data = None if body is None else json.dumps(body).encode()
        async with self.session.request(
            method, self.url + path, data=data, headers=headers, params=asked.get("query")
        ) as answer:
            read = _body(await answer.read())
            self.exchanges.append({"request": asked, "answer": {**_head(answer), "body": self.shown(read)}})
            return Answer(status=answer.status, body=read)

    async def get(self, path: str, **query: str | int) -> Json:
        """What is there."""
        return _accepted(await self._send("GET", path, query))

    async def create(self, path: str, body: Json) -> Json:
        """A new object."""
        return _accepted(await self.ask("POST", path, body=body))

    async def replace(self, path: str, body: Json) -> Json:
        """An object as it is to be."""
        return _accepted(await self.ask("PUT", path, body=body))

    async def patch(self, path: str, body: object, content_type: str = MERGE) -> Json:
        """A change to an object."""
        return _accepted(await self.ask("PATCH", path, body=body, content_type=content_type))

    async def delete(self, path: str, **query: str | int) -> Json:
        """An object's end."""
        return _accepted(await self._send("DELETE", path, query))

    @asynccontextmanager
    async def watch(self, path: str, **query: str | int) -> AsyncIterator["Watching"]:
        """A watch that is let in, for as long as the context lasts; its events are read one by one."""
        asked = _request("GET", path, {"watch": "true", "timeoutSeconds": _WATCH_SECONDS, **query}, accept=self.accept)
        events: list[Json] = []
        async with self.session.get(self.url + path, params=asked["query"], headers=self._accepting) as answer:
            self.exchanges.append({"request": asked, "answer": {**_head(answer), "events": events}})
            assert answer.status == 200, await answer.text()
            yield Watching(answer, events, self.shown)


@dataclass(frozen=True, slots=True)
class Watching:
    """The events of one watch."""

    answer: aiohttp.ClientResponse
    events: list[Json]
    shown: Shown = whole

    async def next(self) -> Json:
        """The next event. Raises TimeoutError where none comes."""
        line = await self._line()
        assert line.endswith(b"\n"), f"the watch ended: {line!r}"
        event: Json = json.loads(line)
        self.events.append(self.shown(event))
        return event

    async def told(self, count: int) -> list[tuple[str, str]]:
        """Type and name of the next events."""
        events = [await self.next() for _ in range(count)]
        return [(event["type"], event["object"]["metadata"]["name"]) for event in events]

    async def ended(self) -> bool:
        """Whether nothing more comes and the server closes."""
        return await self._line() == b""

    async def _line(self) -> bytes:
        async with asyncio.timeout(_EVENT_SECONDS):
            return await self.answer.content.readline()


def _request(
    method: str,
    path: str,
    query: Mapping[str, str | int],
    *,
    body: object = None,
    content_type: str = "",
    accept: str = "",
) -> Json:
    params = {name.rstrip("_"): str(value) for name, value in query.items()}
    return {
        "method": method,
        "path": path,
        **({"query": params} if params else {}),
        **({"accept": accept} if accept else {}),
        **({"content_type": content_type, "body": body} if body is not None else {}),
    }


def _head(answer: aiohttp.ClientResponse) -> Json:
    told = {name: answer.headers[name] for name in _TOLD_HEADERS if name in answer.headers}
    return {"status": answer.status, "headers": told}


def _body(read: bytes) -> object:
    try:
        return json.loads(read)
    except ValueError:
        return read.decode()


def _accepted(answer: Answer) -> Json:
    assert answer.status < 400, answer.body
    body: Json = answer.body
    return body
