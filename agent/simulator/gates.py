"""Scheduling gates: a pod that has one is not bound to a node (Kubernetes: KEP-3521).

Gates are given when the pod is created. After that they can only be removed.
"""

from datetime import datetime
from typing import Final

from agent.simulator.kinds import PODS, Json, Kind
from agent.simulator.status import invalid
from agent.simulator.times import stamp

GATE: Final = "failure-agent.dev/start"
"""The gate by which the agent creates pods."""

_PLACED: Final = "Forbidden: cannot be set until all schedulingGates have been cleared"


def gates_of(pod: Json) -> list[str]:
    """The names of a pod's gates."""
    return [gate["name"] for gate in (pod.get("spec") or {}).get("schedulingGates") or ()]


def check_gates(pod: Json) -> None:
    """Raises StatusError (422) for gates that a new pod cannot have."""
    name, gates = pod["metadata"]["name"], gates_of(pod)
    if gates and pod["spec"].get("nodeName"):
        raise invalid(PODS, name, field="spec.nodeName", why=_PLACED)
    for index, gate in enumerate(gates):
        if gate in gates[:index]:
            raise invalid(PODS, name, field=f"spec.schedulingGates[{index}]", why=f'Duplicate value: "{gate}"')


def check_added_gates(before: Json, after: Json) -> None:
    """Raises StatusError (422) where a change adds a gate to a pod that exists."""
    known = gates_of(before)
    for index, gate in enumerate(gates_of(after)):
        if gate not in known:
            why = f"Forbidden: only deletion is allowed, but found new scheduling gate '{gate}'"
            raise invalid(PODS, before["metadata"]["name"], field=f"spec.schedulingGates[{index}].name", why=why)


def without_gates(kind: Kind, body: Json) -> Json:
    """What a server from before scheduling gates reads: it does not know the field, and drops it."""
    if kind is not PODS or not isinstance(body.get("spec"), dict):
        return body
    return {**body, "spec": {name: value for name, value in body["spec"].items() if name != "schedulingGates"}}


def with_gates(_kind: Kind, body: Json) -> Json:
    """What a server reads that knows scheduling gates: all of it."""
    return body


def gated_status(pod: Json, now: datetime) -> Json:
    """What the server says of a pod that must not be scheduled yet (pkg/registry/core/pod/strategy.go)."""
    if not gates_of(pod):
        return {}
    said = {"reason": "SchedulingGated", "message": "Scheduling is blocked due to non-empty scheduling gates"}
    times = {"lastProbeTime": None, "lastTransitionTime": stamp(now)}
    return {"conditions": [{"type": "PodScheduled", "status": "False", **times, **said}]}
