"""Runs of submitted jobs on a real API server, by a process that is told what to do over an event log."""

from pathlib import Path

import pytest

from agent.core.failure import Failure
from agent.core.run_command import DiscardRun, StartRun
from agent.core.run_event import Confirmation, PodReference, RunPhase, RunStopped, StopAnswer
from tests.cluster.real import Real
from tests.cluster.runs.real_runs import RealRuns
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.statuses import ended

pytestmark = pytest.mark.slow


def bind(real: Real, pod: PodReference) -> None:
    binding = {"metadata": {"name": pod.name}, "target": {"apiVersion": "v1", "kind": "Node", "name": "n1"}}
    real.client.create(f"{real.pods}/{pod.name}/binding", binding)


def test_pods_are_created_started_stopped_and_discarded(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    real = Real(
        client=control_plane.client(), namespace=namespace, kubeconfig=control_plane.kubeconfig(), folder=tmp_path
    )
    runs = RealRuns(real=real)
    with real.agent(real.settings(run={"namespaces": [namespace], "maxRuns": 5})):
        runs.wait_until_offered()
        ends, stops, goes = (runs.create(run) for run in ("ends", "stops", "goes"))
        runs.send(StartRun(ends), run="ends")
        runs.told("ends", RunPhase.PENDING)
        bind(real, ends)
        runs.stop(stops, run="stops")
        stopped = runs.told("stops", RunStopped)
        runs.send(DiscardRun(goes), run="goes")
        runs.send(StartRun(stops), run="stops")
        real.client.patch(f"{real.pods}/ends/status", ended(0))
        succeeded = runs.told("ends", RunPhase.SUCCEEDED)
        until(lambda: real.get("stops") is None and real.get("goes") is None, "gone")
        until(lambda: not real.is_held("ends"), "released")
        until(lambda: len(runs.of("stops", RunStopped)) == 2, "answered")

    assert (stopped.event, stopped.confirmed) == (RunStopped(answer=StopAnswer.NEVER_STARTED), Confirmation.NEVER_BOUND)
    assert succeeded.confirmed is Confirmation.CONTAINERS
    assert not any(isinstance(event.event, Failure) for event in real.events())
