"""What the protocol of runs believes of Kubernetes, on a real API server with kube-scheduler."""

import secrets
from collections.abc import AsyncIterator, Iterator

import pytest

from agent.core.identity.labels import START_GATE
from agent.core.run_event import PodReference
from agent.kube.connection import STRATEGIC_MERGE_PATCH, Connection
from agent.kube.errors import ApiError
from agent.kube.gated_pods import GatedPods, has_gate
from agent.kube.pods import PodReader, pod_path
from agent.settings.kube import KubeSettings
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.kubelet.behaviour import ENDLESS, Behaviour
from tests.servers.kubelet.nodes import Nodes
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

HOLD = "example.dev/hold"
THEIRS = "example.dev/admission"


def pod(name: str, *gates: str) -> Json:
    spec = {
        "containers": [{"name": "main", "image": "i"}],
        "restartPolicy": "Never",
        "schedulingGates": [{"name": gate} for gate in gates],
    }
    return {"metadata": {"name": name, "finalizers": [HOLD]}, "spec": spec}


@pytest.fixture(name="connection")
async def the_agents_own_connection(scheduled_control_plane: ControlPlane) -> AsyncIterator[Connection]:
    settings = KubeSettings(kubeconfig=scheduled_control_plane.kubeconfig())
    async with await Connection.open(settings) as connection:
        yield connection


@pytest.fixture(name="nodes")
def one_node(scheduled_control_plane: ControlPlane, scheduled_namespace: str) -> Iterator[Nodes]:
    names = [f"node-{secrets.token_hex(4)}"]
    endless = Behaviour(course=ENDLESS)
    with Nodes(scheduled_control_plane, names, lambda _: endless, namespace=scheduled_namespace) as nodes:
        yield nodes


@pytest.fixture(name="client")
def an_admins_client(scheduled_control_plane: ControlPlane) -> Client:
    return scheduled_control_plane.client()


async def create(connection: Connection, namespace: str, name: str, *gates: str) -> PodReference:
    made = await GatedPods(connection).create(namespace, pod(name, *gates))
    return PodReference(namespace=namespace, name=name, uid=made.metadata.uid or "")


async def test_a_gated_pod_that_is_being_deleted_is_not_bound_though_its_gate_goes(
    connection: Connection, client: Client, nodes: Nodes, scheduled_namespace: str
) -> None:
    deleted = await create(connection, scheduled_namespace, "deleted", START_GATE)
    client.delete(pod_path(deleted))
    left = await GatedPods(connection).remove_gate(deleted, START_GATE)
    lives = await create(connection, scheduled_namespace, "lives", START_GATE)
    assert await GatedPods(connection).remove_gate(lives, START_GATE) is not None
    until(lambda: nodes.lives(lives.uid), "the one whose gate went later runs")
    found = client.get(pod_path(deleted))

    assert left is not None
    assert not has_gate(left, START_GATE)
    assert "deletionTimestamp" in found["metadata"]
    assert "nodeName" not in found["spec"]
    assert {each.pod_uid for each in nodes.ledger} == {lives.uid}


async def test_no_patch_with_the_uid_of_another_pod_changes_one(
    connection: Connection, client: Client, nodes: Nodes, scheduled_namespace: str
) -> None:
    earlier = await create(connection, scheduled_namespace, "same", START_GATE)
    client.patch(pod_path(earlier), {"metadata": {"finalizers": []}})
    client.delete(pod_path(earlier))
    later = await create(connection, scheduled_namespace, "same", START_GATE)
    patch = {
        "metadata": {"uid": earlier.uid},
        "spec": {"schedulingGates": [{"name": START_GATE, "$patch": "delete"}]},
    }
    with pytest.raises(ApiError) as refused:
        await connection.patch(pod_path(later), patch, STRATEGIC_MERGE_PATCH)
    removed = await GatedPods(connection).remove_gate(earlier, START_GATE)

    assert (refused.value.status in {409, 422}, removed) == (True, None)
    assert client.get(pod_path(later))["spec"]["schedulingGates"] == [{"name": START_GATE}]
    assert nodes.ledger == []


async def test_the_gate_goes_once_and_by_its_name_and_is_not_missed(
    connection: Connection, client: Client, nodes: Nodes, scheduled_namespace: str
) -> None:
    made = await create(connection, scheduled_namespace, "a", THEIRS, START_GATE)
    first, second = [await GatedPods(connection).remove_gate(made, START_GATE) for _ in range(2)]
    assert first is not None
    assert second is not None
    waits = client.get(pod_path(made))
    await GatedPods(connection).remove_gate(made, THEIRS)
    until(lambda: nodes.lives(made.uid), "runs when the last gate has gone")
    third = await GatedPods(connection).remove_gate(made, START_GATE)

    assert first.metadata.resourceVersion == second.metadata.resourceVersion
    assert waits["spec"]["schedulingGates"] == [{"name": THEIRS}]
    assert third is not None
    assert third.spec.nodeName == client.get(pod_path(made))["spec"]["nodeName"]


async def test_a_gate_cannot_be_put_on_again(connection: Connection, scheduled_namespace: str) -> None:
    made = await create(connection, scheduled_namespace, "a", START_GATE)
    await GatedPods(connection).remove_gate(made, START_GATE)
    with pytest.raises(ApiError) as refused:
        await connection.patch(
            pod_path(made), {"spec": {"schedulingGates": [{"name": START_GATE}]}}, STRATEGIC_MERGE_PATCH
        )

    assert refused.value.status == 422
    assert await PodReader(connection).find(made) is not None


async def test_podgc_writes_failed_on_a_pod_that_never_had_a_node(
    connection: Connection, client: Client, scheduled_control_plane: ControlPlane, scheduled_namespace: str
) -> None:
    deleted = await create(connection, scheduled_namespace, "deleted", START_GATE)
    client.delete(pod_path(deleted))
    before = client.get(pod_path(deleted))["status"]["phase"]
    scheduled_control_plane.run_controllers("pod-garbage-collector-controller")
    try:
        until(lambda: client.get(pod_path(deleted))["status"]["phase"] == "Failed", "written off")
    finally:
        scheduled_control_plane.end_controllers()

    assert before == "Pending"
    assert "nodeName" not in client.get(pod_path(deleted))["spec"]
