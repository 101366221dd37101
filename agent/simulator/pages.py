"""What is served in addition to objects: health, the version, discovery and OpenAPI."""

from collections.abc import Awaitable, Callable, Sequence
from http import HTTPStatus
from typing import Final

import msgspec
from aiohttp import web

from agent.simulator.discovery import (
    AGGREGATED,
    GROUPS,
    aggregated,
    core_versions,
    group,
    group_list,
    resource_list,
    wants_aggregated,
)
from agent.simulator.kinds import Json
from agent.simulator.nodes import VERSION
from agent.simulator.openapi import specification, specifications

JSON: Final = "application/json"


def json_answer(thing: Json, *, status: int = HTTPStatus.OK, headers: dict[str, str] | None = None) -> web.Response:
    return web.Response(body=msgspec.json.encode(thing), status=status, content_type=JSON, headers=headers)


_VERSION: Final[Json] = {"major": "1", "minor": "35", "gitVersion": VERSION, "platform": "linux/amd64"}


_Handler = Callable[[web.Request], Awaitable[web.Response]]


def add_pages(router: web.UrlDispatcher) -> None:
    for path in ("/healthz", "/readyz", "/livez"):
        router.add_get(path, _ok)
    router.add_get("/api", _discovery([""], lambda request: core_versions(request.host)))
    router.add_get("/apis", _discovery(GROUPS, lambda _: group_list()))
    pages = {
        "/version": _VERSION,
        "/api/v1": resource_list(""),
        **{f"/apis/{name}": group(name) for name in GROUPS},
        **{f"/apis/{name}/v1": resource_list(name) for name in GROUPS},
        "/openapi/v3/api/v1": specification(""),
        **{f"/openapi/v3/apis/{name}/v1": specification(name) for name in GROUPS},
    }
    for path, page in pages.items():
        router.add_get(path, _page(page))
    router.add_get("/openapi/v3", _specifications)


async def _ok(_request: web.Request) -> web.Response:
    return web.Response(text="ok")


async def _specifications(_request: web.Request) -> web.Response:
    return web.Response(text=msgspec.json.encode(specifications()).decode())  # text/plain, as the server has it


def _page(page: Json) -> _Handler:
    async def answer(_request: web.Request) -> web.Response:
        return json_answer(page)

    return answer


def _discovery(groups: Sequence[str], legacy: Callable[[web.Request], Json]) -> _Handler:
    """All groups in one document for who asks for that, else the ``legacy`` one."""
    whole = msgspec.json.encode(aggregated(groups))

    async def answer(request: web.Request) -> web.Response:
        if wants_aggregated(request.headers.get("Accept", "")):
            return web.Response(body=whole, headers={"Content-Type": AGGREGATED})
        return json_answer(legacy(request))

    return answer
