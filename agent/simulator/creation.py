"""What the server makes of an object that is sent to be created: checks, defaults, identity."""

import re
import uuid
from datetime import datetime
from typing import Any, Final

from agent.simulator.kinds import EVENTS, NAMESPACES, NODES, PODS, Json, Kind
from agent.simulator.status import bad_request, invalid
from agent.simulator.times import stamp

_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_LIMIT: Final = 253
_RFC_1123: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character"
)


def prepare(kind: Kind, body: Json, *, namespace: str, now: datetime) -> Json:
    """The object as it is first stored. Raises Refused (400, 422)."""
    meta = _metadata(kind, body.get("metadata") or {}, namespace=namespace, now=now)
    whole = {**body, "kind": kind.name, "apiVersion": "v1", "metadata": meta}
    match kind:
        case _ if kind is PODS:
            return _pod(whole)
        case _ if kind is NODES:
            return {"spec": {}, "status": {}, **whole}
        case _ if kind is NAMESPACES:
            return {**whole, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
        case _:
            return _event(whole)


def _metadata(kind: Kind, given: Json, *, namespace: str, now: datetime) -> Json:
    name = given.get("name") or (given["generateName"] + uuid.uuid4().hex[:5] if given.get("generateName") else "")
    if not name:
        raise invalid(kind, "", field="metadata.name", why="Required value: name or generateName is required")
    if len(name) > _NAME_LIMIT or not _SUBDOMAIN.fullmatch(name):
        raise invalid(kind, name, field="metadata.name", why=f'Invalid value: "{name}": {_RFC_1123}')
    if kind.namespaced and given.get("namespace") not in {None, "", namespace}:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    return {
        **given,
        "name": name,
        **({"namespace": namespace} if kind.namespaced else {}),
        "uid": str(uuid.uuid4()),
        "creationTimestamp": stamp(now),
    }


def _pod(whole: Json) -> Json:
    spec: dict[str, Any] = whole.get("spec") or {}
    name = whole["metadata"]["name"]
    if not spec.get("containers"):
        raise invalid(PODS, name, field="spec.containers", why="Required value")
    for index, container in enumerate(spec["containers"]):
        for wanted in ("name", "image"):
            if not container.get(wanted):
                raise invalid(PODS, name, field=f"spec.containers[{index}].{wanted}", why="Required value")
    defaults = {
        "restartPolicy": "Always",
        "terminationGracePeriodSeconds": 30,
        "schedulerName": "default-scheduler",
        "dnsPolicy": "ClusterFirst",
        "enableServiceLinks": True,
        "preemptionPolicy": "PreemptLowerPriority",
    }
    return {**whole, "spec": {**defaults, **spec}, "status": {"phase": "Pending", "qosClass": quality(spec)}}


def quality(spec: Json) -> str:
    """The QoS class of a pod with this spec (docs: concepts/workloads/pods/pod-qos)."""
    resources = [container.get("resources") or {} for container in spec["containers"]]
    if not any(each.get("requests") or each.get("limits") for each in resources):
        return "BestEffort"
    guaranteed = all(
        set(each.get("limits") or ()) >= {"cpu", "memory"} and each.get("requests", each["limits"]) == each["limits"]
        for each in resources
    )
    return "Guaranteed" if guaranteed else "Burstable"


def _event(whole: Json) -> Json:
    about = whole.get("involvedObject") or {}
    meta = whole["metadata"]
    if about.get("namespace", "") not in {meta["namespace"], ""}:
        raise invalid(
            EVENTS, meta["name"], field="involvedObject.namespace", why="Invalid value: does not match event.namespace"
        )
    return whole
