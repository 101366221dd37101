"""The HTTP server: the paths of an API server, and the simulator's own under ``/simulator``."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from email.utils import format_datetime
from http import HTTPStatus
from typing import Final

from aiohttp import web

from agent.simulator.admission import admit, check_namespace
from agent.simulator.bodies import body, created, delete_options, is_dry_run, patch, replacement
from agent.simulator.container_logs import ContainerLogs
from agent.simulator.faults import Faults, InjectedFault
from agent.simulator.kinds import KINDS, NAMESPACES, PODS, Json, Kind
from agent.simulator.listing import Lister
from agent.simulator.options import WatchOptions, check_list, number, watch_options, watching
from agent.simulator.pages import JSON, add_pages, json_answer
from agent.simulator.registry import Registry
from agent.simulator.selection import Selection, select
from agent.simulator.status import StatusError, no_such_path
from agent.simulator.tables import TableEvents, TableForm, table_form
from agent.simulator.times import Now
from agent.simulator.watching import Watch, error_line
from agent.simulator.webhook import Webhook

DEFAULT_WATCH_SECONDS: Final = 1800.0
BOOKMARK_SECONDS: Final = 60.0
_BODY_LIMIT: Final = 4 << 20
_BASES: Final = ("/api/v1", *sorted({f"/apis/{kind.group}/v1" for kind in KINDS.values() if kind.group}))
_VERBS: Final = {"GET": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}


_LOST: Final = web.RequestKey("lost", bool)
"""Whether the client gets no answer to what it asked for, though that is done."""

_Shape = Callable[[bytes], bytes]
"""Changes the lines of a watch before they are sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiServer:
    """Answers requests from the registry.

    ``read``: what the server understands of an object that is to be created; ``webhook`` changes it then.
    ``bookmark_seconds``: how often a watch gets a bookmark.
    """

    registry: Registry
    lister: Lister
    logs: ContainerLogs
    faults: Faults
    status: Callable[[], Json]
    containers: Callable[[], Json]
    now: Now
    read: Callable[[Kind, Json], Json]
    webhook: Webhook
    bookmark_seconds: float = BOOKMARK_SECONDS

    def application(self) -> web.Application:
        """The aiohttp application; serve it on a loopback address."""
        app = web.Application(middlewares=[_refusals], client_max_size=_BODY_LIMIT)
        app.on_response_prepare.append(self._date)
        add_pages(app.router)
        app.router.add_get("/simulator/status", self._simulator_status)
        app.router.add_get("/simulator/containers", self._simulator_containers)
        app.router.add_get("/simulator/requests", self._simulator_requests)
        app.router.add_post("/simulator/compact", self._simulator_compact)
        app.router.add_post("/simulator/faults", self._simulator_add_fault)
        app.router.add_delete("/simulator/faults", self._simulator_clear_faults)
        for prefix in (f"{base}{where}{{kind}}" for base in _BASES for where in ("/namespaces/{namespace}/", "/")):
            app.router.add_route("*", prefix, self._collection)
            app.router.add_route("*", prefix + "/{name}", self._one)
            app.router.add_route("*", prefix + "/{name}/{part}", self._one)
        return app

    async def _date(self, _request: web.Request, response: web.StreamResponse) -> None:
        """Give an answer the server's time; like a real one, it does not name its software."""
        response.headers["Date"] = format_datetime(self.now(), usegmt=True)
        response.headers.pop("Server", None)

    async def _collection(self, request: web.Request) -> web.StreamResponse:
        kind, namespace = _kind(request)
        query = request.query
        verb = ("watch" if watching(query) else "list") if request.method == "GET" else _VERBS[request.method]
        fault = self._take_fault(request, verb, kind)
        selection = select(
            kind, namespace=namespace, labels=query.get("labelSelector", ""), fields=query.get("fieldSelector", "")
        )
        match verb:
            case "list":
                check_list(query)
                limit = number(query, "limit") or 0
                page = self.lister.page(kind, selection, limit=limit, token=query.get("continue", ""))
                if (table := _table(request, kind)) is None:
                    return web.Response(body=page.body(), content_type=JSON)
                return json_answer(table.of([stored.object for stored in page.items], page.metadata, now=self.now()))
            case "watch":
                return await self._watch(request, kind, selection, fault)
            case "create":
                thing = await self._create(request, kind, namespace or "default", fault)
                return json_answer(thing, status=HTTPStatus.CREATED)
            case _:
                raise _not_allowed()

    async def _create(self, request: web.Request, kind: Kind, namespace: str, fault: InjectedFault | None) -> Json:
        sent = self.read(kind, await created(request))
        check_namespace(kind, sent, self.registry.store.get(NAMESPACES, ("", namespace)))
        denial = None if fault is None else fault.denial(kind, sent)
        if denial is not None:
            raise denial
        create = self.registry.prepared if is_dry_run(request) else self.registry.create
        return create(kind, admit(kind, self.webhook(kind, sent)), namespace=namespace)

    async def _one(self, request: web.Request) -> web.StreamResponse:
        kind, namespace = _kind(request)
        part = request.match_info.get("part", "")
        verb = "log" if part == "log" else _VERBS[request.method]
        self._take_fault(request, verb, kind)
        if part not in {"", "log", "status", "binding"} or (part in {"log", "binding"} and kind is not PODS):
            raise no_such_path()
        key = (namespace if kind.namespaced else "", request.match_info["name"])
        match verb:
            case "log":
                return web.Response(body=self.logs.read(self.registry.get(kind, key), request.query))
            case "get":
                thing, table = self.registry.get(kind, key), _table(request, kind)
                return json_answer(thing if table is None else table.of_one(thing, now=self.now()))
            case "patch" | "update":
                change = await (patch(request) if verb == "patch" else replacement(request, kind, key))
                return json_answer(self.registry.change(kind, key, change, status=part == "status"))
            case "delete":
                return json_answer(self.registry.delete(kind, key, await delete_options(request)))
            case "create" if part == "binding":
                return json_answer(self.registry.bind(key, await body(request)), status=HTTPStatus.CREATED)
            case _:
                raise _not_allowed()

    def _take_fault(self, request: web.Request, verb: str, kind: Kind) -> InjectedFault | None:
        """The fault to apply to a watch. Raises StatusError and web.HTTPException for one that is the answer."""
        fault = self.faults.take(verb, kind.plural)
        if fault is not None and fault.kind == "status":
            raise fault.refusal()
        if fault is not None and fault.kind == "overload":
            raise fault.overload()
        request[_LOST] = fault is not None and fault.kind == "lost"
        return fault

    async def _watch(
        self, request: web.Request, kind: Kind, selection: Selection, fault: InjectedFault | None
    ) -> web.StreamResponse:
        options = watch_options(request.query)
        watch = Watch(self.registry.store, kind, selection, options)
        response = web.StreamResponse(headers={"Content-Type": JSON})
        await response.prepare(request)
        with suppress(ConnectionResetError):  # the client left; that is how most watches end
            if fault is None or await _apply_fault(fault, request, response):
                shape = _shape(_table(request, kind), twice=fault is not None and fault.kind == "twice", now=self.now)
                await self._stream(response, watch, options, shape)
        return response

    async def _stream(self, response: web.StreamResponse, watch: Watch, options: WatchOptions, shape: _Shape) -> None:
        seconds = DEFAULT_WATCH_SECONDS if options.seconds is None else options.seconds
        bookmarks = self.bookmark_seconds if options.bookmarks else None
        until = asyncio.get_running_loop().time() + seconds
        for lines in watch.current():
            await response.write(shape(lines))
        async for lines in watch.lines(bookmark_seconds=bookmarks, until=until):
            await response.write(shape(lines))
        await response.write_eof()

    async def _simulator_status(self, _request: web.Request) -> web.Response:
        return json_answer(self.status())

    async def _simulator_containers(self, _request: web.Request) -> web.Response:
        return json_answer(self.containers())

    async def _simulator_requests(self, _request: web.Request) -> web.Response:
        return json_answer(dict(self.faults.requests))

    async def _simulator_compact(self, _request: web.Request) -> web.Response:
        self.registry.store.compact()
        return json_answer({"version": str(self.registry.store.version)})

    async def _simulator_add_fault(self, request: web.Request) -> web.Response:
        self.faults.add(await body(request))
        return json_answer({})

    async def _simulator_clear_faults(self, _request: web.Request) -> web.Response:
        self.faults.clear()
        return json_answer({})


def _shape(table: TableForm | None, *, twice: bool, now: Now) -> _Shape:
    rows = TableEvents(table, now=now) if table is not None else None

    def shaped(lines: bytes) -> bytes:
        shown = lines if rows is None else rows.of(lines)
        return _doubled(shown) if twice else shown

    return shaped


def _doubled(lines: bytes) -> bytes:
    return b"".join(line + line for line in lines.splitlines(keepends=True))


async def _apply_fault(fault: InjectedFault, request: web.Request, response: web.StreamResponse) -> bool:
    """Apply the fault to a watch. Returns whether the watch continues."""
    match fault.kind:
        case "error-event":
            await response.write(error_line(fault.refusal()))
        case "cut":
            await response.write(b'{"type":"MODIFIED","object":{"metadata":{"name":"half')
            if request.transport is not None:
                request.transport.abort()
        case "hang":
            await asyncio.sleep(DEFAULT_WATCH_SECONDS)
        case "garbage":
            await response.write(fault.text.encode() + b"\n")
            return True
        case "twice":
            return True
        case _:
            await response.write_eof()
    return False


@web.middleware
async def _refusals(
    request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]
) -> web.StreamResponse:
    try:
        answer = await handler(request)
    except StatusError as refused:
        headers = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
        return json_answer(refused.status, status=refused.code, headers=headers)
    except web.HTTPNotFound:
        return web.Response(text="404 page not found\n", status=HTTPStatus.NOT_FOUND)
    if request.get(_LOST) and request.transport is not None:
        request.transport.abort()
    return answer


def _table(request: web.Request, kind: Kind) -> TableForm | None:
    return table_form(kind, request.headers.get("Accept", ""), request.query)


def _kind(request: web.Request) -> tuple[Kind, str]:
    """The kind and namespace (``""`` for all) of a request. Raises StatusError (404)."""
    kind = KINDS.get(request.match_info["kind"])
    if kind is not None and not request.path.startswith(f"/apis/{kind.group}/" if kind.group else "/api/"):
        kind = None
    namespace = request.match_info.get("namespace", "")
    if kind is None or (namespace and not kind.namespaced):
        raise no_such_path()
    return kind, namespace


def _not_allowed() -> StatusError:
    message = "the server does not allow this method on the requested resource"
    return StatusError(405, "MethodNotAllowed", message, details={})
