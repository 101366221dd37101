"""The defaults that the server fills in (Kubernetes: pkg/apis/core/v1/defaults.go, zero_values)."""

from typing import Any, Final

from agent.simulator.kinds import Json

_SPEC: Final[Json] = {
    "restartPolicy": "Always",
    "terminationGracePeriodSeconds": 30,
    "dnsPolicy": "ClusterFirst",
    "securityContext": {},
    "schedulerName": "default-scheduler",
    "enableServiceLinks": True,
}
_CONTAINER: Final[Json] = {
    "resources": {},
    "terminationMessagePath": "/dev/termination-log",
    "terminationMessagePolicy": "File",
}
_CONTAINERS: Final = ("containers", "initContainers")
_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
_STATUS: Final[Json] = {"state": {}, "lastState": {}, "ready": False, "restartCount": 0, "image": "", "imageID": ""}
_TERMINATED: Final[Json] = {"exitCode": 0, "startedAt": None, "finishedAt": None}
_EMPTY_SPEC: Final = ("schedulingGates",)
_EMPTY: Final = ("labels", "annotations", "finalizers", "ownerReferences")


def metadata(given: Json) -> Json:
    """Metadata without its empty fields, as Go's ``omitempty`` leaves them out."""
    return {name: value for name, value in given.items() if value or name not in _EMPTY}


def pod_spec(spec: Json) -> Json:
    lists = {name: [_container(container) for container in spec[name]] for name in _CONTAINERS if spec.get(name)}
    return {**_SPEC, **{name: value for name, value in spec.items() if value or name not in _EMPTY_SPEC}, **lists}


def _container(given: Json) -> Json:
    _, _, tag = str(given.get("image", "")).rpartition("/")[2].partition(":")
    policy = "Always" if tag in {"", "latest"} else "IfNotPresent"
    return {**_CONTAINER, "imagePullPolicy": policy, **given, **_resources(given.get("resources") or {})}


def _resources(given: Json) -> Json:
    """What is limited and not asked for is asked for up to the limit."""
    limits: Json = given.get("limits") or {}
    return {"resources": {**given, "requests": {**limits, **(given.get("requests") or {})}}} if limits else {}


def pod_status(status: Json) -> Json:
    """The status of a pod, with the fields that Go writes even when they are empty."""
    lists = {
        name: [_container_status(container) for container in status[name]] for name in _STATUSES if status.get(name)
    }
    return {**_with_conditions(status, "lastProbeTime"), **lists}


def node_status(status: Json) -> Json:
    return _with_conditions(status, "lastHeartbeatTime")


def _with_conditions(status: Json, probed_at: str) -> Json:
    if not status.get("conditions"):
        return status
    blank: Json = {probed_at: None, "lastTransitionTime": None}
    return {**status, "conditions": [{**blank, **condition} for condition in status["conditions"]]}


def _container_status(given: Json) -> Json:
    whole = {**_STATUS, **given}
    return {**whole, "state": _state(whole["state"]), "lastState": _state(whole["lastState"])}


def _state(state: Json | None) -> Json:
    ended: Any = (state or {}).get("terminated")
    return {"terminated": {**_TERMINATED, **ended}} if isinstance(ended, dict) else state or {}
