"""What the server does to an object before it stores it: validation, defaults, metadata."""

import re
import uuid
from datetime import datetime
from typing import Any, Final

from agent.simulator.defaults import metadata, node_status, pod_spec
from agent.simulator.gates import check_gates, gated_status
from agent.simulator.kinds import EVENTS, NAMESPACES, NODES, PODS, Json, Kind
from agent.simulator.status import bad_request, invalid
from agent.simulator.times import stamp

_SUBDOMAIN: Final = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_LIMIT: Final = 253
_NAME_LABEL: Final = "kubernetes.io/metadata.name"
_RFC_1123: Final = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    r"'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


def prepare(kind: Kind, body: Json, *, namespace: str, now: datetime) -> Json:
    """The object as it is first stored. Raises StatusError (400, 422)."""
    meta = _metadata(kind, body.get("metadata") or {}, namespace=namespace, now=now)
    whole = {**body, "kind": kind.name, "apiVersion": kind.api_version, "metadata": meta}
    match kind:
        case _ if kind is PODS:
            return _pod(whole, now)
        case _ if kind is NAMESPACES:
            return {**whole, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
        case _ if kind is NODES:
            return {**whole, "spec": whole.get("spec") or {}, "status": {**kind.bare["status"], **_status(whole)}}
        case _ if kind is EVENTS:
            return _event(whole)
        case _:
            return {**kind.bare, **whole}


def _status(whole: Json) -> Json:
    return node_status(whole.get("status") or {})


def _metadata(kind: Kind, given: Json, *, namespace: str, now: datetime) -> Json:
    name = given.get("name") or (given["generateName"] + uuid.uuid4().hex[:5] if given.get("generateName") else "")
    if not name:
        raise invalid(kind, "", field="metadata.name", why="Required value: name or generateName is required")
    if len(name) > _NAME_LIMIT or not _SUBDOMAIN.fullmatch(name):
        raise invalid(kind, name, field="metadata.name", why=f'Invalid value: "{name}": {_RFC_1123}')
    if kind.namespaced and given.get("namespace") not in {None, "", namespace}:
        raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
    labels = {**(given.get("labels") or {}), **({_NAME_LABEL: name} if kind is NAMESPACES else {})}
    return metadata(
        {
            **given,
            "labels": labels,
            "name": name,
            **({"namespace": namespace} if kind.namespaced else {}),
            **({"generation": 1} if kind is PODS else {}),
            "uid": str(uuid.uuid4()),
            "creationTimestamp": stamp(now),
        }
    )


def _pod(whole: Json, now: datetime) -> Json:
    spec: dict[str, Any] = whole.get("spec") or {}
    name = whole["metadata"]["name"]
    if not spec.get("containers"):
        raise invalid(PODS, name, field="spec.containers", why="Required value")
    for index, container in enumerate(spec["containers"]):
        for wanted in ("name", "image"):
            if not container.get(wanted):
                raise invalid(PODS, name, field=f"spec.containers[{index}].{wanted}", why="Required value")
    check_gates(whole)
    return {
        **whole,
        "spec": pod_spec(spec),
        "status": {"phase": "Pending", **gated_status(whole, now), "qosClass": quality(spec)},
    }


def quality(spec: Json) -> str:
    """The QoS class of a pod with this spec (docs: concepts/workloads/pods/pod-qos)."""
    resources = [container.get("resources") or {} for container in spec["containers"]]
    if not any(requirements.get("requests") or requirements.get("limits") for requirements in resources):
        return "BestEffort"
    guaranteed = all(
        set(requirements.get("limits") or ()) >= {"cpu", "memory"}
        and requirements.get("requests", requirements["limits"]) == requirements["limits"]
        for requirements in resources
    )
    return "Guaranteed" if guaranteed else "Burstable"


def _event(whole: Json) -> Json:
    about = whole.get("involvedObject") or {}
    meta = whole["metadata"]
    if (about.get("namespace") or "default") != meta["namespace"]:
        raise invalid(
            EVENTS,
            meta["name"],
            field="involvedObject.namespace",
            why=f'Invalid value: "{about.get("namespace", "")}": does not match event.namespace',
        )
    return {**EVENTS.bare, **whole}
