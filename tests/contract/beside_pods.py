"""Scenarios: leases, events, nodes and namespaces."""

from tests.contract.reading import names
from tests.contract.stage import Scenario, Stage
from tests.simulator.api import MERGE, STRATEGIC, Json

TIME = "2026-01-02T03:04:05.000006Z"


def lease(holder: str) -> Json:
    """A lease that somebody holds."""
    spec = {"holderIdentity": holder, "leaseDurationSeconds": 8, "acquireTime": TIME, "renewTime": TIME}
    return {"metadata": {"name": "leader"}, "spec": {**spec, "leaseTransitions": 0}}


async def one_of_two_gets_a_new_lease(stage: Stage) -> None:
    await stage.server.create(stage.leases, lease("first"))
    second = await stage.server.ask("POST", stage.leases, body=lease("second"))
    assert (second.status, second.body["reason"]) == (409, "AlreadyExists")
    assert (await stage.server.get(f"{stage.leases}/leader"))["spec"]["holderIdentity"] == "first"


async def one_of_two_takes_a_lease_over(stage: Stage) -> None:
    made = await stage.server.create(stage.leases, lease("first"))
    version = {"resourceVersion": made["metadata"]["resourceVersion"]}
    taken = lease("second") | {"metadata": made["metadata"] | version}
    await stage.server.replace(f"{stage.leases}/leader", taken)
    late = await stage.server.ask("PUT", f"{stage.leases}/leader", body=lease("third") | {"metadata": made["metadata"]})
    assert (late.status, late.body["reason"]) == (409, "Conflict")
    unversioned = await stage.server.ask("PUT", f"{stage.leases}/leader", body=lease("fourth"))
    assert unversioned.status == 422
    stale = {"metadata": version, "spec": {"holderIdentity": "fifth"}}
    patched = await stage.server.ask("PATCH", f"{stage.leases}/leader", body=stale, content_type=MERGE)
    assert patched.status == 409
    found = await stage.server.get(f"{stage.leases}/leader")
    assert (found["spec"]["holderIdentity"], found["spec"]["renewTime"]) == ("second", TIME)


async def a_lease_can_be_patched_watched_and_deleted(stage: Stage) -> None:
    made = await stage.server.create(stage.leases, lease("first"))
    async with stage.server.watch(stage.leases, resourceVersion=made["metadata"]["resourceVersion"]) as events:
        await stage.server.patch(f"{stage.leases}/leader", {"spec": {"holderIdentity": None}})
        await stage.server.delete(f"{stage.leases}/leader")
        assert await events.told(2) == [("MODIFIED", "leader"), ("DELETED", "leader")]
    assert names(await stage.server.get(stage.leases)) == []


async def an_event_is_about_something_in_its_namespace(stage: Stage) -> None:
    body = {"metadata": {"name": "e"}, "involvedObject": {"kind": "Pod", "name": "a", "namespace": "elsewhere"}}
    refused = await stage.server.ask("POST", stage.events, body=body)
    assert (refused.status, refused.body["reason"]) == (422, "Invalid")


async def fields_of_events_select(stage: Stage) -> None:
    for name, kind, severity in (("e1", "Pod", "Warning"), ("e2", "Pod", "Normal"), ("e3", "Pet", "Warning")):
        about = {"kind": kind, "name": "x", "uid": f"uid-{name}", "namespace": stage.namespace}
        body = {"metadata": {"name": name}, "involvedObject": about, "type": severity, "reason": "Because"}
        await stage.server.create(stage.events, {**body, "message": "so", "source": {"component": "kubelet"}})
    for selector, found in {
        "involvedObject.kind=Pod,type=Warning": ["e1"],
        "involvedObject.uid=uid-e3,reason=Because": ["e3"],
        "involvedObject.name=x,type!=Warning": ["e2"],
        "source=kubelet,involvedObject.kind!=Pod": ["e3"],
    }.items():
        assert names(await stage.server.get(stage.events, fieldSelector=selector)) == found, selector


async def an_event_counts(stage: Stage) -> None:
    about = {"kind": "Pod", "name": "x", "namespace": stage.namespace}
    first = {"metadata": {"name": "e"}, "involvedObject": about, "type": "Warning", "reason": "BackOff", "count": 1}
    await stage.server.create(stage.events, {**first, "lastTimestamp": "2026-01-02T03:04:05Z"})
    more = await stage.server.patch(f"{stage.events}/e", {"count": 2}, STRATEGIC)
    assert more["count"] == 2


async def a_node_has_taints_and_conditions(stage: Stage) -> None:
    name = stage.namespace
    await stage.server.create("/api/v1/nodes", {"metadata": {"name": name}, "spec": {"taints": []}})
    await stage.server.patch(f"/api/v1/nodes/{name}", {"spec": {"unschedulable": True}})
    ready = {"type": "Ready", "status": "False", "reason": "KubeletNotReady", "message": "no"}
    await stage.server.patch(f"/api/v1/nodes/{name}/status", {"status": {"conditions": [ready]}}, STRATEGIC)
    found = await stage.server.get(f"/api/v1/nodes/{name}")
    assert (found["spec"]["unschedulable"], found["status"]["conditions"][0]["reason"]) == (True, "KubeletNotReady")
    await stage.server.delete(f"/api/v1/nodes/{name}")


async def a_namespace_is_active_and_has_its_name_for_a_label(stage: Stage) -> None:
    found = await stage.server.get(f"/api/v1/namespaces/{stage.namespace}")
    assert found["metadata"]["labels"] == {"kubernetes.io/metadata.name": stage.namespace}
    assert found["status"]["phase"] == "Active"


SCENARIOS: tuple[Scenario, ...] = (
    one_of_two_gets_a_new_lease,
    one_of_two_takes_a_lease_over,
    a_lease_can_be_patched_watched_and_deleted,
    an_event_is_about_something_in_its_namespace,
    fields_of_events_select,
    an_event_counts,
    a_node_has_taints_and_conditions,
    a_namespace_is_active_and_has_its_name_for_a_label,
)
