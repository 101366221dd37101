"""Job events: what travels on the job-events topic <-> JobEvent."""

from collections.abc import Callable, Mapping
from typing import Final, assert_never

from agent.api.v1 import job_event_pb2 as pb
from agent.core.job_event import (
    JobContent,
    JobEvent,
    JobRequested,
    JobSubmitted,
    LeaseRejected,
    MemoryRaised,
    RunDecided,
    RunLeased,
    StateChanged,
)
from agent.core.lifecycle.job import Ending
from agent.wire.envelope import read_required_time, refuse_newer, require
from agent.wire.error import WireError
from agent.wire.failure import parse
from agent.wire.job_words import ENDED_BY, REQUEST_KINDS, STATES, VERDICT_ACTIONS
from agent.wire.nul import without_nul
from agent.wire.time import fill_time, read_duration, read_time

__all__ = ["SCHEMA_VERSION", "WireError", "decode", "encode"]

SCHEMA_VERSION = 1
"""The version that we write. Later versions only add to it, so they are read, too."""

_REQUIRED = ("event_id", "job_id")
_MEMORY = ("request_before", "request_after", "limit_before", "limit_after")


def encode(event: JobEvent) -> bytes:
    """An event as the bytes of a JobEvent."""
    message = pb.JobEvent(
        schema_version=SCHEMA_VERSION,
        event_id=event.event_id,
        job_id=event.job_id,
        sequence=event.sequence,
        queue=event.queue,
        job_set=event.job_set,
        owner=event.owner,
        namespace=event.namespace,
    )
    fill_time(message.decided_time, event.at)
    if event.state is not None:
        message.state = STATES.number[event.state]
    if event.ending is not None:
        _fill_ending(message.ending, event.ending)
    _fill_content(message, event.event)
    return message.SerializeToString()


def _fill_ending(message: pb.JobEnding, ending: Ending) -> None:
    message.state = STATES.number[ending.state]
    message.ended_by = ENDED_BY.number[ending.by]
    message.opening = ending.opening
    fill_time(message.ended_time, ending.at)


def _fill_content(message: pb.JobEvent, content: JobContent) -> None:
    match content:
        case JobSubmitted():
            message.submitted.CopyFrom(_submitted(content))
        case RunLeased():
            message.run_leased.CopyFrom(_leased(content))
        case LeaseRejected():
            message.lease_rejected.CopyFrom(pb.LeaseRejected(run_id=content.run_id, reason=content.reason))
            if content.retry_at is not None:
                fill_time(message.lease_rejected.retry_time, content.retry_at)
        case RunDecided():
            _fill_decided(message.decided, content)
        case JobRequested():
            message.requested.CopyFrom(_requested(content))
        case StateChanged():
            message.state_changed.SetInParent()
        case _:
            assert_never(content)


def _submitted(content: JobSubmitted) -> pb.JobSubmitted:
    return pb.JobSubmitted(
        client_id=content.client_id,
        name=content.name,
        priority=content.priority,
        gang_id=content.gang_id,
        retry_policies=content.retry_policies,
    )


def _leased(content: RunLeased) -> pb.RunLeased:
    return pb.RunLeased(
        run_id=content.run_id,
        index=content.index,
        attempt=content.attempt,
        cluster_id=content.cluster_id,
        cluster=content.cluster,
        pod_name=content.pod_name,
        granted=content.granted,
    )


def _requested(content: JobRequested) -> pb.JobRequested:
    kind = REQUEST_KINDS.number[content.kind]
    return pb.JobRequested(kind=kind, by=content.by, reason=content.reason, refused=content.refused)


def _fill_decided(message: pb.RunDecided, content: RunDecided) -> None:
    message.run_id = content.run_id
    if content.attempt is not None:
        message.attempt = content.attempt
    message.failure_event_id = content.failure_id
    message.action = VERDICT_ACTIONS.number[content.action]
    message.reason = content.reason
    message.sentence = content.sentence
    message.policy = content.policy
    if content.rule_number is not None:
        message.rule_number = content.rule_number
    message.rule = content.rule
    message.rule_key = content.rule_key
    message.dialect = content.dialect
    _fill_next_run(message, content)


def _fill_next_run(message: pb.RunDecided, content: RunDecided) -> None:
    """Write what is decided about the run that follows."""
    if content.delay is not None:
        message.delay.FromTimedelta(content.delay)
    if content.not_before is not None:
        fill_time(message.not_before_time, content.not_before)
    message.avoid_nodes.extend(content.avoid_nodes)
    message.avoid_nodes_left_out = content.avoid_nodes_left_out
    message.avoid_preferred = content.avoid_preferred
    for raised in content.memory:
        _fill_memory(message.memory.add(), raised)
    message.memory_left_out = content.memory_left_out


def _fill_memory(message: pb.MemoryRaised, raised: MemoryRaised) -> None:
    message.container = raised.container
    for name in _MEMORY:
        size = getattr(raised, name)
        if size is not None:
            setattr(message, name, size)


def decode(payload: bytes) -> JobEvent:
    """The event in the bytes of a JobEvent.

    Raises WireError for what cannot be attributed or stored: an unknown schema, no id, no event, NUL in a text; and
    TooNew for what only a later version knows.
    """
    message = parse(pb.JobEvent, payload)
    if message.schema_version < 1:
        raise WireError(f"schema version {message.schema_version} is not known")
    refuse_newer(message, "event", always=_REQUIRED)
    require(message, _REQUIRED)
    if message.sequence < 1:
        raise WireError(f"sequence {message.sequence}: the first is 1")
    event = JobEvent(
        event_id=message.event_id,
        job_id=message.job_id,
        sequence=message.sequence,
        at=read_required_time(message, "decided_time"),
        queue=message.queue,
        job_set=message.job_set,
        owner=message.owner,
        namespace=message.namespace,
        state=STATES.word(message.state) if message.state else None,
        ending=_read_ending(message.ending) if message.HasField("ending") else None,
        event=_read_content(message),
    )
    return without_nul(event, payload)


def _read_ending(message: pb.JobEnding) -> Ending:
    return Ending(
        state=STATES.word(message.state),
        by=ENDED_BY.word(message.ended_by),
        at=read_required_time(message, "ended_time"),
        opening=message.opening,
    )


def _read_content(message: pb.JobEvent) -> JobContent:
    name = message.WhichOneof("event")
    if name is None:
        raise WireError("no event")
    return _READ[name](getattr(message, name))


def _read_submitted(message: pb.JobSubmitted) -> JobSubmitted:
    return JobSubmitted(
        client_id=message.client_id,
        name=message.name,
        priority=message.priority,
        gang_id=message.gang_id,
        retry_policies=message.retry_policies,
    )


def _read_leased(message: pb.RunLeased) -> RunLeased:
    require(message, ("run_id",))
    return RunLeased(
        run_id=message.run_id,
        index=message.index,
        attempt=message.attempt,
        cluster_id=message.cluster_id,
        cluster=message.cluster,
        pod_name=message.pod_name,
        granted=message.granted,
    )


def _read_rejected(message: pb.LeaseRejected) -> LeaseRejected:
    require(message, ("run_id",))
    retry_at = read_time(message.retry_time) if message.HasField("retry_time") else None
    return LeaseRejected(run_id=message.run_id, retry_at=retry_at, reason=message.reason)


def _read_decided(message: pb.RunDecided) -> RunDecided:
    require(message, ("run_id",))
    return RunDecided(
        run_id=message.run_id,
        attempt=message.attempt if message.HasField("attempt") else None,
        failure_id=message.failure_event_id,
        action=VERDICT_ACTIONS.word(message.action),
        reason=message.reason,
        sentence=message.sentence,
        policy=message.policy,
        rule_number=message.rule_number if message.HasField("rule_number") else None,
        rule=message.rule,
        rule_key=message.rule_key,
        dialect=message.dialect,
        delay=read_duration(message.delay) if message.HasField("delay") else None,
        not_before=read_time(message.not_before_time) if message.HasField("not_before_time") else None,
        avoid_nodes=tuple(message.avoid_nodes),
        avoid_nodes_left_out=message.avoid_nodes_left_out,
        avoid_preferred=message.avoid_preferred,
        memory=tuple(map(_read_memory, message.memory)),
        memory_left_out=message.memory_left_out,
    )


def _read_memory(message: pb.MemoryRaised) -> MemoryRaised:
    sizes = {name: getattr(message, name) for name in _MEMORY if message.HasField(name)}
    return MemoryRaised(container=message.container, **sizes)


def _read_requested(message: pb.JobRequested) -> JobRequested:
    kind = REQUEST_KINDS.word(message.kind)
    return JobRequested(kind=kind, by=message.by, reason=message.reason, refused=message.refused)


def _read_state_changed(message: pb.StateChanged) -> StateChanged:
    del message
    return StateChanged()


_READ: Final[Mapping[str, Callable[..., JobContent]]] = {
    "submitted": _read_submitted,
    "run_leased": _read_leased,
    "lease_rejected": _read_rejected,
    "decided": _read_decided,
    "requested": _read_requested,
    "state_changed": _read_state_changed,
}
