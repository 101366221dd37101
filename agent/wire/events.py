"""Events: what travels on the run-events topics <-> RunEvent, RuleSetLoaded and RunsListed."""

from collections.abc import Callable, Mapping
from typing import Final, assert_never

from agent.api.v1 import events_pb2 as pb
from agent.core.failure import Failure
from agent.core.run_event import (
    Amendment,
    Content,
    CreationFailed,
    Identity,
    NameHeld,
    Report,
    RuleSetLoaded,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunsListed,
    RunStopped,
)
from agent.wire.envelope import read_required_time, refuse_newer, require
from agent.wire.error import WireError
from agent.wire.failure import fill_failure, parse, read_failure
from agent.wire.nul import without_nul
from agent.wire.pod_reference import fill_pod_reference, read_pod_reference
from agent.wire.rule_set import fill_rule_set, read_rule_set
from agent.wire.run_list import fill_list, read_list
from agent.wire.time import fill_time
from agent.wire.words import CONFIRMATIONS, RUN_PHASES, STOP_ANSWERS

__all__ = ["SCHEMA_VERSION", "WireError", "decode", "decode_any", "encode", "encode_list", "encode_rule_set"]

SCHEMA_VERSION = 1
"""The version that we write. Later versions only add to it, so they are read, too."""

_ALWAYS = ("event_id", "cluster_id")
_REQUIRED = (*_ALWAYS, "job_id", "run_id")


def encode(event: RunEvent) -> bytes:
    """An event as the bytes of a RunEvent."""
    message = pb.RunEvent()
    _fill_envelope(message, event)
    _fill_event(message, event.event)
    return message.SerializeToString()


def _fill_envelope(message: pb.RunEvent, event: RunEvent) -> None:
    identity, pod = event.identity, event.pod
    message.schema_version = SCHEMA_VERSION
    message.event_id = event.event_id
    message.cluster_id = event.cluster_id
    message.cluster = event.cluster
    message.queue = identity.queue
    message.job_set = identity.job_set
    message.job_id = identity.job_id
    message.run_id = identity.run_id
    message.gang_id = identity.gang_id
    if identity.attempt is not None:
        message.attempt = identity.attempt
    message.job_set_id = identity.job_set_id
    if identity.index is not None:
        message.index = identity.index
    message.retry_policies = identity.retry_policies
    fill_pod_reference(message.pod, pod)
    if event.confirmed is not None:
        message.confirmed = CONFIRMATIONS.number[event.confirmed]
    message.gated = event.gated
    fill_time(message.occurred_time, event.occurred_at)
    fill_time(message.observed_time, event.observed_at)


def _fill_event(message: pb.RunEvent, event: Content) -> None:
    match event:
        case Failure():
            fill_failure(message.failure, event)
        case RunPhase():
            message.run_state.state = RUN_PHASES.number[event]
        case Amendment():
            message.amendment.amends_event_id = event.amends
            fill_failure(message.amendment.failure, event.failure)
        case RunRejected():
            message.run_rejected.CopyFrom(pb.RunRejected(reason=event.reason, message=event.message))
        case CreationFailed():
            message.creation_failed.CopyFrom(pb.CreationFailed(reason=event.reason, message=event.message))
        case RunCreated():
            message.run_created.SetInParent()
        case NameHeld():
            message.name_held.CopyFrom(pb.NameHeld(uid=event.uid))
        case RunStopped():
            message.run_stopped.answer = STOP_ANSWERS.number[event.answer]
        case _:
            assert_never(event)


def encode_rule_set(loaded: RuleSetLoaded) -> bytes:
    """What an agent classifies by, as the bytes of a RunEvent."""
    message = pb.RunEvent(schema_version=SCHEMA_VERSION)
    fill_rule_set(message, loaded)
    return message.SerializeToString()


def encode_list(page: RunsListed) -> bytes:
    """A page of a list, as the bytes of a RunEvent."""
    message = pb.RunEvent(schema_version=SCHEMA_VERSION)
    fill_list(message, page)
    return message.SerializeToString()


def decode(payload: bytes) -> RunEvent:
    """The event in the bytes of a RunEvent.

    Raises WireError for what cannot be attributed or stored: an unknown schema, no id, no event, NUL in a text; and
    for what is about no run.
    """
    event = decode_any(payload)
    if not isinstance(event, RunEvent):
        raise WireError(f"a {type(event).__name__}, which is about no run")
    return event


def decode_any(payload: bytes) -> Report:
    """What is in the bytes of a RunEvent. Raises WireError as ``decode``, and TooNew."""
    message = parse(pb.RunEvent, payload)
    if message.schema_version < 1:
        raise WireError(f"schema version {message.schema_version} is not known")
    refuse_newer(message, "event", always=_ALWAYS)
    read = _ABOUT_NO_RUN.get(message.WhichOneof("event") or "")
    require(message, _REQUIRED if read is None else _ALWAYS)
    event: Report = _read_run_event(message) if read is None else read(message)
    return without_nul(event, payload)


_ABOUT_NO_RUN: Final[Mapping[str, Callable[[pb.RunEvent], RuleSetLoaded | RunsListed]]] = {
    "rule_set_loaded": read_rule_set,
    "runs_listed": read_list,
}


def _read_run_event(message: pb.RunEvent) -> RunEvent:
    return RunEvent(
        event_id=message.event_id,
        cluster_id=message.cluster_id,
        cluster=message.cluster,
        identity=_read_identity(message),
        pod=read_pod_reference(message.pod),
        occurred_at=read_required_time(message, "occurred_time"),
        observed_at=read_required_time(message, "observed_time"),
        event=_read_event(message),
        # One that only a later version knows confirms nothing here: the pod may live.
        confirmed=CONFIRMATIONS.find(message.confirmed),
        gated=message.gated,
    )


def _read_identity(message: pb.RunEvent) -> Identity:
    return Identity(
        job_id=message.job_id,
        run_id=message.run_id,
        queue=message.queue,
        job_set=message.job_set,
        gang_id=message.gang_id,
        attempt=message.attempt if message.HasField("attempt") else None,
        job_set_id=message.job_set_id,
        index=message.index if message.HasField("index") else None,
        retry_policies=message.retry_policies,
    )


def _read_event(message: pb.RunEvent) -> Content:
    reader = _READERS.get(message.WhichOneof("event") or "")
    if reader is None:
        raise WireError("no event")
    return reader(message)


def _read_amendment(message: pb.RunEvent) -> Amendment:
    amendment = message.amendment
    if not amendment.amends_event_id:
        raise WireError("amends_event_id missing from the amendment")
    return Amendment(amends=amendment.amends_event_id, failure=read_failure(amendment.failure))


_READERS: Final[Mapping[str, Callable[[pb.RunEvent], Content]]] = {
    "failure": lambda message: read_failure(message.failure),
    "run_state": lambda message: RUN_PHASES.word(message.run_state.state),
    "amendment": _read_amendment,
    "run_rejected": lambda message: RunRejected(
        reason=message.run_rejected.reason, message=message.run_rejected.message
    ),
    "creation_failed": lambda message: CreationFailed(
        reason=message.creation_failed.reason, message=message.creation_failed.message
    ),
    "run_created": lambda _: RunCreated(),
    "name_held": lambda message: NameHeld(uid=message.name_held.uid),
    "run_stopped": lambda message: RunStopped(answer=STOP_ANSWERS.word(message.run_stopped.answer)),
}
