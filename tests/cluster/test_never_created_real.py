"""A Job whose pod the API server refuses: Kubernetes' own Job controller reports it, and the agent does once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.core.failure import Failure, Mechanism, Occurrence
from agent.shipped import shipped
from tests.cluster.real import Real
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.patience import until
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

QUOTA = {"metadata": {"name": "q"}, "spec": {"hard": {"pods": "0", "limits.cpu": "1"}}}


def job(name: str) -> Json:
    container = {"name": "main", "image": "example", "resources": {"limits": {"cpu": "8"}}}
    template = {"spec": {"restartPolicy": "Never", "containers": [container]}}
    return {"metadata": {"name": name}, "spec": {"template": template}}


def test_an_exhausted_quota_is_reported_of_the_job(
    start_control_plane: Callable[[Options], ControlPlane], tmp_path: Path
) -> None:
    plane = start_control_plane(Options())
    plane.run_controllers("job-controller", "resourcequota-controller")
    client = plane.client()
    client.create("/api/v1/namespaces", {"metadata": {"name": "ml"}})
    quotas, jobs = "/api/v1/namespaces/ml/resourcequotas", "/apis/batch/v1/namespaces/ml/jobs"
    client.create(quotas, QUOTA)
    until(lambda: client.get(f"{quotas}/q").get("status", {}).get("hard") is not None, "the quota counted", seconds=60)
    made = client.create(jobs, job("train"))
    real = Real(client=client, namespace="ml", kubeconfig=plane.kubeconfig(), folder=tmp_path)
    settings = real.settings(categories=str(shipped("error-categories.yaml")))
    events = "/api/v1/namespaces/ml/events"

    with real.agent(settings):
        real.until_reported("train")
    refusals = client.get(events, fieldSelector="reason=FailedCreate")["items"]
    with real.agent(settings):
        client.create(jobs, job("other"))
        real.until_reported("other")

    assert refusals
    assert real.reported() == {"train": 1, "other": 1}
    event = next(one for one in real.events() if one.pod.name == "train")
    assert isinstance(event.event, Failure)
    assert event.event.occurrence is Occurrence.NEVER_CREATED
    found = event.event.classification
    assert (found.mechanism, found.category, found.subcategory) == (
        Mechanism.NEVER_CREATED,
        "submit",
        "quota-exceeded",
    )
    assert event.identity.job_id == event.pod.uid == made["metadata"]["uid"]
