"""Lists that are streamed as a watch (WatchList, KEP-3157)."""

import asyncio
from dataclasses import replace

import pytest

from agent.kube.connection import Connection
from agent.settings.kube import KubeSettings
from tests.kube.cluster import QUICK, STREAMED, Ear, cluster, eventually, reflecting
from tests.kube.scripted import ASKS, Scripted, bookmark, line, serving

END = bookmark(10, ends_list=True)


async def test_a_list_is_streamed_and_continues_as_a_watch() -> None:
    async with cluster() as it:
        await it.put(*"abcdefg")
        ear = Ear()
        async with reflecting(it.connection, ear, pace=STREAMED) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
            assert sorted(ear.told) == [("added", name) for name in "abcdefg"]
            await it.put("h")
            await it.touch("a", "1")
            assert (await ear.heard(9))[7:] == [("added", "h"), ("modified", "a")]
        requests = await it.api.requests()
    assert (requests.get("list pods", 0), requests["watch pods"]) == (0, 1)
    assert (reflector.stats.lists, reflector.stats.watches, len(reflector.cache)) == (1, 1, 8)
    assert reflector.stats.sync_seconds is not None


@pytest.mark.slow
async def test_after_a_410_a_streamed_list_finds_the_missed_changes() -> None:
    async with cluster() as it:
        await it.put("changes", "comes-back", "goes", "stays")
        ear = Ear()
        async with reflecting(it.connection, ear, pace=replace(STREAMED, watch_seconds=(1.0, 1.0))) as reflector:
            await ear.heard(4)
            await it.api.add_fault(kind="status", verb="watch", resource="pods", code=503)
            await eventually(lambda: _at_least(reflector.stats.errors, 1))
            await it.touch("changes", "1")
            await it.remove("goes")
            await it.remove("comes-back")
            await it.put("comes-back", "new")
            await it.api.ask("POST", "/simulator/compact")
            await it.api.ask("DELETE", "/simulator/faults")
            await ear.heard(9)
            assert ("deleted", "goes") in ear.told[4:]
            assert ear.told[4:].index(("deleted", "comes-back")) < ear.told[4:].index(("added", "comes-back"))
            assert {("modified", "changes"), ("added", "new")} <= set(ear.told[4:])
            assert (reflector.stats.gone, len(reflector.cache)) == (1, 4)


@pytest.mark.slow
@pytest.mark.parametrize("code", [400, 422])
async def test_a_server_that_refuses_to_stream_is_asked_for_pages_from_then_on(code: int) -> None:
    async with cluster() as it:
        await it.put(*"abcd")
        await it.api.add_fault(kind="status", verb="watch", code=code, times=1)
        ear = Ear()
        async with reflecting(it.connection, ear, pace=replace(STREAMED, watch_seconds=(1.0, 1.0))) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
            await eventually(lambda: _at_least(reflector.stats.watches, 3))
        requests = await it.api.requests()
    assert requests["list pods"] == 2, "two pages of one list"
    assert reflector.stats.errors == 0


async def _at_least(count: int, wanted: int) -> bool:
    return count >= wanted


async def test_a_server_that_ignores_the_parameters_is_detected_by_its_bookmark() -> None:
    server = Scripted(streams=[line("ADDED", "a", version=5) + bookmark(7), b""])
    ear = Ear()
    async with (
        serving(server.answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, ear, pace=STREAMED) as reflector,
    ):
        await asyncio.wait_for(reflector.synced.wait(), 20)
        await eventually(lambda: _at_least(len(server.watches), 2))
    assert len(server.lists) == 1
    assert [ASKS in query for query in server.watches] == [True, False]
    assert ear.told == [("added", "a"), ("deleted", "a")], "the list that counts is empty"


async def test_a_streamed_list_that_takes_too_long_is_replaced_by_pages() -> None:
    server = Scripted(streams=[line("ADDED", "a", version=5)])
    pace = replace(STREAMED, idle_seconds=0.5, list_seconds=0.5)
    async with (
        serving(server.answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, Ear(), pace=pace) as reflector,
    ):
        await asyncio.wait_for(reflector.synced.wait(), 20)
    assert (len(server.lists), ASKS in server.watches[0]) == (1, True)


async def test_a_list_that_breaks_off_starts_again_and_none_of_its_versions_is_watched_from() -> None:
    half = line("ADDED", "a", version=5) + line("ADDED", "gone-by-then", version=9)
    server = Scripted(streams=[half, line("ADDED", "a", version=5) + END + line("ADDED", "b", version=12), b""])
    server.streams.insert(2, bookmark(13))
    ear = Ear()
    async with (
        serving(server.answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, ear, pace=STREAMED) as reflector,
    ):
        await eventually(lambda: _at_least(len(server.watches), 4))
    assert server.lists == []
    assert [query.get("resourceVersion") for query in server.watches] == [None, None, "12", "13"]
    assert ear.told == [("added", "a"), ("added", "gone-by-then"), ("deleted", "gone-by-then"), ("added", "b")]
    assert (reflector.stats.lists, reflector.stats.bookmarks) == (2, 2)


async def test_what_is_deleted_while_the_list_is_streamed_is_gone_at_its_end() -> None:
    stream = line("ADDED", "a", version=5) + line("DELETED", "a", version=6) + line("ADDED", "b", version=7) + END
    ear = Ear()
    async with (
        serving(Scripted(streams=[stream]).answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, ear, pace=STREAMED) as reflector,
    ):
        await asyncio.wait_for(reflector.synced.wait(), 20)
    assert ear.told == [("added", "a"), ("deleted", "a"), ("added", "b")]


async def test_an_undecodable_object_of_a_streamed_list_stays_known() -> None:
    good = line("ADDED", "a", version=5)
    odd = line("ADDED", "a", version=6, phase=["no", "text"])
    server = Scripted(streams=[good + END, b"garbage\n", odd + END])
    ear = Ear()
    async with (
        serving(server.answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, ear, pace=STREAMED) as reflector,
    ):
        await eventually(lambda: _at_least(len(server.watches), 3))
        await eventually(lambda: _at_least(reflector.stats.bad, 2))
    assert ear.told == [("added", "a")]


async def test_paged_lists_can_be_asked_for_from_the_start() -> None:
    server = Scripted(streams=[b""])
    async with (
        serving(server.answer) as url,
        await Connection.open(KubeSettings(url=url)) as connection,
        reflecting(connection, Ear(), pace=QUICK) as reflector,
    ):
        await asyncio.wait_for(reflector.synced.wait(), 20)
        await eventually(lambda: _at_least(len(server.watches), 1))
    assert not any(ASKS in query for query in server.watches)
