import asyncio
from functools import partial

import pytest

from agent.kube.objects import Pod
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Reflector
from tests.kube.cluster import QUICK, Ear, cluster, eventually, reflecting
from tests.simulator.api import PODS


def _marked_and_gone(name: str) -> list[tuple[str, str]]:
    """The events of a deletion that is not delayed."""
    return [("modified", name), ("deleted", name)]


async def test_it_lists_in_pages_and_then_watches() -> None:
    async with cluster() as it:
        await it.put(*"abcdefg")
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
            assert ear.told == [("added", name) for name in "abcdefg"]
            await it.put("h")
            await it.touch("a", "1")
            await it.remove("b")
            assert (await ear.heard(11))[7:] == [("added", "h"), ("modified", "a"), *_marked_and_gone("b")]
        requests = await it.api.requests()
    assert (requests["list pods"], requests["watch pods"]) == (3, 1)
    assert (reflector.stats.lists, reflector.stats.watches, len(reflector.cache)) == (1, 1, 7)


async def test_a_change_carries_what_was_kept_and_a_deletion_its_last_state() -> None:
    async with cluster() as it:
        await it.put("a")
        ear = Ear()
        async with reflecting(it.connection, ear):
            await ear.heard(1)
            await it.remove("a")
            await ear.heard(3)
    added, _, deleted = ear.changes
    assert (added.previous, deleted.previous) == (None, "a")
    assert deleted.object is not None
    assert added.uid == deleted.uid


async def test_an_empty_cluster_is_synced_too() -> None:
    async with cluster() as it, reflecting(it.connection, Ear()) as reflector:
        await asyncio.wait_for(reflector.synced.wait(), 20)
        assert len(reflector.cache) == 0


async def test_selectors_are_sent_to_the_server() -> None:
    async with cluster() as it:
        await it.put("a", "b")
        ear = Ear()
        async with reflecting(it.connection, ear, fields="status.phase=Failed"):
            await it.api.patch(f"{PODS}/b/status", {"status": {"phase": "Failed"}})
            assert await ear.heard(1) == [("added", "b")]


async def test_after_a_410_a_new_list_finds_the_missed_changes() -> None:
    async with cluster() as it:
        await it.put("changes", "comes-back", "goes", "stays")
        await it.api.add_fault(kind="status", verb="watch", resource="pods", code=503)
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await ear.heard(4)
            await it.touch("changes", "1")
            await it.remove("goes")
            await it.remove("comes-back")
            await it.put("comes-back", "new")
            await it.api.ask("POST", "/simulator/compact")
            await it.api.ask("DELETE", "/simulator/faults")
            await ear.heard(9)
            told = ear.told[4:]
            assert told[:2] == [("modified", "changes"), ("deleted", "comes-back")]
            assert told[2:4] == [("added", "comes-back"), ("added", "new")]
            assert told[4:] == [("deleted", "goes")]
            assert ear.changes[-1].object is None, "nobody saw its last state"
            assert (reflector.stats.gone, reflector.stats.lists) == (1, 2)
            await it.touch("stays", "1")
            assert (await ear.heard(10))[9:] == [("modified", "stays")]


async def test_a_list_that_expires_half_way_begins_again() -> None:
    async with cluster() as it:
        await it.put(*"abcdefg")
        ear = Ear()
        pages = 0

        async def slow(change: Change[Pod, str]) -> None:
            nonlocal pages
            pages += 1
            if pages == 1:
                await it.api.ask("POST", "/simulator/compact")
                await it.put("z")
                await it.api.ask("POST", "/simulator/compact")
            await ear.hear(change)

        reflector = Reflector(
            it.connection,
            path="/api/v1/pods",
            decode=Pod,
            keep=lambda pod: pod.metadata.name or "",
            handler=slow,
            pace=QUICK,
        )
        running = asyncio.create_task(reflector.run())
        assert sorted(await ear.heard(8)) == [("added", name) for name in "abcdefgz"]
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert (reflector.stats.gone, reflector.stats.lists) == (1, 2)


async def test_a_repeated_event_is_notified_once() -> None:
    async with cluster() as it:
        await it.api.add_fault(kind="twice", verb="watch")
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
            await it.put("a")
            await it.touch("a", "1")
            await it.remove("a")
            await it.put("end")
            await ear.heard(5)
    assert ear.told == [("added", "a"), ("modified", "a"), *_marked_and_gone("a"), ("added", "end")]


@pytest.mark.parametrize("text", ["\x85", "\u2028", "a\x00b", "\r\n"])
async def test_a_message_that_looks_like_a_line_break_arrives(text: str) -> None:
    async with cluster() as it:
        await it.put("a")
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await ear.heard(1)
            await it.api.patch(f"{PODS}/a/status", {"status": {"message": text}})
            await ear.heard(2)
    last = ear.changes[-1].object
    assert last is not None
    assert last.status.message == text
    assert reflector.stats.bad == 0


async def test_an_undecodable_object_is_counted_and_skipped_and_known_ones_stay() -> None:
    async with cluster() as it:
        await it.put("a", "b", "c", "d")
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await ear.heard(4)
            await it.api.patch(f"{PODS}/b/status", {"status": {"phase": ["not", "text"]}})
            await it.put("e")
            await ear.heard(5)
            assert reflector.stats.bad == 1
            await it.remove("b")
            await ear.heard(6)
    assert ear.told[4:] == [("added", "e"), ("deleted", "b")]
    assert ear.changes[-1].object is None


async def test_an_undecodable_object_in_a_list_does_not_hide_the_others() -> None:
    async with cluster() as it:
        await it.put("a", "b", "c")
        await it.api.patch(f"{PODS}/b/status", {"status": {"containerStatuses": [{"restartCount": "three"}]}})
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await asyncio.wait_for(reflector.synced.wait(), 20)
    assert ear.told == [("added", "a"), ("added", "c")]
    assert reflector.stats.bad == 1


async def test_reading_waits_for_the_handler() -> None:
    async with cluster() as it:
        await it.put("a", "b", "c", "d")
        gate = asyncio.Semaphore(0)
        begun: list[str] = []

        async def wait(change: Change[Pod, str]) -> None:
            begun.append(change.uid)
            await gate.acquire()

        reflector = Reflector(
            it.connection, path="/api/v1/pods", decode=Pod, keep=lambda _: "", handler=wait, pace=QUICK
        )
        running = asyncio.create_task(reflector.run())
        for expected in (1, 2, 3, 4):
            await eventually(partial(_reached, begun, expected))
            gate.release()
        await asyncio.wait_for(reflector.synced.wait(), 20)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    assert len(begun) == 4


async def _reached(begun: list[str], count: int) -> bool:
    assert len(begun) <= count, "the handler was called while it was still busy"
    return len(begun) == count


async def test_an_exception_of_the_handler_ends_the_reflector() -> None:
    class Broken(Exception):
        pass

    async def fail(_change: Change[Pod, str]) -> None:
        raise Broken

    async with cluster() as it:
        await it.put("a")
        reflector = Reflector(
            it.connection, path="/api/v1/pods", decode=Pod, keep=lambda _: "", handler=fail, pace=QUICK
        )
        with pytest.raises(Broken):
            await asyncio.wait_for(reflector.run(), 20)


async def test_bookmarks_advance_the_version_of_a_quiet_watch() -> None:
    async with cluster(bookmark_seconds=0.02) as it:
        await it.api.create("/api/v1/namespaces", {"metadata": {"name": "noise"}})
        ear = Ear()
        async with reflecting(it.connection, ear) as reflector:
            await eventually(lambda: _more(reflector, 2))
            assert reflector.stats.gone == 0


async def _more(reflector: Reflector[Pod, str], bookmarks: int) -> bool:
    return reflector.stats.bookmarks >= bookmarks
