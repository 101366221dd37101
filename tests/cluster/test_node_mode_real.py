"""Mode daemonset on a real API server: a process for each node, one of them elected for what nobody else sees."""

import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent.core.failure import Failure
from agent.core.identity.labels import STOP_REQUESTED
from agent.core.run_event import Confirmation, RunPhase, RunStopped
from agent.kube.finalizer import HOLD_LABEL
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real, metrics_of
from tests.cluster.runs.real_runs import RealRuns
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("node-mode")]  # one control plane

NODES = "/api/v1/nodes"
HELD = {HOLD_LABEL: "true"}
RUNNING = {"phase": "Running", "containerStatuses": [{"name": "main", "image": "i", "state": {"running": {}}}]}


@dataclass
class Nodes:
    """Nodes, and a process on each, as a DaemonSet would start it.

    ``silence``: of a process that a busy machine stops for so long the elected one tells too, with the same event ids.
    ``duration``: seconds after which another is elected.
    """

    real: Real
    silence: str = "3s"
    duration: int = 4
    more: dict[str, object] = field(default_factory=dict)
    processes: dict[str, AgentProcess] = field(default_factory=dict)

    def add(self, name: str) -> None:
        self.real.client.create(NODES, {"metadata": {"name": name}})
        self.set_ready(name, ready=True)

    def set_ready(self, name: str, *, ready: bool) -> None:
        condition = {"type": "Ready", "status": str(ready), "reason": "Kubelet"}
        self.real.client.patch(f"{NODES}/{name}/status", {"status": {"conditions": [condition]}})

    def start(self, name: str) -> AgentProcess:
        settings = self.real.settings(
            name,
            mode="daemonset",
            watch=None,
            node={"name": name, "heard": "300ms", "silence": self.silence, "eventsDeadline": "10s"},
            lease={"namespace": self.real.namespace, "duration": self.duration, "renew": "500ms"},
            **self.more,
        )
        self.processes[name] = self.real.start(settings)
        return self.processes[name]

    def metric(self, node: str, name: str) -> float:
        return metrics_of(self.processes[node])[f"failure_agent_{name}"]

    def start_all(self, *names: str) -> None:
        """A node and a process for each; the first is elected, and all are seen by themselves."""
        for name in names:
            self.add(name)
            self.start(name)
            self.until_elected(names[0])
        until(lambda: self.metric(names[0], "covered_nodes") == 0.0, "every node sees itself")

    def until_elected(self, node: str) -> None:
        until(lambda: self.metric(node, "leads") == 1.0, f"{node} elected")


@pytest.fixture(scope="module", name="plane")
def a_control_plane_whose_nodes_are_those_of_one_test_after_the_other(
    kubernetes_program: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[ControlPlane]:
    with ControlPlane(kubernetes_program, tmp_path_factory.mktemp("node-mode")) as plane:
        yield plane


@pytest.fixture(name="nodes")
def nodes_with_processes_that_end_with_the_test(plane: ControlPlane, tmp_path: Path) -> Iterator[Nodes]:
    client, namespace = plane.client(), f"ml-{secrets.token_hex(4)}"
    client.create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    nodes = Nodes(Real(client=client, namespace=namespace, kubeconfig=plane.kubeconfig(), folder=tmp_path))
    yield nodes
    for process in nodes.processes.values():
        process.kill()
    remove_all(nodes.real)


def remove_all(real: Real) -> None:
    """Remove the test's pods and nodes: processes of the next one see all namespaces."""
    for each in real.client.get(real.pods)["items"]:
        path = f"{real.pods}/{each['metadata']['name']}"
        real.client.patch(path, {"metadata": {"finalizers": None}})
        real.client.ask("DELETE", path, query={"gracePeriodSeconds": 0})  # the patch removes one that is being deleted
    for each in real.client.get(NODES)["items"]:
        real.client.delete(f"{NODES}/{each['metadata']['name']}")


def bind(real: Real, pod: str, node: str) -> None:
    target = {"apiVersion": "v1", "kind": "Node", "name": node}
    real.client.create(f"{real.pods}/{pod}/binding", {"metadata": {"name": pod}, "target": target})


def event(real: Real, about: Json, message: str) -> None:
    meta = about["metadata"]
    body = {
        "metadata": {"name": f"{meta['name']}.1"},
        "involvedObject": {"kind": "Pod", "namespace": real.namespace, "name": meta["name"], "uid": meta["uid"]},
        "type": "Warning",
        "reason": "FailedMount",
        "message": message,
    }
    real.client.create(f"/api/v1/namespaces/{real.namespace}/events", body)


def test_each_process_tells_of_its_node_and_one_of_pods_without_a_node(nodes: Nodes) -> None:
    real = nodes.real
    nodes.silence, nodes.duration = "30s", 30
    nodes.start_all("n1", "n2")
    for node in ("n1", "n2"):
        real.create(f"on-{node}", node=node, labels=HELD)
    until(lambda: all(real.is_held(f"on-{node}") for node in ("n1", "n2")), "held")
    for node in ("n1", "n2"):
        real.fail(f"on-{node}")
    real.create("nowhere")
    until(lambda: nodes.metric("n1", 'reflector_objects{kind="pod"}') == 1.0, "pods of its own node only")
    real.client.delete(f"{real.pods}/nowhere")

    real.until_reported("on-n1", "on-n2", "nowhere")
    until(lambda: not any(real.is_held(f"on-{node}") for node in ("n1", "n2")), "released")
    assert real.reported() == {"on-n1": 1, "on-n2": 1, "nowhere": 1}
    assert {each.epoch for each in real.heartbeats()} == {1}


def test_events_are_listed_for_each_failed_pod(nodes: Nodes) -> None:
    real = nodes.real
    nodes.start_all("n1")
    made = real.create("a", node="n1")
    event(real, made, "mount failed: no such device")
    real.fail("a", code=1)

    real.until_reported("a")
    (reported,) = [each.event for each in real.events()]
    assert isinstance(reported, Failure)
    assert reported.classification.category == "volume"
    assert [each.message for each in reported.events] == ["mount failed: no such device"]


def test_a_pod_that_gets_a_node_is_handed_over_without_a_word(nodes: Nodes) -> None:
    real = nodes.real
    nodes.start_all("n1", "n2")
    for pod, node in (("a", "n1"), ("b", "n2")):
        real.create(pod, labels=HELD)
        until(lambda pod=pod: real.is_held(pod), "held by the elected one")  # type: ignore[misc]  # a default of its own
        bind(real, pod, node)
        real.fail(pod)

    real.until_reported("a", "b")
    until(lambda: not real.is_held("a") and not real.is_held("b"), "released")
    assert real.reported() == {"a": 1, "b": 1}


def test_a_node_whose_process_is_silent_or_that_is_not_ready_or_lost_is_seen_by_the_elected_one(nodes: Nodes) -> None:
    real = nodes.real
    for name in ("n1", "n2", "n3", "n4"):
        nodes.add(name)
    nodes.start("n1")
    nodes.until_elected("n1")
    for name in ("n2", "n3"):
        nodes.start(name)
    for node in ("n2", "n3", "n4"):
        real.create(f"on-{node}", node=node, labels=HELD)
    until(lambda: nodes.metric("n1", "covered_nodes") == 1.0, "the node without a process is covered")
    nodes.processes["n2"].kill()
    nodes.set_ready("n3", ready=False)
    until(lambda: nodes.metric("n1", "covered_nodes") == 3.0, "all three covered")
    for node in ("n2", "n4"):
        real.fail(f"on-{node}")
    real.client.delete(f"{NODES}/n3")
    nodes.processes["n3"].kill()
    real.client.delete(f"{real.pods}/on-n3", gracePeriodSeconds=0)

    real.until_reported("on-n2", "on-n3", "on-n4")
    until(lambda: not any(real.is_held(f"on-{node}") for node in ("n2", "n3", "n4")), "released")
    nodes.start("n2")
    until(lambda: nodes.metric("n1", "covered_nodes") == 1.0, "n2 sees itself again, and nothing is left on n3")
    assert {event.pod.name for event in real.events()} == {"on-n2", "on-n3", "on-n4"}
    assert len({event.event_id for event in real.events()}) == 3


def test_another_is_elected_when_the_elected_one_dies(nodes: Nodes) -> None:
    real = nodes.real
    nodes.start_all("n1", "n2")
    real.create("a", node="n1", labels=HELD)
    until(lambda: real.is_held("a"), "held")
    nodes.processes["n1"].kill()
    real.fail("a")
    real.client.delete(f"{real.pods}/a")
    real.create("nowhere")
    real.client.delete(f"{real.pods}/nowhere")

    nodes.until_elected("n2")
    real.until_reported("a")
    until(lambda: real.get("a") is None, "released")
    lease = real.client.get(f"/apis/coordination.k8s.io/v1/namespaces/{real.namespace}/leases/failure-agent.n2")
    assert [(owner["kind"], owner["name"]) for owner in lease["metadata"]["ownerReferences"]] == [("Node", "n2")]


def test_pods_on_a_node_that_is_gone_already_are_found_by_whoever_is_elected(nodes: Nodes) -> None:
    real = nodes.real
    nodes.add("n1")
    nodes.add("gone")
    real.create("a", node="gone", held=True)
    real.client.delete(f"{NODES}/gone")
    real.client.delete(f"{real.pods}/a", gracePeriodSeconds=0)
    assert real.is_held("a")

    nodes.start("n1")

    real.until_reported("a")
    until(lambda: real.get("a") is None, "released")


def test_a_run_is_stopped_by_the_elected_process_and_answered_by_that_of_its_node(nodes: Nodes) -> None:
    real = nodes.real
    nodes.silence, nodes.duration = "30s", 30
    nodes.more = {"run": {"namespaces": [real.namespace], "maxRuns": 5}}
    nodes.start_all("n1", "n2")
    runs = RealRuns(real=real)
    runs.wait_until_offered()
    pod = runs.start("a")
    bind(real, "a", "n2")
    real.client.patch(f"{real.pods}/a/status", {"status": RUNNING})
    runs.told("a", RunPhase.RUNNING)
    runs.stop(pod, run="a")
    until(lambda: "deletionTimestamp" in (real.get("a") or {})["metadata"], "deleted")
    noted = (real.get("a") or {})["metadata"]["annotations"]
    real.fail("a", code=143)
    told = runs.told("a", RunStopped)
    real.client.ask("DELETE", f"{real.pods}/a", query={"gracePeriodSeconds": 0})
    until(lambda: real.get("a") is None, "gone")

    assert STOP_REQUESTED in noted
    assert told.confirmed is Confirmation.CONTAINERS
    assert len(runs.of("a", RunStopped)) == 1
