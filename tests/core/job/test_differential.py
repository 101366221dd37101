"""Our Job engine beside Kubernetes' own Job controller, in step; what differs is a row of docs/jobs.md."""

import secrets
import time

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.core.job.drawn import Drawn, jobs
from tests.core.job.lockstep import Pair
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until

SHARED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large]
PHASES = (Phase.explicit, Phase.reuse, Phase.generate)


def played(drawn: Drawn, server: ControlPlane, namespace: str) -> None:
    pair = Pair(client=server.client(), namespace=namespace, name=f"j-{secrets.token_hex(4)}", drawn=drawn)
    pair.begin()
    for blows in drawn.steps:
        pair.strike(blows)


@pytest.mark.slow
@pytest.mark.timeout(900)
@settings(max_examples=50, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@given(drawn=jobs())
def test_differential_job_50_draws(drawn: Drawn, job_controller: ControlPlane, namespace: str) -> None:
    played(drawn, job_controller, namespace)


@pytest.mark.slow
def test_differential_job_suspended_past_its_deadline(job_controller: ControlPlane, namespace: str) -> None:
    """A row of docs/jobs.md: the deadline is asked before a Job that goes on begins its time anew."""
    client, name = job_controller.client(), f"j-{secrets.token_hex(4)}"
    job = f"/apis/batch/v1/namespaces/{namespace}/jobs/{name}"
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}}
    spec = {"activeDeadlineSeconds": 2, "template": template}
    client.create(job.removesuffix(f"/{name}"), {"metadata": {"name": name}, "spec": spec})
    until(lambda: client.get(job)["status"].get("active") == 1, "at work")
    client.patch(job, {"spec": {"suspend": True}})
    until(lambda: client.get(job)["status"].get("active", 0) == 0, "suspended")
    time.sleep(2.5)
    client.patch(job, {"spec": {"suspend": False}})

    def reasons() -> list[str]:
        conditions = client.get(job)["status"].get("conditions", [])
        return [each["reason"] for each in conditions if each["type"] == "Failed"]

    until(lambda: reasons() != [], "failed")
    assert reasons() == ["DeadlineExceeded"]


@pytest.mark.long
@pytest.mark.timeout(3600)
@settings(max_examples=500, deadline=None, suppress_health_check=SHARED, phases=PHASES)
@given(drawn=jobs())
def test_differential_job_500_draws(drawn: Drawn, job_controller: ControlPlane, namespace: str) -> None:
    played(drawn, job_controller, namespace)
