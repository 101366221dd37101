"""Lists of pods in pages, against the simulator, whose pages have the scenarios of the real server."""

from contextlib import aclosing
from typing import Any

import pytest
from aiohttp import web

from agent.kube import pod_list
from agent.kube.codec import Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Gone
from agent.kube.pod_list import list_pods
from agent.settings.kube import KubeSettings
from tests.kube.cluster import Cluster, cluster
from tests.simulator.api import PODS, pod


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pod_list, "_PAGE", 3)


async def put(it: Cluster, *names: str, **more: Any) -> None:
    for name in names:
        await it.api.create(PODS, pod(name, **more))


async def listed(connection: Connection, *, labels: str = "job") -> list[list[str | None]]:
    return [[each.metadata.name for each in page] async for page in list_pods(connection, "default", labels=labels)]


async def test_pages_have_all_pods_with_the_labels_and_no_others() -> None:
    async with cluster() as it:
        await put(it, *"abcdefg", labels={"job": "1"})
        await put(it, *"hij")
        assert await listed(it.connection) == [["a", "b", "c"], ["d", "e", "f"], ["g"]]
        assert await listed(it.connection, labels="job,none") == [[]]


async def test_all_pages_show_the_moment_of_the_first() -> None:
    async with cluster() as it:
        await put(it, *"abcdef", labels={"job": "1"})
        async with aclosing(list_pods(it.connection, "default", labels="job")) as pages:
            names = [each.metadata.name for each in await anext(pages)]
            await put(it, "dd", labels={"job": "1"})
            await it.remove("e")
            names += [each.metadata.name async for page in pages for each in page]
    assert names == list("abcdef")


async def test_a_moment_too_long_ago_is_gone_and_no_other_is_taken_for_it() -> None:
    async with cluster() as it:
        await put(it, *"abcdef", labels={"job": "1"})
        async with aclosing(list_pods(it.connection, "default", labels="job")) as pages:
            await anext(pages)
            await it.api.add_fault(kind="status", verb="list", resource="pods", code=410, times=1)
            with pytest.raises(Gone):
                await anext(pages)


async def test_a_refusal_is_an_error() -> None:
    async with cluster() as it:
        await it.api.add_fault(kind="status", verb="list", resource="pods", code=403)
        with pytest.raises(ApiError, match="403"):
            await listed(it.connection)


@pytest.mark.parametrize("item", ['{"metadata": {"name": "a", "labels": 7}}', "[]"])
async def test_a_pod_that_cannot_be_decoded_is_named_and_not_left_out(item: str) -> None:
    async def answer(_request: web.Request) -> web.Response:
        body = f'{{"kind": "PodList", "metadata": {{}}, "items": [{{"metadata": {{"name": "b"}}}}, {item}]}}'
        return web.Response(text=body, content_type="application/json")

    app = web.Application()
    app.router.add_get(PODS, answer)
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        async with await Connection.open(KubeSettings(url=f"http://{host}:{port}")) as connection:
            with pytest.raises(Unreadable, match="of the list cannot be decoded"):
                await listed(connection)
    finally:
        await runner.cleanup()
