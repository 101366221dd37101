"""An API server for benchmarks: as many pods as asked for, made up from a template as they are sent, none kept.

It streams lists, as kube-apiserver does from 1.34 on; with ``--no-streams`` it answers 422 to those, as servers do that
do not offer them. It lists in pages, but whole at resource version 0, which kube-apiserver answers from its cache
without regard to the limit; and watches. Of events it sends those that the field selector selects. It prints a line of
JSON with its URL; then for each line "update N" on its input it sends N changes to whoever watches the pods, the last
one a failure, and answers when the last is sent. "asked" is answered with when (seconds) the first list was asked for,
and when the first watch of pods had all it begins with.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from itertools import islice, starmap
from typing import Final

from aiohttp import web

from agent.simulator.kinds import EVENTS
from agent.simulator.selection import read_fields
from bench.server.template import EVENTS_EACH, EVENTS_EVERY, NODES, Templates, templates

_LINES_A_WRITE: Final = 32
_LIST_ENDS: Final = (
    b'{"type":"BOOKMARK","object":{"kind":"Pod","apiVersion":"v1","metadata":{"resourceVersion":"%d",'
    b'"annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
)
_UID: Final = "00000000-0000-4000-8000-000000000001"


class Server:
    """The state: how many pods there are, who watches them, and what was asked when."""

    def __init__(self, pods: int, *, streams: bool) -> None:
        self.templates: Templates = templates(started=datetime.now(UTC))
        self.pods = pods
        self.streams = streams
        self.version = pods + 1
        self.listed_at: float | None = None
        self.watched_at: float | None = None
        self._watchers: set[asyncio.Queue[int]] = set()

    async def list_or_watch_pods(self, request: web.Request) -> web.StreamResponse:
        """A page of the pods, or a watch of them."""
        self._note_list()
        if request.query.get("watch") in {"true", "1"}:
            return await self._watch_pods(request)
        limit = int(request.query.get("limit", "0"))
        if not limit or request.query.get("resourceVersion") == "0":
            return await self._whole_list(request)
        start = int(request.query.get("continue", "0"))
        end = min(start + limit, self.pods)
        pods = (self.templates.pod(index, index + 1) for index in range(start, end))
        return _list("PodList", pods, str(end) if end < self.pods else "", self.version)

    async def events(self, request: web.Request) -> web.StreamResponse:
        """The events about pods that the field selector selects: on one page, or a watch of them that says nothing."""
        self._note_list()
        numbers = self._selected(request.query.get("fieldSelector", ""))
        chosen = [(pod, number) for pod in range(0, self.pods, EVENTS_EVERY) for number in numbers]
        if request.query.get("watch") in {"true", "1"}:
            return await self._watch_quietly(request, starmap(self.templates.event_about, chosen))
        start = int(request.query.get("continue", "0"))
        page = chosen[start : start + int(request.query.get("limit", "500"))]
        end = start + len(page)
        made = starmap(self.templates.event_about, page)
        return _list("EventList", made, str(end) if end < len(chosen) else "", self.version)

    async def nodes(self, request: web.Request) -> web.StreamResponse:
        """The nodes on one page, or a watch of them that says nothing."""
        self._note_list()
        made = map(self.templates.node_of, range(NODES))
        if request.query.get("watch") in {"true", "1"}:
            return await self._watch_quietly(request, made)
        return _list("NodeList", made, "", self.version)

    async def update(self, number: int) -> None:
        """Send so many changes to every watcher; returns when they are written."""
        for watcher in self._watchers:
            watcher.put_nowait(number)
        await asyncio.gather(*(watcher.join() for watcher in self._watchers))

    def _selected(self, selector: str) -> list[int]:
        """The numbers of the events of each pod that the selector selects: those of all pods have the same fields.

        An agent has a watch for each reason that a rule names, and no API server sends all events on each.
        """
        wanted = read_fields(EVENTS, selector)
        events = [json.loads(self.templates.event_about(0, number)) for number in range(EVENTS_EACH)]
        return [number for number, event in enumerate(events) if all(field.fits(event) for field in wanted)]

    def _note_list(self) -> None:
        self.listed_at = self.listed_at if self.listed_at is not None else time.monotonic()

    async def _whole_list(self, request: web.Request) -> web.StreamResponse:
        response = _stream()
        await response.prepare(request)
        await response.write(_head("PodList", "", self.version))
        for start in range(0, self.pods, _LINES_A_WRITE):
            indexes = range(start, min(start + _LINES_A_WRITE, self.pods))
            some = b",".join(self.templates.pod(index, index + 1) for index in indexes)
            await response.write(some if start == 0 else b"," + some)
        await response.write(b"]}")
        return response

    async def _watch_pods(self, request: web.Request) -> web.StreamResponse:
        pods = (self.templates.pod(index, index + 1) for index in range(self.pods))
        if (response := await self._begin_watch(request, pods)) is None:
            return _refusal()
        self.watched_at = self.watched_at if self.watched_at is not None else time.monotonic()
        queue: asyncio.Queue[int] = asyncio.Queue()
        self._watchers.add(queue)
        try:
            while True:
                await self._send(response, await queue.get())
                queue.task_done()
        finally:
            self._watchers.discard(queue)

    async def _watch_quietly(self, request: web.Request, things: Iterable[bytes]) -> web.StreamResponse:
        if await self._begin_watch(request, things) is None:
            return _refusal()
        await asyncio.Event().wait()
        raise RuntimeError("an event came that nobody sets")

    async def _begin_watch(self, request: web.Request, things: Iterable[bytes]) -> web.StreamResponse | None:
        """The answer to go on writing to, these things sent if they are asked for; ``None``: that is refused."""
        listed = "sendInitialEvents" in request.query
        if listed and not self.streams:
            return None
        response = _stream()
        await response.prepare(request)
        if listed:
            for some in _batches(things):
                await response.write(b"".join(b'{"type":"ADDED","object":%s}\n' % thing for thing in some))
            await response.write(_LIST_ENDS % self.version)
        return response

    async def _send(self, response: web.StreamResponse, number: int) -> None:
        for start in range(0, number, _LINES_A_WRITE):
            indexes = range(start, min(start + _LINES_A_WRITE, number))
            await response.write(b"".join(self._line(index, last=index == number - 1) for index in indexes))

    def _line(self, index: int, *, last: bool) -> bytes:
        self.version += 1
        pod = self.templates.pod(index % self.pods, self.version, has_failed=last)
        return b'{"type":"MODIFIED","object":%s}\n' % pod


def application(server: Server) -> web.Application:
    """The paths an agent or an informer asks for."""
    app = web.Application()
    app.router.add_get("/api/v1/pods", server.list_or_watch_pods)
    app.router.add_get("/api/v1/events", server.events)
    app.router.add_get("/api/v1/namespaces/default/events", server.events)
    app.router.add_get("/api/v1/nodes", server.nodes)
    app.router.add_get("/api/v1/namespaces/kube-system", _kube_system)
    return app


async def _kube_system(request: web.Request) -> web.Response:
    del request
    return web.json_response({"kind": "Namespace", "metadata": {"name": "kube-system", "uid": _UID}})


def _list(kind: str, items: Iterable[bytes], token: str, version: int) -> web.Response:
    body = _head(kind, token, version) + b",".join(items) + b"]}"
    return web.Response(body=body, content_type="application/json")


def _head(kind: str, token: str, version: int) -> bytes:
    metadata = {"resourceVersion": str(version), "continue": token}
    return json.dumps({"kind": kind, "apiVersion": "v1", "metadata": metadata})[:-1].encode() + b',"items":['


def _batches(things: Iterable[bytes]) -> Iterator[list[bytes]]:
    given = iter(things)
    while some := list(islice(given, _LINES_A_WRITE)):
        yield some


def _refusal() -> web.Response:
    status = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Invalid", "code": 422}
    return web.json_response(status | {"message": "sendInitialEvents is forbidden"}, status=422)


def _stream() -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    response.enable_chunked_encoding()
    return response


async def serve(pods: int, *, streams: bool) -> None:
    """Serve until the input ends."""
    server = Server(pods, streams=streams)
    runner = web.AppRunner(application(server), access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0, shutdown_timeout=0)
    await site.start()
    _say({"url": f"http://127.0.0.1:{runner.addresses[0][1]}"})
    while line := await asyncio.to_thread(sys.stdin.readline):
        match line.split():
            case ["update", number]:
                await server.update(int(number))
                _say({"sent": int(number)})
            case ["asked"]:
                _say({"listed_at": server.listed_at, "watched_at": server.watched_at})
            case _:
                raise ValueError(f"not a question: {line!r}")


def _say(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pods", type=int, required=True, help="how many there are")
    parser.add_argument("--no-streams", action="store_true", help="answer as servers do that do not stream lists")
    given = parser.parse_args()
    asyncio.run(serve(given.pods, streams=not given.no_streams))
