"""The nodes: a shared pool, and one of its own for each pod whose script changes its node."""

from datetime import datetime
from itertools import count
from typing import Final

from agent.simulator.kinds import NODES, Json
from agent.simulator.pod_status import Moment, set_condition
from agent.simulator.registry import Registry
from agent.simulator.script import Condition, NodeChange
from agent.simulator.times import stamp

VERSION: Final = "v1.35.0-simulator"
"""Of the server and of the kubelets."""

_HEALTHY: Final = (
    ("MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
    ("DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
    ("PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"),
    ("Ready", "True", "KubeletReady", "kubelet is posting ready status"),
)


class Nodes:
    def __init__(self, registry: Registry, *, pool: int) -> None:
        self._registry = registry
        self._pool = [f"node-{number:03d}" for number in range(1, pool + 1)]
        self._turn = count()
        self._own = count(1)

    def start(self, now: datetime) -> None:
        for name in self._pool:
            self._create(name, now)

    def shared(self) -> str:
        """The next node of the pool, round robin."""
        return self._pool[next(self._turn) % len(self._pool)]

    def own(self, now: datetime) -> str:
        """A new node, for one pod."""
        name = f"node-own-{next(self._own):05d}"
        self._create(name, now)
        return name

    def change(self, name: str, change: NodeChange, moment: Moment) -> None:
        """Apply what a script says to a node, except its events. One that returns registers itself."""
        key = ("", name)
        if change.returns and self._registry.store.get(NODES, key) is None:
            self._create(name, moment.now)
        if self._registry.store.get(NODES, key) is None:
            return
        if change.delete:
            self._registry.delete(NODES, key, {})
            return
        if change.conditions:
            self._registry.change(NODES, key, lambda node: _with_conditions(node, change, moment), status=True)
        if change.taints or change.unschedulable is not None:
            self._registry.change(NODES, key, lambda node: _with_taints(node, change, moment), status=False)

    def remove(self, name: str) -> None:
        """Remove a node, if it is still there."""
        if self._registry.store.get(NODES, ("", name)) is not None:
            self._registry.delete(NODES, ("", name), {})

    def _create(self, name: str, now: datetime) -> None:
        self._registry.create(NODES, _node(name, now), namespace="")


def _node(name: str, now: datetime) -> Json:
    at = stamp(now)
    conditions = [
        {"type": kind, "status": status, "reason": reason, "message": message}
        | {"lastHeartbeatTime": at, "lastTransitionTime": at}
        for kind, status, reason, message in _HEALTHY
    ]
    capacity = {"cpu": "64", "memory": "527985304Ki", "nvidia.com/gpu": "8", "pods": "250"}
    info = {**NODES.bare["status"]["nodeInfo"], "kubeletVersion": VERSION}
    return {
        "metadata": {"name": name, "labels": {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux"}},
        "spec": {"podCIDR": "10.0.0.0/24"},
        "status": {"capacity": capacity, "allocatable": capacity, "conditions": conditions, "nodeInfo": info},
    }


def _with_conditions(node: Json, change: NodeChange, moment: Moment) -> Json:
    conditions = node["status"]["conditions"]
    for condition in change.conditions:
        conditions = [
            _heartbeat(current, condition, moment) for current in set_condition(conditions, condition, moment)
        ]
    return {**node, "status": {**node["status"], "conditions": conditions}}


def _heartbeat(condition: Json, changed: Condition, moment: Moment) -> Json:
    if condition["type"] != changed.type:
        return condition
    kept = {name: value for name, value in condition.items() if name != "lastProbeTime"}
    return {**kept, "lastHeartbeatTime": moment.stamp}


def _with_taints(node: Json, change: NodeChange, moment: Moment) -> Json:
    spec = {**node["spec"]}
    if change.unschedulable is not None:
        spec["unschedulable"] = change.unschedulable
    new = [
        {"key": taint.key, "effect": taint.effect, "timeAdded": moment.stamp}
        | ({"value": taint.value} if taint.value else {})
        for taint in change.taints
    ]
    spec["taints"] = [*(spec.get("taints") or []), *new]
    return {**node, "spec": spec}
