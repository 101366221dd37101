"""Writes the evidence of a failure as a bundle, which ``subject`` reads: what an agent knew, in Kubernetes' words."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Event, Node, Pod, StateKind
from agent.core.failure import Failure
from agent.observe.controller import made_by

Bundle = dict[str, Any]

_STATUSES: Final[Mapping[ContainerKind, str]] = {
    ContainerKind.APP: "containerStatuses",
    ContainerKind.INIT: "initContainerStatuses",
    ContainerKind.SIDECAR: "initContainerStatuses",
    ContainerKind.EPHEMERAL: "ephemeralContainerStatuses",
}


def bundle(failure: Failure, *, namespace: str, name: str, node: str) -> Bundle:
    """The bundle of a failure of the pod with this name, on this node; without what was not known."""
    written = {
        "pod": _pod(failure.pod, namespace=namespace, name=name, node=node),
        "events": [_event(event) for event in failure.events],
        "node": None if failure.node is None else _node(failure.node),
        "logs": [
            {"container": tail.container, "text": tail.text, "previous": tail.previous} for tail in failure.log_tails
        ],
    }
    return {key: value for key, value in written.items() if value}


def _pod(pod: Pod, *, namespace: str, name: str, node: str) -> Bundle:
    status = {
        "phase": pod.phase,
        "reason": pod.reason,
        "message": pod.message,
        "qosClass": pod.qos_class,
        "startTime": _time(pod.started_at),
        "conditions": _conditions(pod.conditions),
        **_statuses(pod.containers),
    }
    metadata = {
        "name": name,
        "namespace": namespace,
        "deletionTimestamp": _time(pod.deleted_at),
        **made_by(pod.controller or ""),
    }
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": _known(metadata),
        "spec": _known({"nodeName": node, "restartPolicy": pod.restart_policy, **_specified(pod.containers)}),
        "status": _known(status),
    }


def _specified(containers: Iterable[Container]) -> Bundle:
    """The spec, as far as statuses tell: an init container that is always started again is a sidecar (KEP 753)."""
    sidecars = [container for container in containers if container.kind is ContainerKind.SIDECAR]
    return {"initContainers": [{"name": sidecar.name, "restartPolicy": "Always"} for sidecar in sidecars]}


def _statuses(containers: Sequence[Container]) -> Bundle:
    return {
        field: [_status(container) for container in containers if _STATUSES[container.kind] == field]
        for field in dict.fromkeys(_STATUSES.values())
    }


def _status(container: Container) -> Bundle:
    status = {
        "name": container.name,
        "image": container.image,
        "state": _state(container.state),
        "lastState": None if container.last_state is None else _state(container.last_state),
        "restartCount": container.restarts,
        "ready": container.ready,
    }
    return _known(status)


def _state(state: ContainerState) -> Bundle:
    match state.kind:
        case StateKind.ABSENT:
            return {}
        case StateKind.WAITING:
            return {"waiting": _known({"reason": state.reason, "message": state.message})}
        case StateKind.RUNNING:
            return {"running": _known({"startedAt": _time(state.started_at)})}
        case StateKind.TERMINATED:
            return {"terminated": _ended(state)}


def _ended(state: ContainerState) -> Bundle:
    ended = {
        "signal": state.signal,
        "reason": state.reason,
        "message": state.message,
        "startedAt": _time(state.started_at),
        "finishedAt": _time(state.finished_at),
    }
    return {**({} if state.exit_code is None else {"exitCode": state.exit_code}), **_known(ended)}


def _conditions(conditions: Iterable[Condition]) -> list[Bundle]:
    return [
        _known(
            {
                "type": condition.type,
                "status": condition.status,
                "reason": condition.reason,
                "message": condition.message,
                "lastTransitionTime": _time(condition.transitioned_at),
                "lastHeartbeatTime": _time(condition.heartbeat_at),
            }
        )
        for condition in conditions
    ]


def _event(event: Event) -> Bundle:
    written = {
        "type": event.type,
        "reason": event.reason,
        "message": event.message,
        "count": event.count,
        "firstTimestamp": _time(event.first_at),
        "lastTimestamp": _time(event.last_at),
        "source": _known({"component": event.component}),
    }
    return _known(written)


def _node(node: Node) -> Bundle:
    written = {
        "name": node.name,
        "conditions": _conditions(node.conditions),
        "taints": [
            _known({"key": taint.key, "value": taint.value, "effect": taint.effect, "timeAdded": _time(taint.added_at)})
            for taint in node.taints
        ],
        "unschedulable": node.unschedulable,
        "kernelLog": list(node.log_lines),
    }
    return _known(written)


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()


def _known(written: Mapping[str, Any]) -> Bundle:
    """Without what is empty, as the API server writes objects."""
    return {key: value for key, value in written.items() if value}
