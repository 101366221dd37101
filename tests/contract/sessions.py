"""Sessions at a terminal: the commands of kubectl that people need first."""

from collections.abc import Mapping
from typing import Final

from tests.contract.beside_pods import lease
from tests.contract.tabling import STATUSES, container, ended, status
from tests.contract.terminal import Session, Terminal
from tests.simulator.api import Json, pod

LIMITED: Final = {"resources": {"limits": {"memory": "64Mi"}}}


def named(name: str, *, node: str = "") -> Json:
    """A pod as people write it in a file."""
    made = pod(name, labels={"app": "train"}, node=node)
    containers = [{**each, **LIMITED} for each in made["spec"]["containers"]]
    return {"apiVersion": "v1", "kind": "Pod", **made, "spec": {**made["spec"], "containers": containers}}


async def a_pod_is_created_looked_at_and_deleted(terminal: Terminal) -> None:
    file = terminal.write("pod.yaml", named("a"))
    assert await terminal.kubectl("create", "-f", file) == "pod/a created\n"
    assert "0/1     Pending" in await terminal.kubectl("get", "pods")
    for form in ("wide", "yaml", "json", "name", "jsonpath={.spec.containers[*].name}"):
        await terminal.kubectl("get", "pod", "a", "-o", form)
    await terminal.kubectl("get", "po", "-l", "app=train", "--show-labels")
    await terminal.kubectl("get", "pods", "-A", "--field-selector", f"metadata.namespace={terminal.stage.namespace}")
    await terminal.kubectl("create", "-f", file)
    assert "deleted" in await terminal.kubectl("delete", "pod", "a")
    await terminal.kubectl("get", "pods")


async def a_failed_pod_is_described(terminal: Terminal) -> None:
    stage = terminal.stage
    await terminal.kubectl("create", "-f", terminal.write("pod.yaml", named("a", node="n1")))
    over = container({"terminated": ended(137, "OOMKilled", message="out of memory")}, restarts=1)
    conditions = [{"type": "Ready", "status": "False", "reason": "PodFailed"}]
    failed = status(over, phase="Failed", conditions=conditions, startTime="2026-01-02T03:04:05Z")
    await stage.server.patch(f"{stage.pods}/a/status", failed)
    made = await stage.server.get(f"{stage.pods}/a")
    about = {
        "apiVersion": "v1",
        "kind": "Pod",
        "name": "a",
        "namespace": stage.namespace,
        "uid": made["metadata"]["uid"],
    }
    event = {"metadata": {"name": "e"}, "involvedObject": about, "type": "Warning", "reason": "BackOff", "count": 3}
    seen = {"firstTimestamp": "2026-01-02T03:04:05Z", "lastTimestamp": "2026-01-02T03:04:05Z"}
    await stage.server.create(
        stage.events, {**event, **seen, "message": "Back-off", "source": {"component": "kubelet", "host": "n1"}}
    )
    assert "OOMKilled" in await terminal.kubectl("get", "pods")
    await terminal.kubectl("describe", "pod", "a")
    await terminal.kubectl("get", "events")
    await terminal.kubectl("get", "events", "--field-selector", "type=Warning", "-o", "wide")
    await terminal.kubectl("events", "--for", "pod/a")


async def a_pod_is_applied_and_applied_again(terminal: Terminal) -> None:
    file = terminal.write("pod.yaml", named("a"))
    assert await terminal.kubectl("apply", "-f", file) == "pod/a created\n"
    assert await terminal.kubectl("apply", "-f", file) == "pod/a unchanged\n"
    changed = named("a")
    changed["metadata"]["labels"] = {"tier": "1"}
    assert await terminal.kubectl("apply", "-f", terminal.write("pod.yaml", changed)) == "pod/a configured\n"
    await terminal.kubectl("get", "pod", "a", "--show-labels")
    await terminal.kubectl("label", "pod", "a", "app=web")
    await terminal.kubectl("annotate", "pod", "a", "note=this")
    await terminal.kubectl("delete", "-f", "pod.yaml")


async def a_pod_is_waited_for_and_watched(terminal: Terminal) -> None:
    stage = terminal.stage
    await terminal.kubectl("create", "-f", terminal.write("pod.yaml", named("a")))
    watched = await terminal.kubectl_until(
        3, "get", "pods", "--watch", meanwhile=lambda: stage.server.patch(f"{stage.pods}/a/status", STATUSES["oom"])
    )
    assert watched.count("OOMKilled") == 1
    assert "condition met" in await terminal.kubectl("wait", "pod/a", "--for=jsonpath={.status.phase}=Failed")


async def what_cannot_be_is_said(terminal: Terminal) -> None:
    await terminal.kubectl("get", "pod", "nobody")
    await terminal.kubectl("describe", "pod", "nobody")
    await terminal.kubectl("get", "unicorns")
    await terminal.kubectl("delete", "pod", "nobody")
    invalid = named("a")
    invalid["spec"]["containers"] = []
    await terminal.kubectl("create", "-f", terminal.write("invalid.yaml", invalid))
    await terminal.kubectl("create", "-f", terminal.write("pod.yaml", named("b", node="n1")))
    waiting = status(container({"waiting": {"reason": "ImagePullBackOff"}}), phase="Pending")
    await terminal.stage.server.patch(f"{terminal.stage.pods}/b/status", waiting)
    await terminal.kubectl("get", "pods", "--field-selector", "status.message=x")


async def what_is_beside_pods_is_shown(terminal: Terminal) -> None:
    stage, name = terminal.stage, terminal.stage.namespace
    await terminal.kubectl("get", "namespace", name)
    await stage.server.create(stage.leases, lease("first"))
    await terminal.kubectl("get", "leases")
    await stage.server.create("/api/v1/nodes", {"metadata": {"name": name}, "spec": {"taints": []}})
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "yes"}
    capacity = {"cpu": "4", "memory": "8Gi", "pods": "110"}
    reported = {"conditions": [ready], "capacity": capacity, "allocatable": capacity}
    await stage.server.patch(f"/api/v1/nodes/{name}/status", {"status": reported})
    await terminal.kubectl("create", "-f", terminal.write("pod.yaml", named("a", node=name)))
    await terminal.kubectl("get", "node", name, "-o", "wide")
    await terminal.kubectl("describe", "node", name)
    await terminal.kubectl("cordon", name)
    await terminal.kubectl("get", "node", name)
    await stage.server.delete(f"/api/v1/nodes/{name}")


SESSIONS: Final[Mapping[str, Session]] = {
    session.__name__: session
    for session in (
        a_pod_is_created_looked_at_and_deleted,
        a_failed_pod_is_described,
        a_pod_is_applied_and_applied_again,
        a_pod_is_waited_for_and_watched,
        what_cannot_be_is_said,
        what_is_beside_pods_is_shown,
    )
}
