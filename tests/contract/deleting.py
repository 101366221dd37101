"""Scenarios: grace, preconditions and finalizers at the end of objects."""

from datetime import datetime, timedelta

from tests.contract.stage import Scenario, Stage
from tests.contract.writing import FINALIZER, OTHER
from tests.simulator.api import STRATEGIC, Json, pod


async def a_pod_without_a_node_goes_at_once(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a"))
    gone = await stage.server.delete(f"{stage.pods}/a")
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 0
    assert (await stage.server.ask("GET", f"{stage.pods}/a")).status == 404
    assert (await stage.server.ask("DELETE", f"{stage.pods}/a")).status == 404


async def a_pod_on_a_node_gets_its_grace(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, pod("a", node="n1"))
    await stage.server.delete(f"{stage.pods}/a")
    marked = await stage.server.get(f"{stage.pods}/a")
    assert marked["metadata"]["deletionGracePeriodSeconds"] == 30
    shorter = await stage.server.delete(f"{stage.pods}/a", gracePeriodSeconds=7)
    assert shorter["metadata"]["deletionGracePeriodSeconds"] == 7
    assert _requested(shorter) == _requested(marked)
    longer = await stage.server.delete(f"{stage.pods}/a", gracePeriodSeconds=20)
    assert longer["metadata"]["deletionGracePeriodSeconds"] == 7
    await stage.server.delete(f"{stage.pods}/a", gracePeriodSeconds=0)
    assert (await stage.server.ask("GET", f"{stage.pods}/a")).status == 404
    async with stage.server.watch(stage.pods, resourceVersion=made["metadata"]["resourceVersion"]) as events:
        assert await events.told(4) == [("MODIFIED", "a"), ("MODIFIED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


def _requested(pod: Json) -> datetime:
    """When its deletion was asked for first."""
    meta = pod["metadata"]
    return datetime.fromisoformat(meta["deletionTimestamp"]) - timedelta(seconds=meta["deletionGracePeriodSeconds"])


async def a_pod_that_is_over_goes_at_once(stage: Stage) -> None:
    for phase in ("Succeeded", "Failed"):
        await stage.server.create(stage.pods, pod("a", node="n1"))
        await stage.server.patch(f"{stage.pods}/a/status", {"status": {"phase": phase}})
        await stage.server.delete(f"{stage.pods}/a")
        assert (await stage.server.ask("GET", f"{stage.pods}/a")).status == 404


async def finalizers_hold_a_pod_until_the_last_is_off(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a", finalizers=[FINALIZER, OTHER]))
    held = await stage.server.delete(f"{stage.pods}/a")
    assert held["metadata"]["deletionTimestamp"]
    one = {"metadata": {"$deleteFromPrimitiveList/finalizers": [FINALIZER]}}
    left = await stage.server.patch(f"{stage.pods}/a", one, STRATEGIC)
    assert left["metadata"]["finalizers"] == [OTHER]
    async with stage.server.watch(stage.pods, resourceVersion=left["metadata"]["resourceVersion"]) as events:
        last = {"metadata": {"$deleteFromPrimitiveList/finalizers": [OTHER]}}
        await stage.server.patch(f"{stage.pods}/a", last, STRATEGIC)
        assert await events.told(1) == [("DELETED", "a")]
    assert (await stage.server.ask("GET", f"{stage.pods}/a")).status == 404


async def a_held_pod_on_a_node_waits_for_both(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a", node="n1", finalizers=[FINALIZER]))
    start = (await stage.server.get(stage.pods))["metadata"]["resourceVersion"]
    async with stage.server.watch(stage.pods, resourceVersion=start) as events:
        await stage.server.delete(f"{stage.pods}/a")
        await stage.server.delete(f"{stage.pods}/a", gracePeriodSeconds=0)
        held = await stage.server.get(f"{stage.pods}/a")
        assert held["metadata"]["deletionGracePeriodSeconds"] == 0
        await stage.server.patch(f"{stage.pods}/a", {"metadata": {"finalizers": None}})
        assert await events.told(3) == [("MODIFIED", "a"), ("MODIFIED", "a"), ("DELETED", "a")]


async def no_finalizer_is_added_to_what_is_being_deleted(stage: Stage) -> None:
    await stage.server.create(stage.pods, pod("a", finalizers=[FINALIZER]))
    await stage.server.delete(f"{stage.pods}/a")
    more = {"metadata": {"finalizers": ["example.dev/late"]}}
    refused = await stage.server.ask("PATCH", f"{stage.pods}/a", body=more, content_type=STRATEGIC)
    assert (refused.status, refused.body["reason"]) == (422, "Invalid")


async def preconditions_of_a_deletion_are_kept(stage: Stage) -> None:
    for wanted in ({"uid": "other"}, {"resourceVersion": "1"}):
        made = await stage.server.create(stage.pods, pod("a"))
        refused = await stage.server.ask("DELETE", f"{stage.pods}/a", body={"preconditions": wanted})
        assert (refused.status, refused.body["reason"]) == (409, "Conflict")
        right: Json = {"preconditions": {name: made["metadata"][name] for name in wanted}}
        assert (await stage.server.ask("DELETE", f"{stage.pods}/a", body=right)).status == 200


SCENARIOS: tuple[Scenario, ...] = (
    a_pod_without_a_node_goes_at_once,
    a_pod_on_a_node_gets_its_grace,
    a_pod_that_is_over_goes_at_once,
    finalizers_hold_a_pod_until_the_last_is_off,
    a_held_pod_on_a_node_waits_for_both,
    no_finalizer_is_added_to_what_is_being_deleted,
    preconditions_of_a_deletion_are_kept,
)
