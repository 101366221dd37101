"""Pods that a status names as counted, taken up by the real Job controller as it starts, and by us."""

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from agent.core.job.counters import open_job
from agent.core.job.defaults import defaulted
from agent.core.job.play import Play
from agent.core.job.pod import JobContainer, JobPod
from agent.core.job.reading import read_spec, read_status
from agent.core.job.status import JobStatus
from agent.core.job.words import TRACKING_FINALIZER
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane, JobPace, Options
from tests.servers.patience import until
from tests.simulator.api import Json

NOW = datetime(2026, 1, 1, tzinfo=UTC)
JOBS, PODS = "/apis/batch/v1/namespaces/default/jobs", "/api/v1/namespaces/default/pods"
CONTAINERS = [{"name": "main", "image": "example"}]
TEMPLATE = {"spec": {"restartPolicy": "Never", "nodeName": "nowhere", "containers": CONTAINERS}}
CALM_SECONDS = 1.0
STARTED = {"startTime": "2026-01-01T00:00:00Z"}
CASES: list[tuple[str, Json]] = [
    ("Succeeded", {"completions": 1, "parallelism": 1}),
    ("Succeeded", {"completions": 2, "parallelism": 1}),
    ("Failed", {"completions": 2, "parallelism": 1}),
    ("Failed", {"completions": 2, "parallelism": 1, "backoffLimit": 0}),
    ("Succeeded", {"completions": 2, "parallelism": 1, "completionMode": "Indexed"}),
    ("Failed", {"completions": 2, "parallelism": 1, "completionMode": "Indexed", "backoffLimitPerIndex": 0}),
]
"""A pod that was counted as failed, as it is now, and its Job."""


def ours(phase: str, fields: Json) -> tuple[object, ...]:
    status = read_status({**STARTED, "uncountedTerminatedPods": {"failed": ["u"]}})
    container = JobContainer(name="main", exit_code=int(phase == "Failed"))
    index = 0 if "completionMode" in fields else None
    pod = JobPod(uid="u", phase=phase, index=index, created_at=NOW, containers=(container,))
    spec = defaulted(read_spec({**fields, "template": TEMPLATE}))
    play = Play(counters=open_job(spec, status=status, pods=[pod]), name="j", now=NOW, lingering=True)
    play.see()
    return shown(play.counters.report())


def shown(status: JobStatus) -> tuple[object, ...]:
    conditions = sorted((condition.type, condition.reason) for condition in status.conditions)
    uncounted = (status.uncounted_succeeded, status.uncounted_failed)
    counts = (status.active, status.succeeded, status.failed)
    return (*counts, status.completed_indexes, status.failed_indexes, uncounted, conditions)


def counted_before(client: Client, name: str, phase: str, fields: Json) -> None:
    """Make a Job with one pod that its status names."""
    job = client.create(JOBS, {"metadata": {"name": name}, "spec": {**fields, "template": TEMPLATE}})
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": name, "uid": job["metadata"]["uid"], "controller": True}
    metadata: Json = {
        "name": f"{name}-0",
        "labels": job["spec"]["template"]["metadata"]["labels"],
        "finalizers": [TRACKING_FINALIZER],
        "ownerReferences": [owner],
    }
    if "completionMode" in fields:
        metadata["annotations"] = {"batch.kubernetes.io/job-completion-index": "0"}
    made = client.create(PODS, {"metadata": metadata, "spec": TEMPLATE["spec"]})
    ended = {"name": "main", "image": "example", "imageID": "example", "ready": False, "restartCount": 0}
    state = {**ended, "state": {"terminated": {"exitCode": int(phase == "Failed")}}}
    client.patch(f"{PODS}/{name}-0/status", {"status": {"phase": phase, "containerStatuses": [state]}})
    uncounted = {"uncountedTerminatedPods": {"failed": [made["metadata"]["uid"]]}}
    client.patch(f"{JOBS}/{name}/status", {"status": {**STARTED, **uncounted}})


@pytest.mark.slow
def test_differential_job_pods_counted_as_failed(start_control_plane: Callable[[Options], ControlPlane]) -> None:
    server = start_control_plane(Options())
    client = server.client()
    wanted = {}
    for place, (phase, fields) in enumerate(CASES):
        counted_before(client, f"j{place}", phase, fields)
        wanted[f"j{place}"] = ours(phase, fields)
    server.run_controllers("job-controller", pace=JobPace(failure_backoff="60s", sync_batch="50ms"))

    def real() -> dict[str, tuple[object, ...]]:
        jobs = client.get(JOBS)["items"]
        return {job["metadata"]["name"]: shown(read_status(job["status"])) for job in jobs}

    until(lambda: real() == wanted, f"{wanted}")
    time.sleep(CALM_SECONDS)

    assert real() == wanted
