"""A namespace with waiting pods can be deleted: our finalizer keeps it only until all is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.core.failure import Failure, Occurrence
from agent.kube.finalizer import HOLD_LABEL
from tests.cluster.real import Real
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.patience import until

pytestmark = pytest.mark.slow

HELD = {HOLD_LABEL: "true"}


def test_it_goes_when_its_pods_are_reported(
    start_control_plane: Callable[[Options], ControlPlane], tmp_path: Path
) -> None:
    """With Kubernetes' own namespace controller, which waits for every pod to be gone."""
    plane = start_control_plane(Options())
    plane.run_controllers("namespace-controller")
    plane.client().create("/api/v1/namespaces", {"metadata": {"name": "ml"}})
    real = Real(client=plane.client(), namespace="ml", kubeconfig=plane.kubeconfig(), folder=tmp_path)
    settings = real.settings(watch=None)
    names = ["failed", "pending", "running", "done"]
    with real.agent(settings):
        for name in names:
            real.create(name, labels=HELD)
        until(lambda: all(map(real.is_held, names)), "held")
        running = {"name": "main", "image": "i", "imageID": "", "ready": True, "restartCount": 0}
        status = {"phase": "Running", "containerStatuses": [{**running, "state": {"running": {}}}]}
        real.client.patch(f"{real.pods}/running/status", {"status": status})
    real.fail("failed")
    real.fail("done", code=0)
    real.client.delete("/api/v1/namespaces/ml")
    until(lambda: terminating(real), "the controller has deleted every pod")
    assert all(map(real.is_held, names))
    assert real.client.get("/api/v1/namespaces/ml")["status"]["phase"] == "Terminating"

    with real.agent(settings):
        until(lambda: real.client.ask("GET", "/api/v1/namespaces/ml").status == 404, "the namespace gone", seconds=90)

    failures = {each.pod.name: each.event for each in real.events()}
    reported = {name: each.occurrence for name, each in failures.items() if isinstance(each, Failure)}
    assert reported == {
        "failed": Occurrence.POD_FAILED,
        "pending": Occurrence.DELETED_EXTERNALLY,
        "running": Occurrence.DELETED_EXTERNALLY,
    }


def terminating(real: Real) -> bool:
    return all("deletionTimestamp" in each["metadata"] for each in real.client.get(real.pods)["items"])
