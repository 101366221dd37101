"""Runs on a real API server, whose pods a test binds and ends, because there is no kubelet."""

from pathlib import Path

import pytest

from agent.broker.connect import connect
from agent.broker.port import Message
from agent.core.failure import Failure
from agent.core.run_command import CommandContent, DiscardRun, StartRun, StopRun
from agent.core.run_event import Confirmation, PodReference, RunCreated, RunEvent, RunPhase, RunStopped, StopAnswer
from agent.wire import commands as wire
from tests.cluster.real import Real
from tests.cluster.runs.commanding import command, create
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.statuses import ended

pytestmark = pytest.mark.slow


def send(real: Real, number: int, content: CommandContent, *, run: str) -> None:
    cluster = real.client.get("/api/v1/namespaces/kube-system")["metadata"]["uid"]
    broker = connect(f"sqlite:///{real.folder}/log.db")
    producer = broker.producer("run-commands-real", name="scheduler")
    payload = wire.encode(command(content, cluster_id=cluster, run=run))
    producer.send(Message(key="j1", payload=payload), sequence_id=number, done=lambda _: None)
    producer.flush(10)
    broker.close()


def told(real: Real, run: str, kind: object) -> RunEvent:
    def found() -> list[RunEvent]:
        events = [event for event in real.events() if event.identity.run_id == run]
        return [
            each for each in events if each.event == kind or (isinstance(kind, type) and isinstance(each.event, kind))
        ]

    until(lambda: bool(found()), f"{kind} of {run}")
    return found()[0]


def bind(real: Real, pod: PodReference) -> None:
    binding = {"metadata": {"name": pod.name}, "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}
    real.client.create(f"{real.pods}/{pod.name}/binding", binding)


def test_pods_are_created_started_stopped_and_discarded(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    real = Real(
        client=control_plane.client(), namespace=namespace, kubeconfig=control_plane.kubeconfig(), folder=tmp_path
    )
    with real.agent(real.settings(run={"namespaces": [namespace], "maxRuns": 5})):
        until(lambda: any(beat.runs is not None for beat in real.heartbeats()), "runs offered")
        for number, run in enumerate(("ends", "stops", "goes"), start=1):
            send(real, number, create(name=f"{run}-0", namespace=namespace), run=run)
        ends, stops, goes = (told(real, run, RunCreated()).pod for run in ("ends", "stops", "goes"))
        send(real, 4, StartRun(ends), run="ends")
        told(real, "ends", RunPhase.PENDING)
        bind(real, ends)
        send(real, 5, StopRun(stops), run="stops")
        stopped = told(real, "stops", RunStopped)
        send(real, 6, DiscardRun(goes), run="goes")
        send(real, 7, StartRun(stops), run="stops")
        real.client.patch(f"{real.pods}/ends-0/status", ended(0))
        succeeded = told(real, "ends", RunPhase.SUCCEEDED)
        until(lambda: real.get("stops-0") is None and real.get("goes-0") is None, "gone")
        until(lambda: not real.is_held("ends-0"), "released")
        until(lambda: len([each for each in real.events() if isinstance(each.event, RunStopped)]) == 2, "answered")

    assert (stopped.event, stopped.confirmed) == (RunStopped(answer=StopAnswer.NEVER_STARTED), Confirmation.NEVER_BOUND)
    assert succeeded.confirmed is Confirmation.CONTAINERS
    assert not any(isinstance(event.event, Failure) for event in real.events())
