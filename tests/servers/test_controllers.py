"""Kubernetes' own controllers on the shared control plane: the Job controller as an oracle, the scheduler's words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane, JobPace, Options
from tests.servers.patience import until
from tests.servers.statuses import ended
from tests.simulator.api import Json, pod

pytestmark = pytest.mark.slow

FAIL_ON_42 = {
    "action": "FailJob",
    "onExitCodes": {"containerName": "main", "operator": "In", "values": [42]},
}


def job(name: str) -> Json:
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}}
    spec = {"backoffLimit": 6, "podFailurePolicy": {"rules": [FAIL_ON_42]}, "template": template}
    return {"metadata": {"name": name}, "spec": spec}


def wait_for_pods(client: Client, path: str, count: int) -> None:
    until(lambda: len(client.get(path)["items"]) == count, f"{count} pods made")


def test_the_job_controller_judges_a_failed_pod(job_controller: ControlPlane, namespace: str) -> None:
    client = job_controller.client()
    jobs, pods = f"/apis/batch/v1/namespaces/{namespace}/jobs", f"/api/v1/namespaces/{namespace}/pods"
    client.create(jobs, job("j"))
    wait_for_pods(client, pods, 1)
    (made,) = client.get(pods)["items"]
    client.patch(f"{pods}/{made['metadata']['name']}/status", ended(42))

    def failed() -> Json | None:
        conditions = client.get(f"{jobs}/j").get("status", {}).get("conditions", [])
        return next((each for each in conditions if each["type"] == "Failed"), None)

    until(lambda: failed() is not None, "failed")
    assert (failed() or {})["reason"] == "PodFailurePolicy"


def test_failed_pods_are_replaced_far_sooner_than_by_a_stock_controller(
    job_controller: ControlPlane, namespace: str
) -> None:
    """It would wait 10 s, 20 s, 40 s and 80 s: longer than this waits for the last ones."""
    client = job_controller.client()
    jobs, pods = f"/apis/batch/v1/namespaces/{namespace}/jobs", f"/api/v1/namespaces/{namespace}/pods"
    client.create(jobs, job("j"))
    for count in range(1, 6):
        wait_for_pods(client, pods, count)
        (pending,) = client.get(pods, fieldSelector="status.phase=Pending")["items"]
        client.patch(f"{pods}/{pending['metadata']['name']}/status", ended(1))


def test_a_pace_that_is_none_is_refused(kubernetes_program: Path, tmp_path: Path) -> None:
    """Before it asks any API server: there is none."""
    own = ControlPlane(kubernetes_program, tmp_path)
    try:
        own.run_controllers("job-controller", pace=JobPace(failure_backoff="soon", sync_batch="50ms"))
        until(lambda: "kube-controller-manager" not in own.living(), "refused")
    finally:
        own.stop()

    log = own.site.folder / "kube-controller-manager.log"
    assert 'JOB_POD_FAILURE_BACKOFF: time: invalid duration "soon"' in log.read_text()


def test_the_scheduler_says_why_a_pod_is_not_scheduled(start_control_plane: Callable[[Options], ControlPlane]) -> None:
    own = start_control_plane(Options())
    own.run_scheduler()
    client = own.client()
    client.create("/api/v1/namespaces/default/pods", pod("a"))

    def condition() -> Json:
        conditions = client.get("/api/v1/namespaces/default/pods/a")["status"].get("conditions", [{}])
        return dict(conditions[0])

    until(lambda: condition().get("type") == "PodScheduled", "looked at")
    assert condition()["reason"] == "Unschedulable"
    assert "no nodes available" in condition()["message"]


def test_a_second_controller_manager_is_refused(job_controller: ControlPlane) -> None:
    with pytest.raises(ValueError, match="runs already"):
        job_controller.run_controllers("job-controller")
