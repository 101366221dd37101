"""A create that etcd carries out late, after its agent was killed and another leads: one pod runs."""

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent.core.identity.labels import START_GATE
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.state import State
from agent.store.store import Store
from agent.store.submitted import held
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real, metrics_of
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.servers import site as parts
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.control_plane_program import PROGRAM
from tests.servers.credential import Token, write_kubeconfig
from tests.servers.kubelet.behaviour import Behaviour, Course
from tests.servers.kubelet.nodes import Nodes
from tests.servers.patience import until
from tests.servers.ports import free_ports
from tests.servers.process import ServerProcess
from tests.servers.proxy import TcpProxy
from tests.servers.site import Site
from tests.simulator.api import Json
from tests.store.submitted.made import new_job, submit

pytestmark = pytest.mark.slow

POD = b'{"spec": {"containers": [{"name": "main", "image": "i"}]}}'
A_SECOND = Behaviour(course=Course(seconds=1.0))
ON_ITS_WAY_SECONDS = 0.5
"""After which a request that the API server has received is at etcd."""

PODS = "/api/v1/namespaces/default/pods"
AUDIT_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "rules": [
        {"level": "Request", "verbs": ["create"], "resources": [{"group": "", "resources": ["pods"]}]},
        {"level": "None"},
    ],
}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A control plane whose Leases are in an etcd of their own, a node, a scheduler, and two agents."""

    plane: ControlPlane
    network: TcpProxy
    nodes: Nodes
    store: Store
    audit: Path
    agents: tuple[AgentProcess, AgentProcess]

    def submit(self) -> None:
        with self.store.write() as connection:
            submit(connection, new_job("j", pod=POD, namespace="default", submitted_at=datetime.now(UTC)))

    def pods(self) -> Sequence[Json]:
        found: Sequence[Json] = self.plane.client().get(PODS)["items"]
        return found

    def job(self) -> SubmittedJob:
        with self.store.read() as connection:
            return held.load(connection, ["j"])["j"].job

    def creates(self, stage: str) -> list[Json]:
        """Creates of pods that the API server has received, or answered."""
        lines = [json.loads(line) for line in self.audit.read_text().splitlines()] if self.audit.exists() else []
        return [line for line in lines if line["stage"] == stage and line["requestURI"] == PODS]


@contextmanager
def started(program: Path, folder: Path) -> Iterator[Stage]:
    leases, audit = etcd_for_leases(folder), folder / "audit.log"
    (policy := folder / "audit.yaml").write_text(json.dumps(AUDIT_POLICY))
    flags = (
        f"--etcd-servers-overrides=coordination.k8s.io/leases#{leases.etcd_url}",
        f"--audit-policy-file={policy}",
        f"--audit-log-path={audit}",
    )
    second = ServerProcess([str(program / PROGRAM), *parts.etcd(leases, durable=False)], log=folder / "leases.log")
    try:
        with (
            ControlPlane(program, folder / "kubernetes", options=Options(api_server=flags)) as plane,
            TcpProxy(plane.site.api_port) as network,
            Nodes(plane, ["node-1"], lambda _: A_SECOND) as nodes,
            loop(plane, folder, network) as (store, agents),
        ):
            plane.run_scheduler()
            yield Stage(plane=plane, network=network, nodes=nodes, store=store, audit=audit, agents=agents)
    finally:
        second.kill()


def etcd_for_leases(folder: Path) -> Site:
    api_port, etcd_port, peer_port = free_ports(3)
    (folder / "leases").mkdir()
    return Site(folder=folder / "leases", api_port=api_port, etcd_port=etcd_port, peer_port=peer_port)


@contextmanager
def loop(
    plane: ControlPlane, folder: Path, network: TcpProxy
) -> Iterator[tuple[Store, tuple[AgentProcess, AgentProcess]]]:
    """A scheduler, and two agents, of which the first leads, through the network."""
    runs = {"interval": "50ms", "gracefulShutdown": "confirmed", "lostCluster": "wait"}
    scheduler = SchedulerProcess(write_settings(folder, runs=runs), log=folder / "scheduler.log")
    through = write_kubeconfig(
        folder / "kubeconfig",
        url=f"https://127.0.0.1:{network.port}",
        authority=plane.authority,
        credential=Token(plane.token),
    )
    try:
        until(scheduler.is_ready, "the scheduler ready", seconds=60)
        with ExitStack() as running:
            first = running.enter_context(agent(plane, folder, "first", through))
            until(lambda: leads(first), "the first leads")
            second = running.enter_context(agent(plane, folder, "second", plane.kubeconfig()))
            yield running.enter_context(Store.open(f"sqlite:///{folder}/store.db")), (first, second)
    finally:
        scheduler.end()


def agent(plane: ControlPlane, folder: Path, name: str, kubeconfig: Path) -> AbstractContextManager[AgentProcess]:
    real = Real(client=plane.client(), namespace="default", kubeconfig=kubeconfig, folder=folder)
    quick = {"namespace": "default", "duration": 4, "renew": "1s"}
    return real.agent(real.settings(name, lease=quick, run={"namespaces": ["default"], "maxRuns": 5}))


def leads(process: AgentProcess) -> bool:
    return metrics_of(process)["failure_agent_leads"] == 1.0


def test_one_pod_runs_of_a_create_that_is_late(kubernetes_program: Path, tmp_path: Path) -> None:
    """The machine of the first agent is lost, so that the API server does not take its request for cancelled."""
    with started(kubernetes_program, tmp_path) as stage:
        first, second = stage.agents
        stage.plane.etcd.pause()
        stage.submit()
        until(lambda: len(stage.creates("RequestReceived")) == 1, "the first creates")
        time.sleep(ON_ITS_WAY_SECONDS)
        stage.network.stall()
        first.kill()
        until(lambda: leads(second), "the second leads")
        stage.plane.etcd.resume()
        until(lambda: stage.job().state is State.SUCCEEDED, "succeeded", seconds=90)
        (pod,), runs = stage.pods(), stage.job().runs
        created = stage.creates("ResponseComplete")
        arrives_after_all_has_ended(stage, created[0]["requestObject"])

    assert [each["responseStatus"]["code"] for each in created] == [201, 409]
    assert [each.pod_uid for each in stage.nodes.ledger] == [pod["metadata"]["uid"]]
    assert [run.uid for run in runs] == [pod["metadata"]["uid"]]


def arrives_after_all_has_ended(stage: Stage, late: Json) -> None:
    """The same create once more, when nothing has its name: its pod is discarded."""
    client, path = stage.plane.client(), f"{PODS}/{late['metadata']['name']}"
    client.delete(path)
    until(lambda: not stage.pods(), "deleted")
    made = client.create(PODS, late)
    until(lambda: not stage.pods(), "discarded")
    assert made["spec"]["schedulingGates"] == [{"name": START_GATE}]
