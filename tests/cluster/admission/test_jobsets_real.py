"""A JobSet of JobSet's own controller, whose pods need one another, on the conditions of the agent."""

import pytest

from tests.cluster.admission.admitting import Admitting
from tests.cluster.admission.plain_job import BUG, IGNORES_INFRASTRUCTURE, LOST_GPU
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.jobsets import WORKERS, jobset, restarts
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

FAILS_OF_INFRASTRUCTURE: Json = {**IGNORES_INFRASTRUCTURE, "action": "FailJob"}
RESTARTS_WITHOUT_COUNTING: Json = {
    "name": "infrastructure",
    "action": "RestartJobSetAndIgnoreMaxRestarts",
    "onJobFailureReasons": ["PodFailurePolicy"],
}


def workers(client: Client, pods: str, name: str) -> list[Json]:
    found: list[Json] = client.get(pods, labelSelector=f"jobset.sigs.k8s.io/jobset-name={name}")["items"]
    return found


def test_a_lost_gpu_restarts_the_jobset_without_being_counted_and_a_bug_is_counted(
    jobset_controller: ControlPlane, webhook: Admitting
) -> None:
    client, namespace, pods = jobset_controller.client(), webhook.real.namespace, webhook.real.pods
    path = f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets"
    policy = {"maxRestarts": 0, "rules": [RESTARTS_WITHOUT_COUNTING]}
    for name in ("gpu", "bug"):
        client.create(path, jobset(name, pod_failure_rules=[FAILS_OF_INFRASTRUCTURE], failure_policy=policy))
    until(lambda: len(workers(client, pods, "gpu") + workers(client, pods, "bug")) == 2 * WORKERS, "all made")
    webhook.until_watched()
    for name, end in (("gpu", LOST_GPU), ("bug", BUG)):
        client.patch(f"{pods}/{workers(client, pods, name)[0]['metadata']['name']}/status", {"status": end})

    until(lambda: restarts(client.get(f"{path}/gpu")) == (1, 0), "restarted without being counted", seconds=60)
    until(lambda: client.get(f"{path}/bug")["status"].get("terminalState") == "Failed", "failed", seconds=60)
    assert restarts(client.get(f"{path}/bug")) == (0, 0)
