"""What admission plugins add to what clients create: DefaultTolerationSeconds, Priority, TaintNodesByCondition.

NamespaceLifecycle refuses it in a namespace that is being deleted. The simulator's own workload and nodes skip all of
this, because no controller here would remove the taint.
"""

from typing import Final

from agent.simulator.kinds import NODES, PODS, Json, Kind
from agent.simulator.status import forbidden

_SECONDS: Final = 300
_NOT_READY: Final = "node.kubernetes.io/not-ready"
_TOLERATIONS: Final = tuple(
    {"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": _SECONDS}
    for key in (_NOT_READY, "node.kubernetes.io/unreachable")
)


def admit(kind: Kind, body: Json) -> Json:
    spec = body.get("spec") or {}
    if kind is PODS:
        tolerations = [*(spec.get("tolerations") or ()), *_TOLERATIONS]
        added = {"tolerations": tolerations, "priority": 0, "preemptionPolicy": "PreemptLowerPriority"}
        return {**body, "spec": {**spec, **added}}
    if kind is NODES:
        taint = {"key": _NOT_READY, "effect": "NoSchedule"}
        return {**body, "spec": {**spec, "taints": [*(spec.get("taints") or ()), taint]}}
    return body


def check_namespace(kind: Kind, body: Json, namespace: Json | None) -> None:
    """Raises StatusError (403) where nothing new may be created. A namespace that does not exist is another refusal."""
    if namespace is None or not kind.namespaced or namespace["status"].get("phase") != "Terminating":
        return
    name = namespace["metadata"]["name"]
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {name} is being terminated",
        "field": "metadata.namespace",
    }
    why = f"unable to create new content in namespace {name} because it is being terminated"
    raise forbidden(kind, (body.get("metadata") or {}).get("name", ""), why, causes=[cause])
