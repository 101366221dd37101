"""A pod that is deleted, held until its index may have a new one, and then succeeds: beside the real Job controller."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from agent.core.job.counters import open_job
from agent.core.job.defaults import defaulted
from agent.core.job.play import Play
from agent.core.job.pod import RUNNING, SUCCEEDED, JobContainer
from agent.core.job.reading import read_spec
from tests.servers.control_plane import ControlPlane, JobPace, Options
from tests.servers.patience import until
from tests.simulator.api import Json

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SLOW = JobPace(failure_backoff="60s", sync_batch="50ms")
SPEC: Json = {
    "completionMode": "Indexed",
    "completions": 1,
    "parallelism": 1,
    "backoffLimitPerIndex": 2,
    "template": {
        "spec": {
            "restartPolicy": "Never",
            "nodeName": "nowhere",
            "containers": [{"name": "main", "image": "example"}],
        }
    },
}


def ours() -> list[Json]:
    play = Play(counters=open_job(defaulted(read_spec(SPEC))), name="j", now=NOW, lingering=True)
    play.see()
    (pod,) = play.living()
    play.see(replace(pod, phase=RUNNING, deleted_at=NOW))
    held = shown(play)
    container = JobContainer(name="main", exit_code=0, finished_at=NOW)
    play.see(replace(play.counters.pods[pod.uid], phase=SUCCEEDED, containers=(container,)))
    return [held, shown(play)]


def shown(play: Play) -> Json:
    status = play.counters.report()
    return {
        "terminating": status.terminating,
        "succeeded": status.succeeded,
        "failed": status.failed,
        "completedIndexes": status.completed_indexes,
        "failedIndexes": status.failed_indexes,
        "held": any(pod.tracked for pod in play.counters.pods.values()),
        "conditions": [condition.type for condition in play.counters.status.conditions],
    }


@pytest.mark.slow
def test_differential_job_a_held_pod_that_succeeds(start_control_plane: Callable[[Options], ControlPlane]) -> None:
    server = start_control_plane(Options())
    server.run_controllers("job-controller", pace=SLOW)
    client, jobs = server.client(), "/apis/batch/v1/namespaces/default/jobs"
    pods = "/api/v1/namespaces/default/pods"
    client.create(jobs, {"metadata": {"name": "j"}, "spec": SPEC})
    until(lambda: client.get(f"{jobs}/j").get("status", {}).get("active") == 1, "at work")
    (pod,) = client.get(pods)["items"]
    path = f"{pods}/{pod['metadata']['name']}"
    held, succeeded = ours()

    def real() -> Json:
        status = client.get(f"{jobs}/j").get("status", {})
        tracked = any(pod["metadata"].get("finalizers") for pod in client.get(pods)["items"])
        numbers = {name: status.get(name, 0) for name in ("terminating", "succeeded", "failed")}
        texts = {"completedIndexes": status.get("completedIndexes", ""), "failedIndexes": status.get("failedIndexes")}
        conditions = [condition["type"] for condition in status.get("conditions", [])]
        return {**numbers, **texts, "held": tracked, "conditions": conditions}

    client.patch(f"{path}/status", {"status": {"phase": "Running"}})
    client.delete(path)
    until(lambda: real() == held, "held")
    ended = {"name": "main", "image": "example", "imageID": "example", "ready": False, "restartCount": 0}
    state = {**ended, "state": {"terminated": {"exitCode": 0}}}
    client.patch(f"{path}/status", {"status": {"phase": "Succeeded", "containerStatuses": [state]}})
    until(lambda: real() == succeeded, "succeeded")

    assert held["held"] is True
    assert (succeeded["failed"], succeeded["held"]) == (0, False)
    assert succeeded["conditions"] == ["SuccessCriteriaMet", "Complete"]
