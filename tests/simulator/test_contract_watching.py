import asyncio

import aiohttp
import pytest

from agent.simulator.simulation import Options, Simulation
from tests.simulator.api import PODS, Api, pod


async def version(api: Api) -> str:
    listed = await api.get(PODS)
    return str(listed["metadata"]["resourceVersion"])


async def test_a_watch_of_a_namespace_hears_nothing_of_others(api: Api) -> None:
    async with api.watch(PODS, resourceVersion=await version(api)) as events:
        await api.create("/api/v1/namespaces/other/pods", pod("elsewhere"))
        await api.create(PODS, pod("here"))
        assert await events.take(1) == [("ADDED", "here")]


async def test_history_is_bounded(api: Api) -> None:
    start = await version(api)
    await api.create(PODS, pod("a"))
    for number in range(120):
        await api.patch(f"{PODS}/a", {"metadata": {"labels": {"n": str(number)}}})
    async with api.watch(PODS, resourceVersion=start) as events:
        assert (await events.next())["type"] == "ERROR"


async def test_bookmarks_come_to_those_who_ask() -> None:
    async with Simulation(Options(bookmark_seconds=0.01)) as simulation, aiohttp.ClientSession() as session:
        quick = Api(session, simulation.url)
        async with quick.watch(PODS, resourceVersion=await version(quick), allowWatchBookmarks="true") as events:
            bookmark = await events.next()
        await quick.create(PODS, pod("a"))
        async with quick.watch(PODS, resourceVersion=bookmark["object"]["metadata"]["resourceVersion"]) as events:
            assert await events.take(1) == [("ADDED", "a")]
    assert (bookmark["type"], bookmark["object"]["kind"]) == ("BOOKMARK", "Pod")


async def test_many_watchers_hear_the_same(api: Api) -> None:
    start = await version(api)

    async def hear() -> list[tuple[str, str]]:
        async with api.watch(PODS, resourceVersion=start) as events:
            return await events.take(20)

    watching = [asyncio.create_task(hear()) for _ in range(5)]
    for number in range(20):
        await api.create(PODS, pod(f"p{number:02d}"))
    heard = await asyncio.gather(*watching)
    assert heard == [[("ADDED", f"p{number:02d}") for number in range(20)]] * 5


@pytest.mark.parametrize("text", ["\x85", "\u2028", "\x00", "é\ud7ff", "\r\n"])
async def test_any_text_stays_on_one_line(api: Api, text: str) -> None:
    async with api.watch(PODS, resourceVersion=await version(api)) as events:
        await api.create(PODS, pod("a"))
        await api.patch(f"{PODS}/a/status", {"status": {"message": text}})
        await events.next()
        assert (await events.next())["object"]["status"]["message"] == text
