"""Pod statuses as the kubelet of Kubernetes 1.30 and later writes them. Pure: old status in, new status out."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from agent.simulator.kinds import Json
from agent.simulator.script import Condition, Exit, ScriptStep
from agent.simulator.times import stamp

_NEVER_STARTED: Final = "1970-01-01T00:00:00Z"
_UNKNOWN: Final[Json] = {
    "terminated": {
        "exitCode": 137,
        "reason": "ContainerStatusUnknown",
        "message": "The container could not be located when the pod was terminated",
        "startedAt": None,
        "finishedAt": None,
    }
}
_FINISHED: Final = {"Failed": "PodFailed", "Succeeded": "PodCompleted"}
_ORDER: Final = (
    "DisruptionTarget",
    "PodReadyToStartContainers",
    "Initialized",
    "Ready",
    "ContainersReady",
    "PodScheduled",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """When a status is written, and how the placeholders of its texts are filled in."""

    now: datetime
    fill: Callable[[str], str]

    @property
    def stamp(self) -> str:
        return stamp(self.now)


def apply_step(pod: Json, step: ScriptStep, moment: Moment) -> Json:
    """The status of a pod after a step."""
    status = {**pod["status"]}
    if step.rejected:
        status = {name: status[name] for name in ("qosClass", "conditions") if name in status}
    if step.waiting or step.running or step.exited or step.restarted:
        status = _with_containers(pod, status, step, moment)
    texts = {"phase": step.phase, "reason": step.reason, "message": step.message}
    status |= {name: moment.fill(text) for name, text in texts.items() if text is not None}
    if status.get("containerStatuses"):
        status["conditions"] = _derived(status, moment)
    for condition in step.conditions:
        status["conditions"] = set_condition(status.get("conditions") or [], condition, moment)
    status.setdefault("startTime", moment.stamp)
    return status


def bound(pod: Json, node: str, moment: Moment) -> Json:
    """The pod, assigned to a node by the scheduler."""
    scheduled = Condition(type="PodScheduled", status="True")
    conditions = set_condition(pod["status"].get("conditions") or [], scheduled, moment)
    return {**pod, "spec": {**pod["spec"], "nodeName": node}, "status": {**pod["status"], "conditions": conditions}}


def terminated(pod: Json, ending: Exit, moment: Moment) -> Json:
    """The last status of a pod whose running containers all end this way: it succeeds if all its containers did.

    The kubelet then marks the containers that never started (pkg/kubelet/status/status_manager.go, TerminatePod).
    """
    running = {
        container["name"]: ending
        for field in ("containerStatuses", "initContainerStatuses")
        for container in pod["status"].get(field) or ()
        if "running" in container["state"]
    }
    ended = _without_unstarted(apply_step(pod, ScriptStep(exited=running), moment), pod, moment)
    if over(pod):
        return ended
    states = [container["state"].get("terminated") for container in ended.get("containerStatuses") or ()]
    succeeded = bool(states) and all(state is not None and state["exitCode"] == 0 for state in states)
    return apply_step({**pod, "status": ended}, ScriptStep(phase="Succeeded" if succeeded else "Failed"), moment)


def _without_unstarted(status: Json, pod: Json, moment: Moment) -> Json:
    """No container waits any longer, except those that an init container kept from starting."""
    if over(pod) and not status.get("containerStatuses"):
        return status  # refused at admission
    shown = _with_containers(pod, status, ScriptStep(), moment)
    inits, containers = shown.get("initContainerStatuses") or [], shown["containerStatuses"]
    started = [number for number, init in enumerate(inits, start=1) if not _never_started(init)]
    reached = max(started, default=1)
    if inits:
        shown["initContainerStatuses"] = [*map(_unknown_if_waiting, inits[:reached]), *inits[reached:]]
    if _initialized(inits, containers):
        shown["containerStatuses"] = [_unknown_if_waiting(container) for container in containers]
    return shown


def _initialized(inits: Sequence[Json], containers: Sequence[Json]) -> bool:
    if not inits or not all(_never_started(container) for container in containers):
        return True
    return (inits[-1]["state"].get("terminated") or {}).get("exitCode") == 0


def _never_started(container: Json) -> bool:
    return "waiting" in container["state"] and not container["lastState"]


def _unknown_if_waiting(container: Json) -> Json:
    return container if "waiting" not in container["state"] else {**container, "state": _UNKNOWN}


def over(pod: Json) -> bool:
    """Whether the pod has its last phase. Its containers may still run, as after an active deadline."""
    return pod["status"].get("phase") in _FINISHED


def set_condition(conditions: Sequence[Json], condition: Condition, moment: Moment) -> list[Json]:
    """The conditions with this one set; its time changes only if its status does."""
    old = next((known for known in conditions if known["type"] == condition.type), None)
    same = old is not None and old["status"] == condition.status
    new: Json = {
        "type": condition.type,
        "status": condition.status,
        "lastProbeTime": None,
        "lastTransitionTime": old["lastTransitionTime"] if old is not None and same else moment.stamp,
    }
    texts = {"reason": condition.reason, "message": condition.message}
    new |= {name: moment.fill(text) for name, text in texts.items() if text}
    others = [known for known in conditions if known["type"] != condition.type]
    return sorted([*others, new], key=lambda known: _ORDER.index(known["type"]) if known["type"] in _ORDER else -1)


def _with_containers(pod: Json, status: Json, step: ScriptStep, moment: Moment) -> Json:
    spec: dict[str, Any] = pod["spec"]
    result = {**status}
    result.setdefault("hostIP", "10.0.0.1")
    for listed, field in (("initContainers", "initContainerStatuses"), ("containers", "containerStatuses")):
        if spec.get(listed):
            default = (
                "PodInitializing" if listed == "containers" and spec.get("initContainers") else "ContainerCreating"
            )
            known = {container["name"]: container for container in status.get(field) or ()}
            result[field] = [
                _after(known.get(container["name"]) or _created(container, default), step, moment)
                for container in spec[listed]
            ]
    if step.running and result.get("phase") == "Pending" and _any_running(result, "containerStatuses"):
        result["phase"] = "Running"
    return result


def _created(container: Json, reason: str) -> Json:
    return {
        "name": container["name"],
        "image": container["image"],
        "imageID": "",
        "ready": False,
        "restartCount": 0,
        "started": False,
        "state": {"waiting": {"reason": reason}},
        "lastState": {},
    }


def _after(container: Json, step: ScriptStep, moment: Moment) -> Json:
    name = container["name"]
    if name in step.restarted:
        ended = _exited(container, step.restarted[name], moment)
        return _started(
            {**container, "restartCount": container["restartCount"] + 1, "lastState": ended["state"]}, moment
        )
    if name in step.exited:
        return _exited(container, step.exited[name], moment)
    if name in step.running:
        return _started(container, moment)
    if name in step.waiting:
        waiting = step.waiting[name]
        said = {"reason": waiting.reason} | ({"message": moment.fill(waiting.message)} if waiting.message else {})
        return {**container, "ready": False, "started": False, "state": {"waiting": said}}
    return container


def _started(container: Json, moment: Moment) -> Json:
    return {
        **container,
        "imageID": f"{container['image']}@sha256:{uuid.uuid5(uuid.NAMESPACE_URL, container['image']).hex * 2}",
        "containerID": f"containerd://{uuid.uuid4().hex}{uuid.uuid4().hex}",
        "ready": True,
        "started": True,
        "state": {"running": {"startedAt": moment.stamp}},
    }


def _exited(container: Json, ending: Exit, moment: Moment) -> Json:
    began = (container["state"].get("running") or {}).get("startedAt", moment.stamp)
    identity = container.get("containerID") or f"containerd://{uuid.uuid4().hex}{uuid.uuid4().hex}"
    state: Json = {
        "exitCode": ending.exit_code,
        "reason": ending.reason,
        "startedAt": _NEVER_STARTED if ending.unstarted else began,
        "finishedAt": moment.stamp,
        "containerID": identity,
    }
    if ending.message:
        state["message"] = moment.fill(ending.message)
    if ending.signal is not None:
        state["signal"] = ending.signal
    return {**container, "containerID": identity, "ready": False, "started": False, "state": {"terminated": state}}


def _derived(status: Json, moment: Moment) -> list[Json]:
    """The kubelet's own conditions, from the phase and the containers (kubelet: pkg/kubelet/status/generate.go)."""
    conditions: list[Json] = status.get("conditions") or []
    over = _FINISHED.get(status.get("phase", ""))
    unready = [container["name"] for container in status["containerStatuses"] if not container["ready"]]
    incomplete = [
        container["name"]
        for container in status.get("initContainerStatuses") or ()
        if (container["state"].get("terminated") or {}).get("exitCode") != 0
    ]
    started = over is None and (
        _any_running(status, "containerStatuses") or _any_running(status, "initContainerStatuses")
    )
    wanted = (
        _condition("PodReadyToStartContainers", started),
        _unless("Initialized", incomplete, "ContainersNotInitialized", "containers with incomplete status"),
        *(
            Condition(type=kind, status="False", reason=over)
            if over is not None
            else _unless(kind, unready, "ContainersNotReady", "containers with unready status")
            for kind in ("Ready", "ContainersReady")
        ),
    )
    for condition in wanted:
        conditions = set_condition(conditions, condition, moment)
    return conditions


def _condition(kind: str, true: bool) -> Condition:  # noqa: FBT001 - the condition's own status
    return Condition(type=kind, status="True" if true else "False")


def _unless(kind: str, names: Sequence[str], reason: str, message: str) -> Condition:
    if not names:
        return Condition(type=kind, status="True")
    return Condition(type=kind, status="False", reason=reason, message=f"{message}: [{' '.join(names)}]")


def _any_running(status: Mapping[str, Any], field: str) -> bool:
    return any("running" in container["state"] for container in status.get(field) or ())
