"""JobSet's own controller works on the shared control plane."""

import pytest

from tests.servers.control_plane import ControlPlane
from tests.servers.jobsets import jobset, restarts
from tests.servers.patience import until
from tests.servers.statuses import ended

pytestmark = pytest.mark.slow


def test_a_jobset_restarts_when_a_job_of_it_fails(jobset_controller: ControlPlane, namespace: str) -> None:
    client, pods = jobset_controller.client(), f"/api/v1/namespaces/{namespace}/pods"
    path = f"/apis/jobset.x-k8s.io/v1alpha2/namespaces/{namespace}/jobsets"
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    client.create(path, jobset("j", pod_failure_rules=[rule], failure_policy={"maxRestarts": 1}))
    until(lambda: len(client.get(pods)["items"]) == 2, "2 pods made", seconds=60)
    first, _ = client.get(pods)["items"]
    client.patch(f"{pods}/{first['metadata']['name']}/status", ended(42))

    until(lambda: restarts(client.get(f"{path}/j")) == (1, 1), "restarted", seconds=60)
