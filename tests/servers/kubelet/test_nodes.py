"""Kubelets beside a real API server and kube-scheduler: what becomes of pods, and what the ledger knows of it."""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest

from agent.core.identity.labels import JOB
from agent.simulator.script import Stop
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.kubelet.behaviour import ENDLESS, Behaviour, Course, fails
from tests.servers.kubelet.nodes import Nodes
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

ENDLESSLY = Behaviour(course=ENDLESS)


@dataclass(frozen=True, kw_only=True)
class Stage:
    """Pods of one namespace, whose name says what they do."""

    client: Client
    namespace: str
    behaviours: dict[str, Behaviour]
    nodes: Nodes

    @property
    def pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"

    def create(
        self, name: str, behaviour: Behaviour, *, job: str = "", finalizers: tuple[str, ...] = (), **spec: Any
    ) -> str:
        self.behaviours[name] = behaviour
        meta = {"name": name, "labels": {JOB: job} if job else {}, "finalizers": list(finalizers)}
        made = self.client.create(
            self.pods,
            {"metadata": meta, "spec": {"restartPolicy": "Never", "containers": [container("main")], **spec}},
        )
        return str(made["metadata"]["uid"])

    def get(self, name: str) -> Json | None:
        answer = self.client.ask("GET", f"{self.pods}/{name}")
        return answer.json() if answer.status == 200 else None

    def status(self, name: str) -> Json:
        return dict((self.get(name) or {"status": {}})["status"])

    def until_phase(self, phase: str, name: str = "a") -> None:
        until(lambda: self.status(name).get("phase") == phase, phase)

    def delete(self, name: str, **query: int) -> None:
        self.client.delete(f"{self.pods}/{name}", **query)

    def until_gone(self, name: str) -> None:
        until(lambda: self.get(name) is None, "gone")


def container(name: str) -> Json:
    return {"name": name, "image": "example"}


@pytest.fixture(name="start_stage")
def a_namespace_and_nodes(
    scheduled_control_plane: ControlPlane, scheduled_namespace: str
) -> Iterator[Callable[..., Stage]]:
    with ExitStack() as running:

        def start(*names: str) -> Stage:
            behaviours: dict[str, Behaviour] = {}
            nodes = Nodes(
                scheduled_control_plane,
                names,
                lambda pod: behaviours[pod["metadata"]["name"]],
                namespace=scheduled_namespace,
            )
            return Stage(
                client=scheduled_control_plane.client(),
                namespace=scheduled_namespace,
                behaviours=behaviours,
                nodes=running.enter_context(nodes),
            )

        yield start


@pytest.fixture(name="node")
def the_name_of_a_node() -> str:
    return f"node-{secrets.token_hex(4)}"


@pytest.fixture(name="stage")
def a_namespace_and_one_node(start_stage: Callable[..., Stage], node: str) -> Stage:
    return start_stage(node)


def states(status: Json, field: str = "containerStatuses") -> list[Any]:
    """Of each container the exit code, or the reason why it waits, or ``running``."""
    found = [each["state"] for each in status.get(field, ())]
    return [
        each["terminated"]["exitCode"] if "terminated" in each else each.get("waiting", {}).get("reason", "running")
        for each in found
    ]


def conditions(status: Json) -> dict[str, str]:
    return {each["type"]: each["status"] for each in status["conditions"]}


def test_pods_run_and_end_as_they_should(stage: Stage) -> None:
    stage.create("good", Behaviour())
    stage.create("bad", Behaviour(course=fails(42)))
    stage.create("waits", Behaviour(pull=None))
    stage.create("again", Behaviour(course=fails()), restartPolicy="OnFailure")
    for name, phase in (("good", "Succeeded"), ("bad", "Failed")):
        stage.until_phase(phase, name)
    until(lambda: stage.status("again").get("containerStatuses", [{}])[0].get("restartCount") == 1, "restarted")
    good, bad, waits = (stage.status(name) for name in ("good", "bad", "waits"))

    assert (states(good), states(bad), states(waits)) == ([0], [42], ["ContainerCreating"])
    assert (waits["phase"], stage.status("again")["phase"]) == ("Pending", "Running")
    assert conditions(bad)["PodScheduled"] == "True"
    assert conditions(bad)["Ready"] == "False"
    assert [each.pod for each in stage.nodes.ledger].count("again") == 2
    assert stage.nodes.overlaps == []


def test_a_failed_init_container_keeps_the_others_waiting(stage: Stage) -> None:
    failing = Behaviour(containers={"second": fails(3)})
    stage.create("a", failing, initContainers=[container("first"), container("second"), container("third")])
    stage.until_phase("Failed")

    assert states(stage.status("a"), "initContainerStatuses") == [0, 3, "PodInitializing"]
    assert states(stage.status("a")) == ["PodInitializing"]


def test_a_sidecar_ends_with_the_others(stage: Stage) -> None:
    sidecar = {**container("sidecar"), "restartPolicy": "Always"}
    stage.create("a", Behaviour(containers={"sidecar": ENDLESS}), initContainers=[sidecar])
    until(lambda: states(stage.status("a"), "initContainerStatuses") == [143], "the sidecar ended")

    assert stage.status("a")["phase"] == "Succeeded"


@pytest.mark.parametrize(
    ("stop", "grace", "phase", "code"),
    [
        (Stop(after="0s"), 30, "Failed", 143),
        (Stop(after="1h"), 1, "Failed", 137),
        (Stop(after="0s", exit=Course().exit), 30, "Succeeded", 0),
    ],
    ids=["obeys", "is-killed", "ends-well"],
)
def test_a_pod_that_is_deleted_ends_and_is_gone(stage: Stage, stop: Stop, grace: int, phase: str, code: int) -> None:
    uid = stage.create("a", Behaviour(course=Course(seconds=None, stop=stop)), finalizers=("example.dev/hold",))
    stage.until_phase("Running")
    lived = stage.nodes.lives(uid)
    stage.delete("a", gracePeriodSeconds=grace)
    stage.until_phase(phase)
    assert states(stage.status("a")) == [code]
    until(lambda: (stage.get("a") or {})["metadata"]["deletionGracePeriodSeconds"] == 0, "deleted by the kubelet")
    stage.client.patch(f"{stage.pods}/a", {"metadata": {"finalizers": []}})
    stage.until_gone("a")

    assert (lived, stage.nodes.lives(uid)) == (True, False)
    assert stage.nodes.ledger[0].ended_at is not None


def test_a_pod_that_is_deleted_before_its_image_is_there_never_ran(stage: Stage) -> None:
    stage.create("a", Behaviour(pull=None), finalizers=("example.dev/hold",))
    until(lambda: "containerStatuses" in stage.status("a"), "pulling")
    stage.delete("a")
    stage.until_phase("Failed")
    (ended,) = stage.status("a")["containerStatuses"]
    stage.client.patch(f"{stage.pods}/a", {"metadata": {"finalizers": []}})

    assert ended["state"]["terminated"]["reason"] == "ContainerStatusUnknown"
    assert stage.nodes.ledger == []


def test_the_containers_of_a_pod_that_is_deleted_by_force_live_on(stage: Stage) -> None:
    stubborn = Behaviour(course=Course(seconds=None, stop=Stop(after="1h")))
    uid = stage.create("a", stubborn, job="j", terminationGracePeriodSeconds=2)
    stage.until_phase("Running")
    stage.delete("a", gracePeriodSeconds=0)
    stage.until_gone("a")
    lived = stage.nodes.lives(uid)
    stage.create("b", ENDLESSLY, job="j")
    stage.until_phase("Running", "b")
    until(lambda: not stage.nodes.lives(uid), "killed")

    assert lived
    (overlap,) = stage.nodes.overlaps
    assert (overlap.job_id, overlap.pod_uids[0]) == ("j", uid)


def test_containers_go_on_without_their_kubelet(stage: Stage, node: str) -> None:
    stage.create("short", Behaviour(course=fails(7, seconds=1)))
    uid = stage.create("long", ENDLESSLY)
    for name in ("short", "long"):
        stage.until_phase("Running", name)
    stage.nodes.kill(node)
    until(lambda: any(each.ended_at for each in stage.nodes.ledger), "ended")
    unseen = stage.status("short")["phase"]
    stage.nodes.start(node)
    stage.until_phase("Failed", "short")

    assert (unseen, states(stage.status("short"))) == ("Running", [7])
    assert (stage.nodes.lives(uid), len(stage.nodes.ledger)) == (True, 2)
    stage.delete("long")
    stage.until_gone("long")


def test_a_kubelet_that_is_cut_off_hears_of_a_deletion_and_of_an_end_later(stage: Stage, node: str) -> None:
    """What PodGC writes of a pod ends it as well, once its kubelet is back."""
    uids = [stage.create(name, ENDLESSLY, finalizers=("example.dev/hold",)) for name in ("deleted", "failed")]
    for name in ("deleted", "failed"):
        stage.until_phase("Running", name)
    stage.nodes.cut(node)
    stage.delete("deleted")
    stage.client.patch(f"{stage.pods}/failed/status", {"status": {"phase": "Failed"}})
    lived = [stage.nodes.lives(uid) for uid in uids]
    stage.nodes.join(node)
    for name in ("deleted", "failed"):
        until(lambda name=name: states(stage.status(name)) == [143], "ended")  # type: ignore[misc]  # a default

    assert lived == [True, True]
    assert stage.status("deleted")["phase"] == stage.status("failed")["phase"] == "Failed"
    for name in ("deleted", "failed"):
        stage.client.patch(f"{stage.pods}/{name}", {"metadata": {"finalizers": []}})


def test_a_kubelet_that_was_restarted_refuses_a_pod_that_it_runs(stage: Stage, node: str) -> None:
    stage.client.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {"zone": "a"}}})
    stage.nodes.kill(node)
    stage.nodes.start(node)
    uid = stage.create("a", ENDLESSLY, nodeSelector={"zone": "a"})
    stage.until_phase("Running")
    stage.client.patch(f"/api/v1/nodes/{node}", {"metadata": {"labels": {"zone": "b"}}})
    stage.nodes.kill(node)
    stage.nodes.start(node)
    stage.until_phase("Failed")
    lived, status = stage.nodes.lives(uid), stage.status("a")
    until(lambda: not stage.nodes.lives(uid), "killed")

    assert lived
    assert (status["reason"], status.get("containerStatuses")) == ("NodeAffinity", None)
    stage.delete("a")
    stage.until_gone("a")


def test_the_api_server_may_be_killed(stage: Stage, scheduled_control_plane: ControlPlane) -> None:
    """Also kube-scheduler, which would look for the API server less and less often."""
    stage.create("before", Behaviour(course=fails(seconds=1)))
    stage.until_phase("Running", "before")
    scheduled_control_plane.kill_api_server()
    scheduled_control_plane.living()["kube-scheduler"].kill()
    until(lambda: stage.nodes.ledger[0].ended_at is not None, "ended")
    scheduled_control_plane.mend()
    stage.until_phase("Failed", "before")
    stage.create("after", Behaviour())
    stage.until_phase("Succeeded", "after")
