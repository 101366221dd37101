import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta

import pytest
from aiohttp import web

from agent.kube.connection import Connection
from agent.kube.date import DatedAnswer, server_date
from agent.kube.errors import ApiError
from agent.settings.kube import KubeSettings

NOON = "Sat, 21 Nov 2026 12:00:00 GMT"
AT = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Date": ""},
        {"Date": "yesterday"},
        {"Date": "Sat, 21 Nov 99999 12:00:00 GMT"},
        {"Date": NOON, "Age": "0"},
        {"Date": NOON, "Via": "1.1 proxy"},
        {"Date": NOON, "X-Cache": "HIT"},
        {"Date": NOON, "Server": "nginx"},
    ],
)
def test_an_answer_without_a_date_or_from_a_cache_or_proxy_has_no_server_date(
    headers: Mapping[str, str],
) -> None:
    assert server_date(200, headers) is None


@pytest.mark.parametrize(("status", "date"), [(200, AT), (201, AT), (403, None), (429, None), (502, None), (504, None)])
def test_only_answers_that_are_no_errors_have_the_servers_date(status: int, date: datetime | None) -> None:
    assert server_date(status, {"Date": NOON}) == date


@asynccontextmanager
async def answering(status: int, headers: Mapping[str, str]) -> AsyncIterator[tuple[Connection, list[web.Request]]]:
    asked: list[web.Request] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request)
        return web.json_response({}, status=status, headers=dict(headers))

    app = web.Application()

    async def anonymous(_request: web.Request, response: web.StreamResponse) -> None:
        del response.headers["Server"]

    app.on_response_prepare.append(anonymous)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        async with await Connection.open(KubeSettings(url=f"http://127.0.0.1:{runner.addresses[0][1]}")) as connection:
            yield connection, asked
    finally:
        await runner.cleanup()


async def test_every_answer_gives_the_servers_date_and_when_it_was_asked() -> None:
    heard: list[DatedAnswer] = []
    async with answering(200, {"Date": NOON}) as (connection, asked):
        connection.on_date(heard.append)
        before = time.clock_gettime(time.CLOCK_BOOTTIME)
        await connection.get("/x")
        await connection.post("/x", {})
        async with connection.stream("/x", {}, seconds=60, idle_seconds=60):
            after = time.clock_gettime(time.CLOCK_BOOTTIME)

    assert [answer.date for answer in heard] == [AT, AT, AT]
    assert all(before <= answer.sent <= answer.received <= after for answer in heard)
    assert [request.headers["Cache-Control"] for request in asked] == ["no-cache"] * 3


async def test_a_retry_after_is_by_the_clock_of_the_server_that_wrote_it() -> None:
    later = (AT + timedelta(seconds=7)).strftime("%a, %d %b %Y %H:%M:%S GMT")
    heard: list[DatedAnswer] = []
    async with answering(429, {"Date": NOON, "Retry-After": later}) as (connection, _):
        connection.on_date(heard.append)
        with pytest.raises(ApiError) as raised:
            await connection.get("/x")

    assert raised.value.retry_after == 7
    assert heard == []
