"""Pod: the snapshots of a pod and its containers <-> protobuf."""

from collections.abc import Iterable
from typing import Protocol

from agent.api.v1 import failure_pb2 as pb
from agent.core.evidence import Condition, Container, ContainerState, Pod, StateKind
from agent.wire.time import fill_time, read_time
from agent.wire.words import CONTAINER_KINDS, STATE_KINDS, TRISTATES, known

_KINDS, _STATES = CONTAINER_KINDS.number, STATE_KINDS.number
_ABSENT = StateKind.ABSENT


class ConditionRow(Protocol):
    """A repeated field of conditions."""

    def add(self) -> pb.Condition: ...


def fill_pod(message: pb.PodSnapshot, pod: Pod) -> None:
    """Write a pod into an empty message."""
    message.phase = pod.phase
    if pod.reason:
        message.reason = pod.reason
    if pod.message:
        message.message = pod.message
    message.qos_class = pod.qos_class
    if pod.started_at is not None:
        fill_time(message.start_time, pod.started_at)
    if pod.deleted_at is not None:
        fill_time(message.deletion_time, pod.deleted_at)
    if pod.restart_policy:
        message.restart_policy = pod.restart_policy
    if pod.controller is not None:
        message.controller = pod.controller
    fill_conditions(message.conditions, pod.conditions)
    add = message.containers.add
    for container in pod.containers:
        _fill_container(add(), container)


def fill_conditions(row: ConditionRow, conditions: Iterable[Condition]) -> None:
    """Append conditions to a repeated field."""
    add = row.add
    for condition in conditions:
        message = add()
        message.type = condition.type
        message.status = condition.status
        if condition.reason:
            message.reason = condition.reason
        if condition.message:
            message.message = condition.message
        if condition.transitioned_at is not None:
            fill_time(message.last_transition_time, condition.transitioned_at)
        if condition.heartbeat_at is not None:
            fill_time(message.last_heartbeat_time, condition.heartbeat_at)


def _fill_container(message: pb.ContainerSnapshot, container: Container) -> None:
    message.name = container.name
    message.kind = _KINDS[container.kind]
    message.injected = TRISTATES[container.injected]
    if container.image:
        message.image = container.image
    _fill_state(message.state, container.state)
    if container.last_state is not None:
        _fill_state(message.last_state, container.last_state)
        message.last_state.SetInParent()
    if container.restarts:
        message.restart_count = container.restarts
    if container.ready:
        message.ready = True
    if container.ended is not None:
        message.ended = pb.ENDED_STATE_CURRENT if container.ended_now else pb.ENDED_STATE_LAST


def _fill_state(message: pb.ContainerState, state: ContainerState) -> None:
    if state.kind is not _ABSENT:
        message.kind = _STATES[state.kind]
    if state.reason:
        message.reason = state.reason
    if state.message:
        message.message = state.message
    if state.exit_code is not None:
        message.exit_code = state.exit_code
    if state.signal is not None:
        message.signal = state.signal
    if state.started_at is not None:
        fill_time(message.started_at, state.started_at)
    if state.finished_at is not None:
        fill_time(message.finished_at, state.finished_at)


def read_pod(message: pb.PodSnapshot) -> Pod:
    """The pod that a message holds."""
    return Pod(
        phase=message.phase,
        reason=message.reason,
        message=message.message,
        qos_class=message.qos_class,
        started_at=read_time(message.start_time) if message.HasField("start_time") else None,
        deleted_at=read_time(message.deletion_time) if message.HasField("deletion_time") else None,
        conditions=read_conditions(message.conditions),
        containers=tuple(map(_read_container, message.containers)),
        restart_policy=message.restart_policy,
        controller=message.controller if message.HasField("controller") else None,
    )


def read_conditions(messages: Iterable[pb.Condition]) -> tuple[Condition, ...]:
    """The conditions that a repeated field holds."""
    return tuple(map(_read_condition, messages))


def _read_condition(message: pb.Condition) -> Condition:
    return Condition(
        type=message.type,
        status=message.status,
        reason=message.reason,
        message=message.message,
        transitioned_at=read_time(message.last_transition_time) if message.HasField("last_transition_time") else None,
        heartbeat_at=read_time(message.last_heartbeat_time) if message.HasField("last_heartbeat_time") else None,
    )


def _read_container(message: pb.ContainerSnapshot) -> Container:
    state = _read_state(message.state)
    last = _read_state(message.last_state) if message.HasField("last_state") else None
    return Container(
        name=message.name,
        kind=CONTAINER_KINDS.word(message.kind),
        image=message.image,
        state=state,
        last_state=last,
        ended={pb.ENDED_STATE_CURRENT: state, pb.ENDED_STATE_LAST: last}.get(message.ended),
        restarts=message.restart_count,
        ready=message.ready,
        injected=known(message.injected),
    )


def _read_state(message: pb.ContainerState) -> ContainerState:
    return ContainerState(
        kind=STATE_KINDS.word(message.kind),
        reason=message.reason,
        message=message.message,
        exit_code=message.exit_code if message.HasField("exit_code") else None,
        signal=message.signal if message.HasField("signal") else None,
        started_at=read_time(message.started_at) if message.HasField("started_at") else None,
        finished_at=read_time(message.finished_at) if message.HasField("finished_at") else None,
    )
