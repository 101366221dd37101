"""Scenarios: watches, bookmarks, streamed lists, and history that is gone."""

from tests.contract.stage import Scenario, Stage
from tests.simulator.api import Json, pod

END = "k8s.io/initial-events-end"
STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}


async def version(stage: Stage) -> str:
    """Where the namespace's pods are."""
    return str((await stage.server.get(stage.pods))["metadata"]["resourceVersion"])


async def a_watch_from_a_list_tells_all_that_came_after(stage: Stage) -> None:
    start = await version(stage)
    await stage.server.create(stage.pods, pod("a"))
    await stage.server.patch(f"{stage.pods}/a/status", {"status": {"phase": "Running"}})
    async with stage.server.watch(stage.pods, resourceVersion=start) as events:
        assert await events.told(2) == [("ADDED", "a"), ("MODIFIED", "a")]
        await stage.server.delete(f"{stage.pods}/a")
        assert await events.told(2) == [("MODIFIED", "a"), ("DELETED", "a")], "marked, and gone"
    versions = [int(event["object"]["metadata"]["resourceVersion"]) for event in events.events]
    assert versions == sorted(set(versions)), "a deletion has a version of its own"


async def a_watch_without_a_version_begins_with_what_there_is(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    async with stage.server.watch(stage.pods) as events:
        assert await events.told(1) == [("ADDED", "a")]
        await stage.server.create(stage.pods, pod("b"))
        assert await events.told(1) == [("ADDED", "b")]


async def objects_enter_and_leave_a_selection(stage: Stage) -> None:
    start = await version(stage)
    async with stage.server.watch(stage.pods, resourceVersion=start, fieldSelector="status.phase=Running") as events:
        await stage.server.create(stage.pods, pod("a"))
        await stage.server.patch(f"{stage.pods}/a/status", {"status": {"phase": "Running"}})
        await stage.server.patch(f"{stage.pods}/a/status", {"status": {"phase": "Failed"}})
        entered, left = await events.next(), await events.next()
    assert (entered["type"], entered["object"]["status"]["phase"]) == ("ADDED", "Running")
    assert (left["type"], left["object"]["status"]["phase"]) == ("DELETED", "Running"), "as it was while it fitted"
    assert int(left["object"]["metadata"]["resourceVersion"]) > int(entered["object"]["metadata"]["resourceVersion"])


async def a_watch_by_label_hears_of_those_that_get_it(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    async with stage.server.watch(stage.pods, resourceVersion=await version(stage), labelSelector="mine=yes") as events:
        await stage.server.patch(f"{stage.pods}/a", {"metadata": {"labels": {"mine": "yes"}}})
        await stage.server.patch(f"{stage.pods}/a", {"metadata": {"labels": {"mine": None}}})
        assert await events.told(2) == [("ADDED", "a"), ("DELETED", "a")]


async def a_change_that_changes_nothing_is_no_event(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a", labels={"x": "1"}))
    async with stage.server.watch(stage.pods, resourceVersion=made["metadata"]["resourceVersion"]) as events:
        same = await stage.server.patch(f"{stage.pods}/a", {"metadata": {"labels": {"x": "1"}}})
        assert same["metadata"]["resourceVersion"] == made["metadata"]["resourceVersion"]
        await stage.server.patch(f"{stage.pods}/a", {"metadata": {"labels": {"x": "2"}}})
        assert (await events.next())["object"]["metadata"]["labels"] == {"x": "2"}


async def forgotten_history_is_an_error_event(stage: Stage) -> None:
    start = await version(stage)
    await stage.server.create(stage.pods, pod("a"))
    await stage.server.create(stage.pods, pod("b"))
    await stage.keeper.forget_watches()
    async with stage.server.watch(stage.pods, resourceVersion=start) as events:
        event = await events.next()
        assert (event["type"], event["object"]["code"], event["object"]["reason"]) == ("ERROR", 410, "Expired")
        assert await events.ended()


async def a_watch_from_a_version_of_the_future_is_silent(stage: Stage) -> None:
    future = int(await version(stage)) + 1_000_000
    async with stage.server.watch(stage.pods, resourceVersion=future, timeoutSeconds=1) as events:
        await stage.server.create(stage.pods, pod("a"))
        assert await events.ended()


async def a_watch_ends_when_its_time_is_over(stage: Stage) -> None:
    async with stage.server.watch(stage.pods, resourceVersion=await version(stage), timeoutSeconds=1) as events:
        assert await events.ended()


async def a_bookmark_says_how_far_a_quiet_watch_is(stage: Stage) -> None:
    start = await version(stage)
    query: dict[str, str | int] = {
        "resourceVersion": start,
        "allowWatchBookmarks": "true",
        "timeoutSeconds": 5,
        "labelSelector": "mine=yes",
    }
    async with stage.server.watch(stage.pods, **query) as events:
        others = await stage.server.create(stage.pods, pod("others"))
        bookmark = await events.next()
    assert (bookmark["type"], bookmark["object"]["kind"]) == ("BOOKMARK", "Pod")
    reached = bookmark["object"]["metadata"]["resourceVersion"]
    assert int(reached) >= int(others["metadata"]["resourceVersion"])
    await stage.server.create(stage.pods, pod("a"))
    async with stage.server.watch(stage.pods, resourceVersion=reached) as events:
        assert await events.told(1) == [("ADDED", "a")]


async def a_list_can_be_streamed(stage: Stage) -> None:
    for name in "abc":
        await stage.server.create(stage.pods, pod(name, labels={"mine": "no" if name == "b" else "yes"}))
    async with stage.server.watch(stage.pods, labelSelector="mine=yes", **STREAMED) as events:
        assert await events.told(2) == [("ADDED", "a"), ("ADDED", "c")]
        end = await events.next()
        assert (end["type"], end["object"]["metadata"]["annotations"]) == ("BOOKMARK", {END: "true"})
        await stage.server.patch(f"{stage.pods}/b", {"metadata": {"labels": {"mine": "yes"}}})
        await stage.server.delete(f"{stage.pods}/a")
        assert await events.told(3) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "a")]
    await _goes_on_from(end, stage)


async def _goes_on_from(end: Json, stage: Stage) -> None:
    reached = end["object"]["metadata"]["resourceVersion"]
    async with stage.server.watch(stage.pods, resourceVersion=reached, labelSelector="mine=yes") as events:
        assert await events.told(3) == [("ADDED", "b"), ("MODIFIED", "a"), ("DELETED", "a")]


async def a_streamed_list_of_nothing_ends_at_once(stage: Stage) -> None:
    for path in (stage.pods, stage.events, stage.leases, "/api/v1/nodes", "/api/v1/namespaces"):
        async with stage.server.watch(path, labelSelector="mine=yes", **STREAMED) as events:
            end = await events.next()
            assert (end["type"], end["object"]["metadata"]["annotations"]) == ("BOOKMARK", {END: "true"})


async def a_streamed_list_is_asked_for_in_one_way(stage: Stage) -> None:
    for query in (
        {"sendInitialEvents": "true", "allowWatchBookmarks": "true"},
        {"resourceVersionMatch": "NotOlderThan"},
        {"sendInitialEvents": "true", "resourceVersionMatch": "Exact", "resourceVersion": "1"},
    ):
        refused = await stage.server.ask("GET", stage.pods, watch="true", timeoutSeconds=1, **query)
        assert (refused.status, refused.body["reason"]) == (422, "Invalid"), query
    refused = await stage.server.ask("GET", stage.pods, sendInitialEvents="true", resourceVersionMatch="NotOlderThan")
    assert refused.status == 422


async def any_text_stays_on_one_line(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    async with stage.server.watch(stage.pods, resourceVersion=await version(stage)) as events:
        for text in ("\x85", "\u2028", "\x00", "é\ud7ff", "\r\n", "<&>"):
            await stage.server.patch(f"{stage.pods}/a/status", {"status": {"message": text}})
            assert (await events.next())["object"]["status"]["message"] == text


SCENARIOS: tuple[Scenario, ...] = (
    a_watch_from_a_list_tells_all_that_came_after,
    a_watch_without_a_version_begins_with_what_there_is,
    objects_enter_and_leave_a_selection,
    a_watch_by_label_hears_of_those_that_get_it,
    a_change_that_changes_nothing_is_no_event,
    forgotten_history_is_an_error_event,
    a_watch_from_a_version_of_the_future_is_silent,
    a_watch_ends_when_its_time_is_over,
    a_bookmark_says_how_far_a_quiet_watch_is,
    a_list_can_be_streamed,
    a_streamed_list_of_nothing_ends_at_once,
    a_streamed_list_is_asked_for_in_one_way,
    any_text_stays_on_one_line,
)
