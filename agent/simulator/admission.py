"""What admission plugins add to what clients create: DefaultTolerationSeconds, Priority, TaintNodesByCondition.

The simulator's own workload and nodes skip this, because no controller here would remove the taint.
"""

from typing import Final

from agent.simulator.kinds import NODES, PODS, Json, Kind

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
