"""The status that a kubelet writes of a pod (pkg/kubelet: kubelet_pods.go, status/status_manager.go). Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal

from agent.simulator.pod_status import Moment, apply_step, over, terminated
from agent.simulator.script import Exit, ScriptStep
from agent.simulator.times import stamp
from tests.servers.kubelet.runtime import Container
from tests.servers.kubelet.steps import failed_init, is_sidecar
from tests.simulator.api import Json

_NEVER_ENDS_SO: Final = Exit(exit_code=137)
"""How running containers would end; a last status has none."""

_Phase = Literal["Pending", "Running", "Succeeded", "Failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why the kubelet does not admit a pod (pkg/kubelet/lifecycle/predicate.go)."""

    reason: str
    message: str


def status_of(pod: Json, containers: Mapping[str, Container], *, now: datetime) -> Json:
    """The status while the pod lives. A phase that somebody else wrote as the last one stays."""
    shown = {**pod["status"], **_shown(pod, containers)}
    phase = None if over(pod) else _phase(pod, containers)
    return apply_step({**pod, "status": shown}, ScriptStep(phase=phase), _moment(now))


def last_status(pod: Json, containers: Mapping[str, Container], *, now: datetime) -> Json:
    """The status when no container of the pod lives, or ever will."""
    shown = {**pod["status"], **_shown(pod, containers)}
    return terminated({**pod, "status": shown}, _NEVER_ENDS_SO, _moment(now))


def refused(pod: Json, refusal: Refusal) -> Json:
    """The status of a pod that is not admitted: whatever it said of containers goes."""
    return {
        **{name: pod["status"].get(name) for name in ("qosClass", "conditions")},
        "phase": "Failed",
        "reason": refusal.reason,
        "message": f"Pod was rejected: {refusal.message}",
        "containerStatuses": None,
        "initContainerStatuses": None,
    }


def _moment(now: datetime) -> Moment:
    return Moment(now=now, fill=lambda text: text)


def _shown(pod: Json, containers: Mapping[str, Container]) -> Json:
    spec = pod["spec"]
    shown: Json = {}
    for listed, field in (("initContainers", "initContainerStatuses"), ("containers", "containerStatuses")):
        if spec.get(listed):
            shown[field] = [_container(each, containers.get(each["name"]), _waiting(spec)) for each in spec[listed]]
    return shown


def _waiting(spec: Mapping[str, Any]) -> str:
    return "PodInitializing" if spec.get("initContainers") else "ContainerCreating"


def _container(container: Json, found: Container | None, waiting: str) -> Json:
    shown: Json = {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "started": False,
        "state": {"waiting": {"reason": waiting}},
        "lastState": {},
    }
    if found is None:
        return shown
    return shown | {
        "imageID": f"{container['image']}@sha256:{'0' * 64}",
        "containerID": found.lived.container_id,
        "ready": found.lives,
        "restartCount": found.restarts,
        "started": found.lives,
        "state": _state(found),
        "lastState": {} if found.last is None else _state(found.last),
    }


def _state(container: Container) -> Json:
    lived, ending = container.lived, container.exit
    if ending is None or lived.ended_at is None:
        return {"running": {"startedAt": stamp(lived.started_at)}}
    ended: Json = {
        "exitCode": ending.exit_code,
        "reason": ending.reason,
        "startedAt": stamp(lived.started_at),
        "finishedAt": stamp(lived.ended_at),
        "containerID": lived.container_id,
    }
    return {"terminated": ended | ({"message": ending.message} if ending.message else {})}


def _phase(pod: Json, containers: Mapping[str, Container]) -> _Phase:
    """The phase (getPhase). What is to be started again counts as running."""
    spec = pod["spec"]
    if spec.get("restartPolicy") == "Never" and any(failed_init(pod, containers)):
        return "Failed"
    begun = [containers.get(each["name"]) for each in spec["containers"]]
    before = [each for each in spec.get("initContainers") or () if not is_sidecar(each)]
    initialized = all((found := containers.get(each["name"])) is not None and not found.lives for each in before)
    if not initialized or any(each is None for each in begun):
        return "Pending"
    endings = [each.exit for each in begun if each is not None]
    if any(each is None for each in endings):
        return "Running"
    good = all(each is not None and each.exit_code == 0 for each in endings)
    policy = spec.get("restartPolicy", "Always")
    if policy == "Always" or (policy == "OnFailure" and not good):
        return "Running"
    return "Succeeded" if good else "Failed"
