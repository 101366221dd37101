"""Lists of the pods of runs on a real API server."""

from contextlib import aclosing
from datetime import timedelta
from pathlib import Path

import pytest

from agent.core.run_event import Confirmation, RunPhase
from agent.kube import pod_list
from agent.kube.connection import Connection
from agent.kube.pod_list import list_pods
from agent.settings.kube import KubeSettings
from tests.cluster.real import Real
from tests.cluster.runs.commanding import AT
from tests.cluster.runs.real_runs import RealRuns
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.statuses import ended
from tests.simulator.api import pod

pytestmark = pytest.mark.slow


async def test_the_pages_of_a_real_server_show_one_moment(
    control_plane: ControlPlane, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pod_list, "_PAGE", 2)
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    for name in "abcde":
        client.create(pods, pod(name, labels={"job": "1", "run": "1"}))
    client.create(pods, pod("f", labels={"job": "1"}))
    async with await Connection.open(KubeSettings(kubeconfig=Path(control_plane.kubeconfig()))) as connection:
        async with aclosing(list_pods(connection, namespace, labels="job,run")) as pages:
            sizes, names = [], []
            async for page in pages:
                sizes.append(len(page))
                names += [each.metadata.name for each in page]
                if len(sizes) == 1:
                    client.create(pods, pod("bb", labels={"job": "1", "run": "1"}))
                    client.delete(f"{pods}/d", gracePeriodSeconds=0)
        after = [
            each.metadata.name async for page in list_pods(connection, namespace, labels="job,run") for each in page
        ]

    assert (sizes, names) == ([2, 2, 1], list("abcde"))
    assert after == ["a", "b", "bb", "c", "e"]


def test_an_agent_lists_what_the_api_server_has(control_plane: ControlPlane, namespace: str, tmp_path: Path) -> None:
    real = Real(
        client=control_plane.client(), namespace=namespace, kubeconfig=control_plane.kubeconfig(), folder=tmp_path
    )
    runs = RealRuns(real=real)
    with real.agent(real.settings(run={"namespaces": [namespace], "maxRuns": 5})):
        runs.wait_until_offered()
        gated, fails = runs.create("gated"), runs.start("fails")
        real.create("of-others")
        real.client.patch(f"{real.pods}/fails/status", ended(1))
        first = runs.list_runs(AT + timedelta(minutes=1))
        real.client.delete(f"{real.pods}/fails", gracePeriodSeconds=0)
        until(lambda: real.get("fails") is None, "gone")
        second = runs.list_runs(AT + timedelta(minutes=2))

    found = {run.run_id: (run.pod.uid, run.phase, run.gated, run.confirmed) for run in first.runs}
    assert found == {
        "gated": (gated.uid, RunPhase.PENDING, True, None),
        "fails": (fails.uid, RunPhase.FAILED, False, Confirmation.CONTAINERS),
    }
    assert [run.pod.uid for run in second.runs] == [gated.uid]
