"""Pods behind our gate: created, tried, and started by uid."""

import pytest

from agent.core.identity.labels import START_GATE, STOP_REQUESTED
from agent.core.run_event import PodReference
from agent.kube.codec import Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError
from agent.kube.gated_pods import GatedPods, has_gate
from agent.settings.kube import KubeSettings
from tests.answering import answering
from tests.kube.cluster import Cluster, cluster
from tests.simulator.api import PODS, Json, pod

THEIRS = "kueue.x-k8s.io/admission"


def gated(*gates: str) -> Json:
    made = pod("a")
    return {**made, "spec": {**made["spec"], "schedulingGates": [{"name": gate} for gate in gates]}}


async def created(it: Cluster, *gates: str) -> PodReference:
    made = await GatedPods(it.connection).create("default", gated(*gates))
    return PodReference(namespace="default", name="a", uid=made.metadata.uid or "")


async def test_a_pod_is_created_with_its_gates() -> None:
    async with cluster() as it:
        made = await GatedPods(it.connection).create("default", gated(START_GATE, THEIRS))
        found = await it.api.get(f"{PODS}/a")
    assert has_gate(made, START_GATE)
    assert not has_gate(made, "another")
    assert made.metadata.uid == found["metadata"]["uid"]


async def test_a_pod_that_is_only_tried_does_not_exist() -> None:
    async with cluster() as it:
        tried = await GatedPods(it.connection).try_to_create("default", gated(START_GATE))
        assert (await it.api.ask("GET", f"{PODS}/a"))[0] == 404
    assert has_gate(tried, START_GATE)


async def test_our_gate_goes_by_its_name_and_once() -> None:
    async with cluster() as it:
        ref = await created(it, THEIRS, START_GATE)
        for _ in range(2):
            left = await GatedPods(it.connection).remove_gate(ref, START_GATE)
            assert left is not None
            assert [each.name for each in left.spec.schedulingGates or ()] == [THEIRS]


async def test_a_pod_that_is_gone_and_a_namesake_are_not_started() -> None:
    async with cluster() as it:
        ref = await created(it, START_GATE)
        await it.remove("a")
        assert await GatedPods(it.connection).remove_gate(ref, START_GATE) is None
        await created(it, START_GATE)
        assert await GatedPods(it.connection).remove_gate(ref, START_GATE) is None
        assert (await it.api.get(f"{PODS}/a"))["spec"]["schedulingGates"] == [{"name": START_GATE}]


async def test_this_very_pod_is_annotated() -> None:
    async with cluster() as it:
        ref = await created(it, START_GATE)
        for _ in range(2):
            noted = await GatedPods(it.connection).annotate(ref, STOP_REQUESTED, "now")
            assert noted is not None
            assert (noted.metadata.annotations or {})[STOP_REQUESTED] == "now"
            assert has_gate(noted, START_GATE)
        await it.remove("a")
        assert await GatedPods(it.connection).annotate(ref, STOP_REQUESTED, "now") is None
        await created(it, START_GATE)
        assert await GatedPods(it.connection).annotate(ref, STOP_REQUESTED, "now") is None
        assert STOP_REQUESTED not in (await it.api.get(f"{PODS}/a"))["metadata"].get("annotations", {})


@pytest.mark.parametrize("code", [409, 422])
async def test_a_conflict_is_tried_again_and_is_an_error_in_the_end(code: int) -> None:
    async with cluster() as it:
        ref = await created(it, START_GATE)
        await it.api.add_fault(kind="status", verb="patch", code=code, times=4)
        assert await GatedPods(it.connection).remove_gate(ref, START_GATE) is not None
        await it.api.add_fault(kind="status", verb="patch", code=code, times=5)
        with pytest.raises(ApiError) as refused:
            await GatedPods(it.connection).remove_gate(ref, START_GATE)
    assert refused.value.status == code


async def test_the_causes_of_a_refusal_are_kept() -> None:
    async with cluster() as it:
        await it.api.ask("DELETE", "/api/v1/namespaces/default")
        with pytest.raises(ApiError) as refused:
            await GatedPods(it.connection).create("default", gated(START_GATE))
    assert (refused.value.status, refused.value.causes) == (403, ("NamespaceTerminating",))


async def test_an_answer_that_is_no_pod_is_said_so() -> None:
    with answering(b'{"metadata": {"name": 7}}') as url:
        async with await Connection.open(KubeSettings(url=url)) as connection:
            with pytest.raises(Unreadable, match="not a pod"):
                await GatedPods(connection).create("default", gated(START_GATE))


async def test_a_denial_by_admission_is_no_missing_permission() -> None:
    refused: list[str] = []
    async with cluster() as it:
        it.connection.on_forbidden(lambda method, path, _: refused.append(f"{method} {path}"))
        for fault in ({"kind": "quota"}, {"kind": "webhook"}, {"kind": "status", "code": 403}):
            await it.api.add_fault(**fault, verb="create", times=1)
            with pytest.raises(ApiError):
                await GatedPods(it.connection).create("default", gated(START_GATE))
    assert refused == [f"POST {PODS}"]
