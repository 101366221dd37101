"""What counts as a confirmation, by an agent process beside a real API server, kube-scheduler, and kubelets.

The ledger of the kubelets knows which containers really lived.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from agent.core.failure import Failure
from agent.core.run_event import Confirmation, PodReference, RunEvent, RunPhase, RunStopped, StopAnswer
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real
from tests.cluster.runs.real_runs import RealRuns
from tests.servers.control_plane import ControlPlane
from tests.servers.kubelet.behaviour import ENDLESS, Behaviour, fails
from tests.servers.kubelet.nodes import Nodes
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("scheduled-kubernetes")]

MAIN: Json = {"name": "main", "image": "i"}
ZONED: Json = {"spec": {"containers": [MAIN], "nodeSelector": {"zone": "a"}}}
NOWHERE: Json = {"spec": {"containers": [MAIN], "nodeSelector": {"zone": "nowhere"}}}
LOST: Json = {"type": "Ready", "status": "Unknown"}
OUT_OF_SERVICE: Json = {"key": "node.kubernetes.io/out-of-service", "effect": "NoExecute"}
BEHAVIOURS = {
    "setup-fails": Behaviour(containers={"setup": fails(3)}),
    "pulls": Behaviour(pull=None),
}


@dataclass(kw_only=True)
class Stage:
    """One agent, one node."""

    runs: RealRuns
    nodes: Nodes
    node: str
    agent: AgentProcess

    @contextmanager
    def without_agent(self) -> Iterator[None]:
        """Kill the agent, and start it again afterwards."""
        self.agent.kill()
        yield
        self.agent = self.runs.real.start(self.runs.real.folder / "agent.yaml")

    def restart_kubelet(self, *, zone: str) -> None:
        """Restart it after the node has moved to another zone: it refuses pods that are for the old one."""
        self.nodes.kill(self.node)
        self.move(zone)
        self.nodes.start(self.node)

    def move(self, zone: str) -> None:
        self.runs.real.client.patch(f"/api/v1/nodes/{self.node}", {"metadata": {"labels": {"zone": zone}}})

    @contextmanager
    def out_of_service(self, plane: ControlPlane) -> Iterator[None]:
        """The node is lost, and somebody says that it is shut down: PodGC deletes its pods that are to be deleted."""
        path = f"/api/v1/nodes/{self.node}"
        self.runs.real.client.patch(f"{path}/status", {"status": {"conditions": [LOST]}})
        self.runs.real.client.patch(path, {"spec": {"taints": [OUT_OF_SERVICE]}})
        plane.run_controllers("pod-garbage-collector-controller")
        try:
            yield
        finally:
            plane.end_controllers()
            self.runs.real.client.patch(path, {"spec": {"taints": None}})

    def answered_meanwhile(self, run: str) -> Sequence[RunEvent]:
        """What the agent answered to the stop of this run, when it has answered one that came later."""
        other = f"later-than-{run}"
        self.runs.stop(self.runs.start(other, pod=NOWHERE), run=other)
        self.runs.told(other, RunStopped)
        return self.runs.of(run, RunStopped)

    def bound(self, pod: PodReference) -> bool:
        return bool((self.runs.real.get(pod.name) or {"spec": {}})["spec"].get("nodeName"))


@pytest.fixture(name="stage", scope="module")
def an_agent_and_a_node(
    shared_scheduled_control_plane: ControlPlane, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Stage]:
    plane = shared_scheduled_control_plane
    namespace, node = (f"{kind}-{secrets.token_hex(4)}" for kind in ("runs", "node"))
    plane.client().create("/api/v1/namespaces", {"metadata": {"name": namespace}})
    folder = tmp_path_factory.mktemp("agent")
    real = Real(client=plane.client(), namespace=namespace, kubeconfig=plane.kubeconfig(), folder=folder)
    settings = real.settings(run={"namespaces": [namespace], "maxRuns": 50})
    with Nodes(plane, [node], behaviour, namespace=namespace) as nodes:
        runs = RealRuns(real=real)
        stage = Stage(runs=runs, nodes=nodes, node=node, agent=real.start(settings))
        try:
            runs.wait_until_offered()
            stage.restart_kubelet(zone="a")
            yield stage
        finally:
            stage.agent.kill()


def behaviour(pod: Json) -> Behaviour:
    return BEHAVIOURS.get(pod["metadata"]["name"], Behaviour(course=ENDLESS))


def told(event: RunEvent) -> tuple[object, Confirmation | None]:
    return event.event, event.confirmed


def test_an_init_container_failed_while_the_others_wait(stage: Stage) -> None:
    pod = {"spec": {"containers": [MAIN], "initContainers": [{"name": "setup", "image": "i"}]}}
    made = stage.runs.start("setup-fails", pod=pod)
    failure = stage.runs.told("setup-fails", Failure)
    shown = stage.runs.real.get(made.name) or {}

    assert failure.confirmed is Confirmation.CONTAINERS
    (main,) = shown["status"]["containerStatuses"]
    assert main["state"] == {"waiting": {"reason": "PodInitializing"}}
    assert not stage.nodes.lives(made.uid)


def test_a_pod_is_stopped_while_its_first_image_is_pulled(stage: Stage) -> None:
    made = stage.runs.start("pulls")
    until(lambda: "containerStatuses" in (stage.runs.real.get("pulls") or {"status": {}})["status"], "pulling")
    stage.nodes.cut(stage.node)
    stage.runs.stop(made, run="pulls")
    early = stage.answered_meanwhile("pulls")
    stage.nodes.join(stage.node)
    stopped = stage.runs.told("pulls", RunStopped)
    until(lambda: stage.runs.real.get("pulls") is None, "gone")

    assert early == []
    assert told(stopped) == (RunStopped(answer=StopAnswer.GONE), Confirmation.CONTAINERS)
    assert made.uid not in {each.pod_uid for each in stage.nodes.ledger}


def test_a_deletion_before_binding(stage: Stage) -> None:
    made = stage.runs.start("nowhere", pod=NOWHERE)
    stage.runs.stop(made, run="nowhere")
    stopped = stage.runs.told("nowhere", RunStopped)

    assert told(stopped) == (RunStopped(answer=StopAnswer.NEVER_STARTED), Confirmation.NEVER_BOUND)


def test_a_deletion_after_binding_proves_nothing(stage: Stage) -> None:
    """Nobody can know that the kubelet never saw the pod, also if it is deleted by force."""
    stage.nodes.cut(stage.node)
    made = stage.runs.start("unseen")
    until(lambda: stage.bound(made), "bound")
    stage.runs.stop(made, run="unseen")
    until(lambda: "deletionTimestamp" in (stage.runs.real.get("unseen") or {})["metadata"], "deleted")
    stage.runs.real.client.delete(f"{stage.runs.real.pods}/unseen", gracePeriodSeconds=0)
    early = stage.answered_meanwhile("unseen")
    stage.nodes.join(stage.node)
    stopped = stage.runs.told("unseen", RunStopped)

    assert early == []
    assert stopped.confirmed is Confirmation.CONTAINERS


def test_pods_that_are_written_off_by_podgc_may_live(
    stage: Stage, shared_scheduled_control_plane: ControlPlane
) -> None:
    """Kubernetes' own collector writes ``Failed`` and deletes by force: when asked to stop the pods of a lost node."""
    made = stage.runs.run("written-off")
    stage.nodes.cut(stage.node)
    stage.runs.stop(made, run="written-off")
    until(lambda: "deletionTimestamp" in (stage.runs.real.get(made.name) or {})["metadata"], "deleted")
    with stage.out_of_service(shared_scheduled_control_plane):
        until(lambda: (stage.runs.real.get(made.name) or {})["status"]["phase"] == "Failed", "written off")
        until(lambda: (stage.runs.real.get(made.name) or {})["metadata"]["deletionGracePeriodSeconds"] == 0, "forced")
    (shown,) = (stage.runs.real.get(made.name) or {})["status"]["containerStatuses"]
    lived, early = stage.nodes.lives(made.uid), stage.answered_meanwhile("written-off")
    stage.nodes.join(stage.node)
    stopped = stage.runs.told("written-off", RunStopped)

    assert (lived, list(shown["state"]), early) == (True, ["running"], [])
    assert told(stopped) == (RunStopped(answer=StopAnswer.GONE), Confirmation.CONTAINERS)
    assert not stage.nodes.lives(made.uid)


def test_a_pod_is_refused_before_it_ever_ran(stage: Stage) -> None:
    stage.nodes.kill(stage.node)
    made = stage.runs.start("refused", pod=ZONED)
    until(lambda: stage.bound(made), "bound")
    stage.move("b")
    stage.nodes.start(stage.node)
    failure = stage.runs.told("refused", Failure)
    stage.move("a")

    assert failure.confirmed is Confirmation.REFUSED_BY_KUBELET


def test_a_pod_that_ran_is_refused_by_a_restarted_kubelet(stage: Stage) -> None:
    """That proves nothing, and neither does its deletion; our finalizer keeps it."""
    stage.restart_kubelet(zone="a")
    made = stage.runs.run("ran", pod=ZONED)
    stage.restart_kubelet(zone="b")
    failure = stage.runs.told("ran", Failure)
    lived = stage.nodes.lives(made.uid)
    stage.runs.stop(made, run="ran")
    until(lambda: (stage.runs.real.get("ran") or {})["metadata"].get("deletionGracePeriodSeconds") == 0, "deleted")

    assert (lived, failure.confirmed) == (True, None)
    assert stage.answered_meanwhile("ran") == []
    assert stage.runs.of("ran", RunPhase.SUCCEEDED) == []
    assert stage.runs.real.is_held("ran")


def test_a_pod_that_ran_while_no_agent_watched_is_refused_by_a_restarted_kubelet(stage: Stage) -> None:
    """Its status has no trace of the container: only that nobody watched says that it may have run."""
    stage.nodes.kill(stage.node)
    stage.move("a")
    made = stage.runs.start("ran-unseen", pod=ZONED)
    until(lambda: stage.bound(made), "bound")
    with stage.without_agent():
        stage.nodes.start(stage.node)
        until(lambda: stage.nodes.lives(made.uid), "runs")
        until(lambda: (stage.runs.real.get(made.name) or {})["status"]["phase"] == "Running", "said so")
        stage.restart_kubelet(zone="b")
        until(lambda: (stage.runs.real.get(made.name) or {})["status"]["phase"] == "Failed", "refused")
    failure = stage.runs.told("ran-unseen", Failure)
    stage.runs.stop(made, run="ran-unseen")

    assert "containerStatuses" not in (stage.runs.real.get(made.name) or {})["status"]
    assert failure.confirmed is None
    assert stage.answered_meanwhile("ran-unseen") == []
    assert stage.runs.real.is_held("ran-unseen")
