"""The run role on a real API server, by the agent as a process that is killed in between."""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import yaml

from agent.core.failure import Failure
from tests.cluster.process import AgentProcess
from tests.cluster.run_events import published, run_events
from tests.servers.client import Client
from tests.servers.control_plane import ControlPlane
from tests.servers.patience import until
from tests.servers.statuses import ended
from tests.simulator.api import pod

pytestmark = pytest.mark.slow

CATEGORIES = """
errorCategories:
  defaultCategory: unknown
  categories:
    - {name: full, action: Delete, rules: [{onExitCodes: {operator: In, values: [42]}}]}
"""
OURS = {"armada_job_run_id": "run"}
ODD = {"state": "Waiting", "reasonRegexp": "Odd", "gracePeriod": "0s", "action": "Retry"}
WAITING = {"name": "main", "image": "i", "imageID": "", "ready": False, "restartCount": 0}


def write_settings(control_plane: ControlPlane, namespace: str, folder: Path) -> Path:
    (folder / "categories.yaml").write_text(CATEGORIES)
    (folder / "log").mkdir()
    settings = {
        "cluster": "real",
        "kube": {"kubeconfig": str(control_plane.kubeconfig())},
        "watch": {"namespaces": [namespace]},
        "categories": str(folder / "categories.yaml"),
        "broker": {"url": f"sqlite:///{folder}/log/log.db"},
        "spool": {"path": str(folder / "spool.db")},
        "run": {"namespaces": [namespace]},
        "pendingPodChecks": {"containerStatuses": [ODD]},
        "evidenceWait": "0s",
        "health": {"port": 0},
    }
    file = folder / "settings.yaml"
    file.write_text(yaml.safe_dump(settings))
    return file


@contextmanager
def agent(settings: Path) -> Iterator[AgentProcess]:
    process = AgentProcess(settings, log=settings.with_name("agent.log"))
    try:
        until(lambda: process.has_ended() or process.is_ready(), "the agent ready")
        assert not process.has_ended(), settings.with_name("agent.log").read_text()
        yield process
    finally:
        process.kill()


def reported(folder: Path) -> list[tuple[str, str, str]]:
    """Pod, occurrence and category of every failure, read from the first message on."""
    found = run_events(published(folder / "log" / "log.db", "run-events-real"))
    failures = [(event.pod.name, event.event) for event in found if isinstance(event.event, Failure)]
    return sorted((name, each.occurrence.value, each.classification.category) for name, each in failures)


def left(client: Client, namespace: str) -> set[str]:
    return {each["metadata"]["name"] for each in client.get(f"/api/v1/namespaces/{namespace}/pods")["items"]}


def test_pods_are_deleted_reported_once_and_released_however_often_the_agent_dies(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    settings = write_settings(control_plane, namespace, tmp_path)
    chance = random.Random(3)  # noqa: S311 - a course of kills, not a secret
    names = [f"p{number:02}" for number in range(60)]
    for name in names:
        client.create(pods, pod(name, labels=OURS))
    for name in names:
        client.patch(f"{pods}/{name}/status", ended(42))
    for _ in range(6):
        with agent(settings):
            time.sleep(chance.uniform(0.0, 0.4))
    with agent(settings):
        until(lambda: not left(client, namespace), "every pod gone")
        until(lambda: len(reported(tmp_path)) == len(names), "every pod told of")

    assert reported(tmp_path) == [(name, "pod-failed", "full") for name in names]


def test_a_pod_that_cannot_start_makes_room_and_others_stay(
    control_plane: ControlPlane, namespace: str, tmp_path: Path
) -> None:
    client, pods = control_plane.client(), f"/api/v1/namespaces/{namespace}/pods"
    settings = write_settings(control_plane, namespace, tmp_path)
    waiting = {**WAITING, "state": {"waiting": {"reason": "Odd", "message": "why"}}}
    for name, labels in (("ours", OURS), ("theirs", {})):
        client.create(pods, pod(name, labels=labels))
        client.patch(f"{pods}/{name}/status", {"status": {"phase": "Pending", "containerStatuses": [waiting]}})
    with agent(settings):
        until(lambda: left(client, namespace) == {"theirs"}, "our pod gone")
        until(lambda: len(reported(tmp_path)) == 2, "both told of")

    assert reported(tmp_path) == [("ours", "never-started", "unknown"), ("theirs", "never-started", "unknown")]
