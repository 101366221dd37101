"""Scenarios: scheduling gates, by which a pod waits, and what is bound to a node.

Only the API server is asked: ``binding`` is what a scheduler sends.
"""

from tests.contract.stage import Scenario, Stage
from tests.contract.writing import FINALIZER
from tests.simulator.api import JSON_PATCH, MERGE, STRATEGIC, Json, pod

OURS = "example.dev/start"
QUEUE = "example.org/queue"


def gated(name: str, *gates: str) -> Json:
    """A pod that waits for these gates."""
    made = pod(name)
    return {**made, "spec": {**made["spec"], "schedulingGates": [{"name": gate} for gate in gates]}}


def opening(uid: str, gate: str) -> Json:
    """The patch that removes one gate, whatever other gates there are, of the pod with this uid only."""
    return {"metadata": {"uid": uid}, "spec": {"schedulingGates": [{"$patch": "delete", "name": gate}]}}


async def bind(stage: Stage, name: str, *, uid: str | None = None) -> tuple[int, Json]:
    """What the server answers to a scheduler that has found a node."""
    meta = {"name": name} | ({} if uid is None else {"uid": uid})
    body = {"metadata": meta, "target": {"kind": "Node", "name": "n1"}}
    answer = await stage.server.ask("POST", f"{stage.pods}/{name}/binding", body=body)
    return answer.status, answer.body


async def a_gated_pod_is_not_bound_until_its_last_gate_is_off(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, gated("a", QUEUE, OURS))
    (condition,) = made["status"]["conditions"]
    assert (condition["type"], condition["status"]) == ("PodScheduled", "False")
    assert condition["reason"] == "SchedulingGated"
    assert (await bind(stage, "a"))[0] == 409
    uid = made["metadata"]["uid"]
    left = await stage.server.patch(f"{stage.pods}/a", opening(uid, OURS), STRATEGIC)
    assert left["spec"]["schedulingGates"] == [{"name": QUEUE}]
    assert (await bind(stage, "a"))[0] == 409
    free = await stage.server.patch(f"{stage.pods}/a", opening(uid, QUEUE), STRATEGIC)
    assert "schedulingGates" not in free["spec"]
    assert free["status"]["conditions"] == made["status"]["conditions"], "the scheduler changes it, not the API server"
    again = await stage.server.patch(f"{stage.pods}/a", opening(uid, OURS), STRATEGIC)
    assert again["metadata"]["resourceVersion"] == free["metadata"]["resourceVersion"]
    assert (await bind(stage, "a"))[0] == 201
    bound = await stage.server.get(f"{stage.pods}/a")
    assert bound["spec"]["nodeName"] == "n1"
    assert [each["status"] for each in bound["status"]["conditions"]] == ["True"]
    assert (await bind(stage, "a"))[0] == 409


async def a_gate_is_removed_by_its_name_when_indexes_shift(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, gated("a", QUEUE, OURS))
    first: Json = {"op": "remove", "path": "/spec/schedulingGates/0"}
    known = {"op": "test", "path": "/spec/schedulingGates/0/name", "value": QUEUE}
    await stage.server.patch(f"{stage.pods}/a", [known, first], JSON_PATCH)
    late = await stage.server.ask("PATCH", f"{stage.pods}/a", body=[known, first], content_type=JSON_PATCH)
    assert (late.status, late.body["reason"]) == (422, "Invalid")
    free = await stage.server.patch(f"{stage.pods}/a", opening(made["metadata"]["uid"], OURS), STRATEGIC)
    assert "schedulingGates" not in free["spec"]


async def a_gate_is_removed_by_any_patch_and_by_replacing(stage: Stage) -> None:
    await stage.server.create(stage.pods, gated("a", QUEUE, OURS))
    one = {"spec": {"schedulingGates": [{"name": OURS}]}}
    left = await stage.server.patch(f"{stage.pods}/a", one, MERGE)
    assert left["spec"]["schedulingGates"] == [{"name": OURS}]
    none = await stage.server.patch(f"{stage.pods}/a", {"spec": {"schedulingGates": None}}, MERGE)
    assert "schedulingGates" not in none["spec"]
    made = await stage.server.create(stage.pods, gated("b", QUEUE, OURS))
    made["spec"]["schedulingGates"] = []
    assert "schedulingGates" not in (await stage.server.replace(f"{stage.pods}/b", made))["spec"]


async def the_gate_of_a_namesake_stays(stage: Stage) -> None:
    first = await stage.server.create(stage.pods, gated("a", OURS))
    await stage.server.delete(f"{stage.pods}/a")
    namesake = await stage.server.create(stage.pods, gated("a", OURS))
    patch = opening(first["metadata"]["uid"], OURS)
    refused = await stage.server.ask("PATCH", f"{stage.pods}/a", body=patch, content_type=STRATEGIC)
    assert (refused.status, refused.body["reason"]) == (422, "Invalid")
    assert (await bind(stage, "a", uid=first["metadata"]["uid"]))[0] == 409
    gone = {"preconditions": {"uid": first["metadata"]["uid"]}}
    kept = await stage.server.ask("DELETE", f"{stage.pods}/a", body=gone)
    assert (kept.status, kept.body["reason"]) == (409, "Conflict")
    assert await stage.server.get(f"{stage.pods}/a") == namesake
    nobody = await stage.server.ask("PATCH", f"{stage.pods}/b", body=patch, content_type=STRATEGIC)
    assert (nobody.status, nobody.body["reason"]) == (404, "NotFound")


async def no_gate_is_added_to_a_pod_that_exists(stage: Stage) -> None:
    await stage.server.create(stage.pods, gated("a", OURS))
    await stage.server.create(stage.pods, pod("b"))
    more = {"spec": {"schedulingGates": [{"name": QUEUE}]}}
    added = {"op": "add", "path": "/spec/schedulingGates/-", "value": {"name": QUEUE}}
    for name, body, form in (("a", more, STRATEGIC), ("a", [added], JSON_PATCH), ("b", more, MERGE)):
        refused = await stage.server.ask("PATCH", f"{stage.pods}/{name}", body=body, content_type=form)
        assert (refused.status, refused.body["reason"]) == (422, "Invalid")
        assert "only deletion is allowed, but found new scheduling gate" in refused.body["message"]


async def gates_that_cannot_be_are_refused(stage: Stage) -> None:
    placed = gated("a", OURS)
    placed["spec"]["nodeName"] = "n1"
    for body, field in (
        (placed, "spec.nodeName"),
        (gated("a", OURS, OURS), "spec.schedulingGates[1]"),
    ):
        refused = await stage.server.ask("POST", stage.pods, body=body)
        assert (refused.status, refused.body["reason"]) == (422, "Invalid")
        assert field in [cause["field"] for cause in refused.body["details"]["causes"]]


async def a_gated_pod_that_is_deleted_goes_at_once(stage: Stage) -> None:
    made = await stage.server.create(stage.pods, gated("a", OURS))
    gone = await stage.server.delete(f"{stage.pods}/a")
    assert gone["metadata"]["deletionGracePeriodSeconds"] == 0
    patch = opening(made["metadata"]["uid"], OURS)
    late = await stage.server.ask("PATCH", f"{stage.pods}/a", body=patch, content_type=STRATEGIC)
    assert (late.status, late.body["reason"]) == (404, "NotFound")


async def a_pod_that_is_being_deleted_is_not_bound(stage: Stage) -> None:
    body = gated("a", OURS)
    body["metadata"]["finalizers"] = [FINALIZER]
    made = await stage.server.create(stage.pods, body)
    held = await stage.server.delete(f"{stage.pods}/a")
    assert held["metadata"]["deletionTimestamp"]
    free = await stage.server.patch(f"{stage.pods}/a", opening(made["metadata"]["uid"], OURS), STRATEGIC)
    assert "schedulingGates" not in free["spec"]
    assert (await bind(stage, "a"))[0] == 409
    await stage.server.patch(f"{stage.pods}/a", {"metadata": {"finalizers": None}})
    assert (await stage.server.ask("GET", f"{stage.pods}/a")).status == 404
    assert (await bind(stage, "a"))[0] == 404


SCENARIOS: tuple[Scenario, ...] = (
    a_gated_pod_is_not_bound_until_its_last_gate_is_off,
    a_gate_is_removed_by_its_name_when_indexes_shift,
    a_gate_is_removed_by_any_patch_and_by_replacing,
    the_gate_of_a_namesake_stays,
    no_gate_is_added_to_a_pod_that_exists,
    gates_that_cannot_be_are_refused,
    a_gated_pod_that_is_deleted_goes_at_once,
    a_pod_that_is_being_deleted_is_not_bound,
)
