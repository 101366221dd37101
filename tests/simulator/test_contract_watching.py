import asyncio

import aiohttp
import pytest

from agent.simulator.simulation import Options, Simulation
from tests.simulator.api import PODS, Api, pod


async def version(api: Api) -> str:
    listed = await api.get(PODS)
    return str(listed["metadata"]["resourceVersion"])


async def test_a_watch_from_a_list_tells_all_that_came_after(api: Api) -> None:
    start = await version(api)
    await api.create(PODS, pod("a"))
    await api.patch(f"{PODS}/a/status", {"status": {"phase": "Running"}})
    async with api.watch(PODS, resourceVersion=start) as events:
        assert await events.take(2) == [("ADDED", "a"), ("MODIFIED", "a")]
        await api.ask("DELETE", f"{PODS}/a")
        assert await events.take(1) == [("DELETED", "a")]


async def test_a_watch_without_a_version_begins_with_what_there_is(api: Api) -> None:
    await api.create(PODS, pod("a"))
    async with api.watch(PODS) as events:
        assert await events.take(1) == [("ADDED", "a")]
        await api.create(PODS, pod("b"))
        assert await events.take(1) == [("ADDED", "b")]


async def test_versions_only_grow_and_a_deletion_has_its_own(api: Api) -> None:
    async with api.watch(PODS, resourceVersion=await version(api)) as events:
        await api.create(PODS, pod("a"))
        await api.patch(f"{PODS}/a", {"metadata": {"labels": {"x": "1"}}})
        await api.ask("DELETE", f"{PODS}/a")
        versions = [int((await events.next())["object"]["metadata"]["resourceVersion"]) for _ in range(3)]
    assert versions == sorted(set(versions))


async def test_a_change_that_changes_nothing_is_no_event(api: Api) -> None:
    made = await api.create(PODS, pod("a"))
    same = await api.patch(f"{PODS}/a", {"metadata": {"labels": {}}})
    assert same["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]


async def test_objects_enter_and_leave_a_selection(api: Api) -> None:
    start = await version(api)
    async with api.watch(PODS, resourceVersion=start, fieldSelector="status.phase=Running") as events:
        await api.create(PODS, pod("a"))
        await api.patch(f"{PODS}/a/status", {"status": {"phase": "Running"}})
        await api.patch(f"{PODS}/a/status", {"status": {"phase": "Failed"}})
        entered, left = await events.next(), await events.next()
    assert (entered["type"], entered["object"]["status"]["phase"]) == ("ADDED", "Running")
    assert (left["type"], left["object"]["status"]["phase"]) == ("DELETED", "Running"), "as it was while it fitted"
    assert int(left["object"]["metadata"]["resourceVersion"]) > int(entered["object"]["metadata"]["resourceVersion"])


async def test_a_watch_of_a_namespace_hears_nothing_of_others(api: Api) -> None:
    async with api.watch(PODS, resourceVersion=await version(api)) as events:
        await api.create("/api/v1/namespaces/other/pods", pod("elsewhere"))
        await api.create(PODS, pod("here"))
        assert await events.take(1) == [("ADDED", "here")]


async def test_a_version_that_is_forgotten_is_told_as_an_error_event(api: Api) -> None:
    start = await version(api)
    await api.create(PODS, pod("a"))
    await api.ask("POST", "/simulator/compact")
    async with api.watch(PODS, resourceVersion=start) as events:
        event = await events.next()
        assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
        assert await events.ended()


async def test_history_is_bounded(api: Api) -> None:
    start = await version(api)
    await api.create(PODS, pod("a"))
    for number in range(120):
        await api.patch(f"{PODS}/a", {"metadata": {"labels": {"n": str(number)}}})
    async with api.watch(PODS, resourceVersion=start) as events:
        assert (await events.next())["type"] == "ERROR"


async def test_a_version_of_the_future_does_not_exist_yet(api: Api) -> None:
    status, refusal = await api.ask("GET", PODS, watch="true", resourceVersion=int(await version(api)) + 1000)
    assert (status, refusal["reason"]) == (504, "Timeout")


async def test_a_watch_ends_when_its_time_is_over(api: Api) -> None:
    async with api.watch(PODS, resourceVersion=await version(api), timeoutSeconds=1) as events:
        assert await events.ended()


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
