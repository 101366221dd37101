"""The pod garbage collector, for pods that are being deleted and were never bound (pkg/controller/podgc).

No kubelet has such a pod. Where a finalizer holds it, the collector marks it as failed, and deletes it by force.
"""

from typing import Final

from agent.simulator.kinds import PODS, Json, Kind
from agent.simulator.pod_status import over
from agent.simulator.registry import Registry
from agent.simulator.store import StoredChange, key_of
from agent.simulator.timeline import Timeline

_PERIOD_SECONDS: Final = 20.0


class PodGarbageCollector:
    """Looks at such a pod once, a period after its deletion was asked for."""

    def __init__(self, registry: Registry, timeline: Timeline) -> None:
        self._registry = registry
        self._timeline = timeline
        registry.store.listeners.append(self._notice)

    def _notice(self, kind: Kind, change: StoredChange) -> None:
        if kind is not PODS or change.type != "MODIFIED" or change.previous is None:
            return
        if _is_garbage(change.object) and not _is_garbage(change.previous):
            self._timeline.after(_PERIOD_SECONDS, lambda: self._collect(change.object))

    def _collect(self, marked: Json) -> None:
        key, uid = key_of(marked), marked["metadata"]["uid"]
        pod = self._registry.store.get(PODS, key)
        if pod is None or pod["metadata"]["uid"] != uid:
            return
        if not over(pod):
            self._registry.write_status(key, {**pod["status"], "phase": "Failed"})
        self._registry.delete(PODS, key, {"gracePeriodSeconds": 0, "preconditions": {"uid": uid}})


def _is_garbage(pod: Json) -> bool:
    return bool(pod["metadata"].get("deletionTimestamp")) and not pod["spec"].get("nodeName")
