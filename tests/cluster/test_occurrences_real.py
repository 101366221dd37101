"""What happens to pods on a real API server, written as a kubelet would, and seen by the agent's own watch."""

from collections import defaultdict
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from agent.core.failure import Failure
from agent.core.run_event import RunEvent
from agent.shipped import shipped
from tests.cluster.kubelet import Kubelet
from tests.cluster.process import AgentProcess
from tests.cluster.run_events import published, run_events
from tests.observe.rows import Row, read_rows
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.simulator.api import Json, pod

pytestmark = pytest.mark.slow

ROWS = {f"row-{number}": row for number, row in enumerate(read_rows()) if row.real}
SOON = {
    "unschedulable": "100ms",
    "image": "0s",
    "config": "0s",
    "create": "0s",
    "initCrashLoop": "0s",
    "activeGrace": "0s",
    "terminatingGrace": "0s",
}
"""Time does not pass faster on a real server: deadlines are short, and starts long ago."""


def write_settings(control_plane: ControlPlane, namespace: str, folder: Path, *, evidence_wait: str) -> Path:
    """``evidence_wait``: as long as an event may come after its pod on a busy machine, where a test has events."""
    (folder / "log").mkdir()
    settings = {
        "cluster": "real",
        "kube": {"kubeconfig": str(control_plane.kubeconfig())},
        "watch": {"namespaces": [namespace]},
        "categories": str(shipped("error-categories.yaml")),
        "broker": {"url": f"sqlite:///{folder}/log/log.db"},
        "spool": {"path": str(folder / "spool.db")},
        "deadlines": SOON,
        "evidenceWait": evidence_wait,
        "health": {"port": 0},
    }
    file = folder / "settings.yaml"
    file.write_text(yaml.safe_dump(settings))
    return file


def events(folder: Path) -> list[RunEvent]:
    return run_events(published(folder / "log" / "log.db", "run-events-real"))


def reported(folder: Path) -> dict[str, list[Failure]]:
    """What was told of each pod, in order."""
    of_pod: dict[str, list[Failure]] = defaultdict(list)
    for event in events(folder):
        if isinstance(event.event, Failure):
            of_pod[event.pod.name].append(event.event)
    return of_pod


def words(row: Row, failures: list[Failure]) -> tuple[str, tuple[str, ...], str]:
    """The row's name, what was told, and of the last thing the category if the row speaks of it."""
    occurrences = tuple(each.occurrence.value for each in failures)
    if not failures or "category" not in row.last:
        return row.name, occurrences, ""
    given = failures[-1].classification
    return row.name, occurrences, f"{given.category}/{given.subcategory}"


def missing(seen: dict[str, list[Failure]]) -> list[str]:
    """The rows of which not all was told yet."""
    return [row.name for name, row in ROWS.items() if len(seen[name]) < len(row.told)]


def test_what_is_reported_pods_on_a_real_api_server(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    kubelet = Kubelet(client=control_plane.client(), namespace=namespace)
    settings = write_settings(control_plane, namespace, tmp_path, evidence_wait="5s")
    agent = AgentProcess(settings, log=tmp_path / "agent.log")
    try:
        until(lambda: agent.has_ended() or agent.is_ready(), "the agent ready")
        for name, row in ROWS.items():
            kubelet.play(row, name)
        with suppress(TimeoutError):
            until(lambda: missing(reported(tmp_path)) == [], "all told", seconds=90)
        assert missing(reported(tmp_path)) == []
    finally:
        agent.kill()
    seen = reported(tmp_path)

    assert [words(row, seen[name]) for name, row in ROWS.items()] == [
        (row.name, row.told, row.last.get("category", "")) for row in ROWS.values()
    ]


JOB: Json = {
    "metadata": {"name": "sum"},
    "spec": {
        "managedBy": "example.com/nobody",  # else the Job controller of other tests releases a pod made by hand
        "template": {
            "spec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "i"}]},
        },
        "suspend": True,
    },
}


def test_a_jobs_template_says_which_containers_were_submitted(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    client, kubelet = control_plane.client(), Kubelet(client=control_plane.client(), namespace=namespace)
    job = client.create(f"/apis/batch/v1/namespaces/{namespace}/jobs", JOB)["metadata"]
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": "sum", "uid": job["uid"], "controller": True}
    made = pod("sum-0", node="n1", labels={"batch.kubernetes.io/job-completion-index": "0"}, ownerReferences=[owner])
    made["spec"]["containers"].append({"name": "mesh", "image": "mesh"})
    client.create(f"/api/v1/namespaces/{namespace}/pods", made)
    ended = {"terminated": {"exitCode": 1, "reason": "Error", "startedAt": "2026-01-02T11:59:00Z"}}
    ends = [{"name": name, "state": ended} for name in ("main", "mesh")]
    kubelet.show("sum-0", {"status": {"phase": "Failed", "containerStatuses": ends}})
    settings = write_settings(control_plane, namespace, tmp_path, evidence_wait="0s")
    agent = AgentProcess(settings, log=tmp_path / "agent.log")
    try:
        until(lambda: events(tmp_path) != [], "the failure told")
    finally:
        agent.kill()
    (event,) = events(tmp_path)

    assert (event.identity.job_id, event.identity.index) == (job["uid"], 0)
    assert isinstance(event.event, Failure)
    assert {each.name: each.injected for each in event.event.pod.containers} == {"main": False, "mesh": True}
    assert "template" in event.event.user_code.reason
