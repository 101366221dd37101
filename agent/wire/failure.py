"""Failure: a failure <-> FailureInfo.

Armada's first FailureInfo (armadaproject/armada#4741) has the first four fields.
"""

from collections.abc import Callable
from typing import TypeVar

from google.protobuf.message import DecodeError, Message

from agent.api.v1 import failure_pb2 as pb
from agent.bounds import MAX_BYTES, TOO_LARGE
from agent.core.evidence import Event, LogTail, MissingEvidence
from agent.core.failure import Admission, CheckFinding, Failure, KeyLine, ReachedLimit, StackTrace, UserCode
from agent.wire.classification import fill_classification, read_classification
from agent.wire.error import WireError
from agent.wire.node import fill_node, read_node
from agent.wire.nul import without_nul
from agent.wire.pod import fill_pod, read_pod
from agent.wire.time import fill_time, read_time
from agent.wire.words import CHECK_ACTIONS, CHECK_CAUSES, OCCURRENCES, TRISTATES, known

Parsed = TypeVar("Parsed", bound=Message)


def encode(failure: Failure) -> bytes:
    """A failure as the bytes of a FailureInfo."""
    message = pb.FailureInfo()
    fill_failure(message, failure)
    return message.SerializeToString()


def decode(payload: bytes) -> Failure:
    """The failure in the bytes of a FailureInfo; raises WireError with what is wrong."""
    return without_nul(read_failure(parse(pb.FailureInfo, payload)), payload)


def parse(kind: Callable[[], Parsed], payload: bytes) -> Parsed:
    """Parse bytes as a message; raises WireError, also for one beyond the bounds. protobuf counts the levels itself."""
    message = kind()
    if len(payload) > MAX_BYTES:
        raise WireError(f"not a {message.DESCRIPTOR.name}: {TOO_LARGE}")
    try:
        message.ParseFromString(payload)
    except DecodeError as error:
        raise WireError(f"not a {message.DESCRIPTOR.name}: {error}") from error
    return message


def fill_failure(message: pb.FailureInfo, failure: Failure) -> None:
    """Write a failure into an empty message."""
    _fill_container(message, failure)
    given = failure.classification
    if given.categories:
        message.categories.extend(given.categories)
    message.occurrence = OCCURRENCES.number[failure.occurrence]
    fill_classification(message.classification, given)
    _fill_user_code(message.user_code, failure.user_code)
    fill_pod(message.pod, failure.pod)
    if failure.pod_error:
        message.pod_error = failure.pod_error
    if failure.node is not None:
        fill_node(message.node, failure.node)
    for event in failure.events:
        _fill_event(message.events.add(), event)
    _fill_optional(message, failure)


def _fill_user_code(message: pb.UserCode, user_code: UserCode) -> None:
    message.ran = TRISTATES[user_code.ran]
    message.culprit_is_users = TRISTATES[user_code.culprit_is_users]
    message.reason = user_code.reason


def _fill_container(message: pb.FailureInfo, failure: Failure) -> None:
    if failure.exit_code is not None:
        message.exit_code = failure.exit_code
    message.termination_message = failure.termination_message
    message.container_name = failure.container_name
    message.culprit_container = failure.culprit_container
    message.termination_reason = failure.termination_reason
    if failure.signal is not None:
        message.signal = failure.signal


def _fill_admission(message: pb.Admission, admission: Admission) -> None:
    message.SetInParent()
    message.conditions.extend(admission.conditions)
    message.shadow = admission.shadow
    message.disagreeing.extend(admission.disagreeing)


def _fill_limit(message: pb.ReachedLimit, reached: ReachedLimit) -> None:
    message.SetInParent()
    message.what = reached.what
    message.limit = reached.limit
    message.used = reached.used


def _fill_event(message: pb.PodEvent, event: Event) -> None:
    message.reason = event.reason
    message.message = event.message
    message.type = event.type
    message.count = event.count
    message.component = event.component
    if event.first_at is not None:
        fill_time(message.first_time, event.first_at)
    if event.last_at is not None:
        fill_time(message.last_time, event.last_at)


def _fill_trace(message: pb.StackTraceSummary, trace: StackTrace) -> None:
    message.tail = trace.tail
    message.key_line = trace.key_line
    message.line_count = trace.line_count
    for candidate in trace.candidates:
        added = message.candidates.add()
        added.text = candidate.text
        added.why = candidate.why


def _fill_check(message: pb.CheckFinding, found: CheckFinding) -> None:
    message.check = found.check
    message.action = CHECK_ACTIONS.number[found.action]
    message.cause = CHECK_CAUSES.number[found.cause]


def _fill_optional(message: pb.FailureInfo, failure: Failure) -> None:
    """Fields that most failures leave empty."""
    if failure.events_left_out:
        message.events_left_out = failure.events_left_out
    if failure.stack_trace is not None:
        _fill_trace(message.stack_trace, failure.stack_trace)
    for tail in failure.log_tails:
        message.log_tails.add(container=tail.container, text=tail.text, previous=tail.previous)
    for missing in failure.missing:
        message.missing_evidence.add(what=missing.what, reason=missing.reason)
    if failure.truncated:
        message.truncated_fields.extend(failure.truncated)
    if failure.sanitized:
        message.sanitized_fields.extend(failure.sanitized)
    if failure.redacted:
        message.redacted_fields.extend(failure.redacted)
    message.fingerprint = failure.fingerprint
    _fill_findings(message, failure)


def _fill_findings(message: pb.FailureInfo, failure: Failure) -> None:
    """What others than the rules found: a check, the agent itself, the webhook."""
    if failure.check is not None:
        _fill_check(message.check, failure.check)
    if failure.overruled is not None:
        fill_classification(message.overruled, failure.overruled)
    if failure.admission is not None:
        _fill_admission(message.admission, failure.admission)
    if failure.limit is not None:
        _fill_limit(message.limit, failure.limit)


def read_failure(message: pb.FailureInfo) -> Failure:
    """The failure that a message holds; raises WireError with what is wrong."""
    return Failure(
        occurrence=OCCURRENCES.word(message.occurrence),
        classification=read_classification(message.classification, categories=tuple(message.categories)),
        exit_code=message.exit_code if message.HasField("exit_code") else None,
        termination_message=message.termination_message,
        container_name=message.container_name,
        culprit_container=message.culprit_container,
        termination_reason=message.termination_reason,
        signal=message.signal if message.HasField("signal") else None,
        user_code=_read_user_code(message.user_code),
        pod=read_pod(message.pod),
        pod_error=message.pod_error,
        node=read_node(message.node) if message.HasField("node") else None,
        events=tuple(map(_read_event, message.events)),
        events_left_out=message.events_left_out,
        stack_trace=_read_stack_trace(message.stack_trace) if message.HasField("stack_trace") else None,
        log_tails=tuple(
            LogTail(container=tail.container, text=tail.text, previous=tail.previous) for tail in message.log_tails
        ),
        truncated=tuple(message.truncated_fields),
        sanitized=tuple(message.sanitized_fields),
        redacted=tuple(message.redacted_fields),
        missing=tuple(
            MissingEvidence(what=evidence.what, reason=evidence.reason) for evidence in message.missing_evidence
        ),
        check=_read_check(message.check) if message.HasField("check") else None,
        overruled=read_classification(message.overruled, categories=()) if message.HasField("overruled") else None,
        fingerprint=message.fingerprint,
        admission=_read_admission(message.admission) if message.HasField("admission") else None,
        limit=_read_limit(message.limit) if message.HasField("limit") else None,
    )


def _read_limit(message: pb.ReachedLimit) -> ReachedLimit:
    return ReachedLimit(what=message.what, limit=message.limit, used=message.used)


def _read_admission(message: pb.Admission) -> Admission:
    return Admission(
        conditions=tuple(message.conditions), shadow=message.shadow, disagreeing=tuple(message.disagreeing)
    )


def _read_check(message: pb.CheckFinding) -> CheckFinding:
    return CheckFinding(
        check=message.check, action=CHECK_ACTIONS.word(message.action), cause=CHECK_CAUSES.word(message.cause)
    )


def _read_user_code(message: pb.UserCode) -> UserCode:
    return UserCode(ran=known(message.ran), culprit_is_users=known(message.culprit_is_users), reason=message.reason)


def _read_stack_trace(message: pb.StackTraceSummary) -> StackTrace:
    return StackTrace(
        tail=message.tail,
        key_line=message.key_line,
        line_count=message.line_count,
        candidates=tuple(KeyLine(text=candidate.text, why=candidate.why) for candidate in message.candidates),
    )


def _read_event(message: pb.PodEvent) -> Event:
    return Event(
        reason=message.reason,
        message=message.message,
        type=message.type,
        count=message.count,
        first_at=read_time(message.first_time) if message.HasField("first_time") else None,
        last_at=read_time(message.last_time) if message.HasField("last_time") else None,
        component=message.component,
    )
