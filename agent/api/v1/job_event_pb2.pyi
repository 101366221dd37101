import datetime

from agent.api.v1 import job_pb2 as _job_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EndedBy(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENDED_BY_UNSPECIFIED: _ClassVar[EndedBy]
    ENDED_BY_SUCCESS: _ClassVar[EndedBy]
    ENDED_BY_VERDICT: _ClassVar[EndedBy]
    ENDED_BY_CANCEL: _ClassVar[EndedBy]
    ENDED_BY_NEVER_RETRY: _ClassVar[EndedBy]
    ENDED_BY_LIMIT: _ClassVar[EndedBy]

class VerdictAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    VERDICT_ACTION_UNSPECIFIED: _ClassVar[VerdictAction]
    VERDICT_ACTION_RETRY: _ClassVar[VerdictAction]
    VERDICT_ACTION_FAIL: _ClassVar[VerdictAction]

class RequestKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REQUEST_KIND_UNSPECIFIED: _ClassVar[RequestKind]
    REQUEST_KIND_CANCEL: _ClassVar[RequestKind]
    REQUEST_KIND_RETRY: _ClassVar[RequestKind]
    REQUEST_KIND_NEVER_RETRY: _ClassVar[RequestKind]
    REQUEST_KIND_CONFIRM_STOPPED: _ClassVar[RequestKind]
ENDED_BY_UNSPECIFIED: EndedBy
ENDED_BY_SUCCESS: EndedBy
ENDED_BY_VERDICT: EndedBy
ENDED_BY_CANCEL: EndedBy
ENDED_BY_NEVER_RETRY: EndedBy
ENDED_BY_LIMIT: EndedBy
VERDICT_ACTION_UNSPECIFIED: VerdictAction
VERDICT_ACTION_RETRY: VerdictAction
VERDICT_ACTION_FAIL: VerdictAction
REQUEST_KIND_UNSPECIFIED: RequestKind
REQUEST_KIND_CANCEL: RequestKind
REQUEST_KIND_RETRY: RequestKind
REQUEST_KIND_NEVER_RETRY: RequestKind
REQUEST_KIND_CONFIRM_STOPPED: RequestKind

class JobEvent(_message.Message):
    __slots__ = ("event_id", "schema_version", "job_id", "sequence", "decided_time", "queue", "job_set", "owner", "namespace", "state", "ending", "submitted", "run_leased", "lease_rejected", "decided", "requested", "state_changed")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DECIDED_TIME_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_SET_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_FIELD_NUMBER: _ClassVar[int]
    RUN_LEASED_FIELD_NUMBER: _ClassVar[int]
    LEASE_REJECTED_FIELD_NUMBER: _ClassVar[int]
    DECIDED_FIELD_NUMBER: _ClassVar[int]
    REQUESTED_FIELD_NUMBER: _ClassVar[int]
    STATE_CHANGED_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    schema_version: int
    job_id: str
    sequence: int
    decided_time: _timestamp_pb2.Timestamp
    queue: str
    job_set: str
    owner: str
    namespace: str
    state: _job_pb2.JobState
    ending: JobEnding
    submitted: JobSubmitted
    run_leased: RunLeased
    lease_rejected: LeaseRejected
    decided: RunDecided
    requested: JobRequested
    state_changed: StateChanged
    def __init__(self, event_id: _Optional[str] = ..., schema_version: _Optional[int] = ..., job_id: _Optional[str] = ..., sequence: _Optional[int] = ..., decided_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., queue: _Optional[str] = ..., job_set: _Optional[str] = ..., owner: _Optional[str] = ..., namespace: _Optional[str] = ..., state: _Optional[_Union[_job_pb2.JobState, str]] = ..., ending: _Optional[_Union[JobEnding, _Mapping]] = ..., submitted: _Optional[_Union[JobSubmitted, _Mapping]] = ..., run_leased: _Optional[_Union[RunLeased, _Mapping]] = ..., lease_rejected: _Optional[_Union[LeaseRejected, _Mapping]] = ..., decided: _Optional[_Union[RunDecided, _Mapping]] = ..., requested: _Optional[_Union[JobRequested, _Mapping]] = ..., state_changed: _Optional[_Union[StateChanged, _Mapping]] = ...) -> None: ...

class JobEnding(_message.Message):
    __slots__ = ("state", "ended_by", "ended_time", "opening")
    STATE_FIELD_NUMBER: _ClassVar[int]
    ENDED_BY_FIELD_NUMBER: _ClassVar[int]
    ENDED_TIME_FIELD_NUMBER: _ClassVar[int]
    OPENING_FIELD_NUMBER: _ClassVar[int]
    state: _job_pb2.JobState
    ended_by: EndedBy
    ended_time: _timestamp_pb2.Timestamp
    opening: int
    def __init__(self, state: _Optional[_Union[_job_pb2.JobState, str]] = ..., ended_by: _Optional[_Union[EndedBy, str]] = ..., ended_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., opening: _Optional[int] = ...) -> None: ...

class JobSubmitted(_message.Message):
    __slots__ = ("client_id", "name", "priority", "gang_id", "retry_policies")
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    PRIORITY_FIELD_NUMBER: _ClassVar[int]
    GANG_ID_FIELD_NUMBER: _ClassVar[int]
    RETRY_POLICIES_FIELD_NUMBER: _ClassVar[int]
    client_id: str
    name: str
    priority: float
    gang_id: str
    retry_policies: str
    def __init__(self, client_id: _Optional[str] = ..., name: _Optional[str] = ..., priority: _Optional[float] = ..., gang_id: _Optional[str] = ..., retry_policies: _Optional[str] = ...) -> None: ...

class RunLeased(_message.Message):
    __slots__ = ("run_id", "index", "attempt", "cluster_id", "cluster", "pod_name", "granted")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    POD_NAME_FIELD_NUMBER: _ClassVar[int]
    GRANTED_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    index: int
    attempt: int
    cluster_id: str
    cluster: str
    pod_name: str
    granted: bool
    def __init__(self, run_id: _Optional[str] = ..., index: _Optional[int] = ..., attempt: _Optional[int] = ..., cluster_id: _Optional[str] = ..., cluster: _Optional[str] = ..., pod_name: _Optional[str] = ..., granted: _Optional[bool] = ...) -> None: ...

class LeaseRejected(_message.Message):
    __slots__ = ("run_id", "retry_time", "reason")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    RETRY_TIME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    retry_time: _timestamp_pb2.Timestamp
    reason: str
    def __init__(self, run_id: _Optional[str] = ..., retry_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., reason: _Optional[str] = ...) -> None: ...

class RunDecided(_message.Message):
    __slots__ = ("run_id", "attempt", "failure_event_id", "action", "reason", "sentence", "policy", "rule_number", "rule", "rule_key", "dialect", "delay", "not_before_time", "avoid_nodes", "avoid_nodes_left_out", "avoid_preferred", "memory", "memory_left_out")
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    FAILURE_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    SENTENCE_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    RULE_NUMBER_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    RULE_KEY_FIELD_NUMBER: _ClassVar[int]
    DIALECT_FIELD_NUMBER: _ClassVar[int]
    DELAY_FIELD_NUMBER: _ClassVar[int]
    NOT_BEFORE_TIME_FIELD_NUMBER: _ClassVar[int]
    AVOID_NODES_FIELD_NUMBER: _ClassVar[int]
    AVOID_NODES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    AVOID_PREFERRED_FIELD_NUMBER: _ClassVar[int]
    MEMORY_FIELD_NUMBER: _ClassVar[int]
    MEMORY_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    run_id: str
    attempt: int
    failure_event_id: str
    action: VerdictAction
    reason: str
    sentence: str
    policy: str
    rule_number: int
    rule: str
    rule_key: str
    dialect: str
    delay: _duration_pb2.Duration
    not_before_time: _timestamp_pb2.Timestamp
    avoid_nodes: _containers.RepeatedScalarFieldContainer[str]
    avoid_nodes_left_out: int
    avoid_preferred: bool
    memory: _containers.RepeatedCompositeFieldContainer[MemoryRaised]
    memory_left_out: int
    def __init__(self, run_id: _Optional[str] = ..., attempt: _Optional[int] = ..., failure_event_id: _Optional[str] = ..., action: _Optional[_Union[VerdictAction, str]] = ..., reason: _Optional[str] = ..., sentence: _Optional[str] = ..., policy: _Optional[str] = ..., rule_number: _Optional[int] = ..., rule: _Optional[str] = ..., rule_key: _Optional[str] = ..., dialect: _Optional[str] = ..., delay: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ..., not_before_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., avoid_nodes: _Optional[_Iterable[str]] = ..., avoid_nodes_left_out: _Optional[int] = ..., avoid_preferred: _Optional[bool] = ..., memory: _Optional[_Iterable[_Union[MemoryRaised, _Mapping]]] = ..., memory_left_out: _Optional[int] = ...) -> None: ...

class MemoryRaised(_message.Message):
    __slots__ = ("container", "request_before", "request_after", "limit_before", "limit_after")
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    REQUEST_BEFORE_FIELD_NUMBER: _ClassVar[int]
    REQUEST_AFTER_FIELD_NUMBER: _ClassVar[int]
    LIMIT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_AFTER_FIELD_NUMBER: _ClassVar[int]
    container: str
    request_before: int
    request_after: int
    limit_before: int
    limit_after: int
    def __init__(self, container: _Optional[str] = ..., request_before: _Optional[int] = ..., request_after: _Optional[int] = ..., limit_before: _Optional[int] = ..., limit_after: _Optional[int] = ...) -> None: ...

class JobRequested(_message.Message):
    __slots__ = ("kind", "by", "reason", "refused")
    KIND_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    kind: RequestKind
    by: str
    reason: str
    refused: str
    def __init__(self, kind: _Optional[_Union[RequestKind, str]] = ..., by: _Optional[str] = ..., reason: _Optional[str] = ..., refused: _Optional[str] = ...) -> None: ...

class StateChanged(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
