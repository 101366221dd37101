"""How a server prints a pod (pkg/printers/internalversion/printers.go, printPod)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from agent.simulator.ages import age
from agent.simulator.kinds import Json

_NONE: Final = "<none>"
_OVER: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Containers:
    """What a pod's containers say together. ``reason`` is ``""`` if they say nothing about the pod's status."""

    reason: str = ""
    ready: int = 0
    restarts: int = 0
    restarted_at: str = ""
    running: bool = False


def pod_cells(pod: Json, now: datetime) -> Sequence[object]:
    meta, spec, status = pod["metadata"], pod["spec"], pod.get("status") or {}
    sidecars = [
        container for container in spec.get("initContainers") or () if container.get("restartPolicy") == "Always"
    ]
    said = _containers(pod, {sidecar["name"] for sidecar in sidecars})
    return (
        meta["name"],
        f"{said.ready}/{len(spec['containers']) + len(sidecars)}",
        _status(pod, said),
        f"{said.restarts} ({age(said.restarted_at, now)} ago)" if said.restarts and said.restarted_at else _count(said),
        age(meta.get("creationTimestamp"), now),
        next((address["ip"] for address in status.get("podIPs") or () if address.get("ip")), _NONE),
        spec.get("nodeName") or _NONE,
        status.get("nominatedNodeName") or _NONE,
        _gates(pod),
    )


def conditions_of(pod: Json) -> Sequence[Json]:
    """What the row of a pod that is over contains in addition to its cells."""
    phase = (pod.get("status") or {}).get("phase")
    if phase not in _OVER:
        return ()
    return ({"type": "Completed", "status": "True", "reason": phase, "message": _OVER[phase]},)


def _count(said: _Containers) -> str:
    return str(said.restarts)


def _status(pod: Json, said: _Containers) -> str:
    status: Json = pod.get("status") or {}
    phase = status.get("phase", "")
    reason = said.reason or _gated(status) or status.get("reason") or phase
    if reason == "Completed" and said.running:
        reason = "Running" if _condition(status, "Ready") == "True" else "NotReady"
    if not pod["metadata"].get("deletionTimestamp"):
        return str(reason)
    if status.get("reason") == "NodeLost":
        return "Unknown"
    return str(reason) if phase in _OVER else "Terminating"


def _gated(status: Json) -> str:
    reasons = [
        condition.get("reason") for condition in status.get("conditions") or () if condition["type"] == "PodScheduled"
    ]
    return "SchedulingGated" if "SchedulingGated" in reasons else ""


def _condition(status: Json, kind: str) -> str:
    return next((condition["status"] for condition in status.get("conditions") or () if condition["type"] == kind), "")


def _gates(pod: Json) -> str:
    gates = [gate["conditionType"] for gate in pod["spec"].get("readinessGates") or ()]
    if not gates:
        return _NONE
    return f"{sum(_condition(pod.get('status') or {}, gate) == 'True' for gate in gates)}/{len(gates)}"


def _containers(pod: Json, sidecars: set[str]) -> _Containers:
    """A pod's status comes from its init containers while it initialises, then from its other containers."""
    status: Json = pod.get("status") or {}
    initial: Sequence[Json] = status.get("initContainerStatuses") or ()
    ready = [
        container
        for container in initial
        if container["name"] in sidecars and container.get("started") and container["ready"]
    ]
    pending = _pending(initial, sidecars, of=len(pod["spec"].get("initContainers") or ()))
    if pending and _condition(status, "Initialized") != "True":
        counted = list(initial)
        return _Containers(
            reason=pending, ready=len(ready), restarts=_restarts(counted), restarted_at=_restarted_at(counted)
        )
    main: Sequence[Json] = status.get("containerStatuses") or ()
    running = [container for container in main if container["ready"] and "running" in container["state"]]
    counted = [*main, *(container for container in initial if container["name"] in sidecars)]
    return _Containers(
        reason=next(_reasons(main), "") or pending,
        ready=len(ready) + len(running),
        restarts=_restarts(counted),
        restarted_at=_restarted_at(counted),
        running=bool(running),
    )


def _pending(statuses: Sequence[Json], sidecars: set[str], *, of: int) -> str:
    """What the first init container says that is not done; ``""`` if all are."""
    for number, container in enumerate(statuses):
        ended, waiting = container["state"].get("terminated"), container["state"].get("waiting") or {}
        if (ended is not None and ended["exitCode"] == 0) or (
            container["name"] in sidecars and container.get("started")
        ):
            continue
        if ended is not None:
            return f"Init:{_ended(ended)}"
        reason = waiting.get("reason", "")
        return f"Init:{reason}" if reason not in {"", "PodInitializing"} else f"Init:{number}/{of}"
    return ""


def _reasons(statuses: Sequence[Json]) -> Iterator[str]:
    """Why containers do not run; the first container's reason counts."""
    for container in statuses:
        if (container["state"].get("waiting") or {}).get("reason"):
            yield container["state"]["waiting"]["reason"]
        elif (ended := container["state"].get("terminated")) is not None:
            yield _ended(ended)


def _ended(ended: Json) -> str:
    if ended.get("reason"):
        return str(ended["reason"])
    return f"Signal:{ended['signal']}" if ended.get("signal") else f"ExitCode:{ended['exitCode']}"


def _restarts(statuses: Sequence[Json]) -> int:
    return sum(container["restartCount"] for container in statuses)


def _restarted_at(statuses: Sequence[Json]) -> str:
    """When the last instance ended that was replaced; ``""`` if none was."""
    ends = ((container.get("lastState") or {}).get("terminated") or {} for container in statuses)
    return max((str(end.get("finishedAt") or "") for end in ends), default="")
