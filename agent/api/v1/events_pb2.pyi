import datetime

from agent.api.v1 import failure_pb2 as _failure_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Confirmation(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONFIRMATION_UNSPECIFIED: _ClassVar[Confirmation]
    CONFIRMATION_CONTAINERS: _ClassVar[Confirmation]
    CONFIRMATION_NEVER_BOUND: _ClassVar[Confirmation]
    CONFIRMATION_REFUSED_BY_KUBELET: _ClassVar[Confirmation]
    CONFIRMATION_PERSON: _ClassVar[Confirmation]
CONFIRMATION_UNSPECIFIED: Confirmation
CONFIRMATION_CONTAINERS: Confirmation
CONFIRMATION_NEVER_BOUND: Confirmation
CONFIRMATION_REFUSED_BY_KUBELET: Confirmation
CONFIRMATION_PERSON: Confirmation

class RunEvent(_message.Message):
    __slots__ = ("event_id", "cluster_id", "cluster", "queue", "job_set", "job_id", "run_id", "gang_id", "attempt", "pod", "occurred_time", "observed_time", "schema_version", "run_state", "failure", "amendment", "run_rejected", "creation_failed", "run_created", "name_held", "run_stopped", "rule_set_loaded", "runs_listed", "job_set_id", "index", "retry_policies", "confirmed", "gated")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_SET_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    GANG_ID_FIELD_NUMBER: _ClassVar[int]
    ATTEMPT_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    OCCURRED_TIME_FIELD_NUMBER: _ClassVar[int]
    OBSERVED_TIME_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    RUN_STATE_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    AMENDMENT_FIELD_NUMBER: _ClassVar[int]
    RUN_REJECTED_FIELD_NUMBER: _ClassVar[int]
    CREATION_FAILED_FIELD_NUMBER: _ClassVar[int]
    RUN_CREATED_FIELD_NUMBER: _ClassVar[int]
    NAME_HELD_FIELD_NUMBER: _ClassVar[int]
    RUN_STOPPED_FIELD_NUMBER: _ClassVar[int]
    RULE_SET_LOADED_FIELD_NUMBER: _ClassVar[int]
    RUNS_LISTED_FIELD_NUMBER: _ClassVar[int]
    JOB_SET_ID_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    RETRY_POLICIES_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    GATED_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    cluster_id: str
    cluster: str
    queue: str
    job_set: str
    job_id: str
    run_id: str
    gang_id: str
    attempt: int
    pod: PodReference
    occurred_time: _timestamp_pb2.Timestamp
    observed_time: _timestamp_pb2.Timestamp
    schema_version: int
    run_state: RunState
    failure: _failure_pb2.FailureInfo
    amendment: Amendment
    run_rejected: RunRejected
    creation_failed: CreationFailed
    run_created: RunCreated
    name_held: NameHeld
    run_stopped: RunStopped
    rule_set_loaded: RuleSetLoaded
    runs_listed: RunsListed
    job_set_id: str
    index: int
    retry_policies: str
    confirmed: Confirmation
    gated: bool
    def __init__(self, event_id: _Optional[str] = ..., cluster_id: _Optional[str] = ..., cluster: _Optional[str] = ..., queue: _Optional[str] = ..., job_set: _Optional[str] = ..., job_id: _Optional[str] = ..., run_id: _Optional[str] = ..., gang_id: _Optional[str] = ..., attempt: _Optional[int] = ..., pod: _Optional[_Union[PodReference, _Mapping]] = ..., occurred_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., observed_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., schema_version: _Optional[int] = ..., run_state: _Optional[_Union[RunState, _Mapping]] = ..., failure: _Optional[_Union[_failure_pb2.FailureInfo, _Mapping]] = ..., amendment: _Optional[_Union[Amendment, _Mapping]] = ..., run_rejected: _Optional[_Union[RunRejected, _Mapping]] = ..., creation_failed: _Optional[_Union[CreationFailed, _Mapping]] = ..., run_created: _Optional[_Union[RunCreated, _Mapping]] = ..., name_held: _Optional[_Union[NameHeld, _Mapping]] = ..., run_stopped: _Optional[_Union[RunStopped, _Mapping]] = ..., rule_set_loaded: _Optional[_Union[RuleSetLoaded, _Mapping]] = ..., runs_listed: _Optional[_Union[RunsListed, _Mapping]] = ..., job_set_id: _Optional[str] = ..., index: _Optional[int] = ..., retry_policies: _Optional[str] = ..., confirmed: _Optional[_Union[Confirmation, str]] = ..., gated: _Optional[bool] = ...) -> None: ...

class PodReference(_message.Message):
    __slots__ = ("namespace", "name", "uid", "node")
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    namespace: str
    name: str
    uid: str
    node: str
    def __init__(self, namespace: _Optional[str] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., node: _Optional[str] = ...) -> None: ...

class RunState(_message.Message):
    __slots__ = ("state",)
    class State(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        STATE_UNSPECIFIED: _ClassVar[RunState.State]
        STATE_PENDING: _ClassVar[RunState.State]
        STATE_RUNNING: _ClassVar[RunState.State]
        STATE_SUCCEEDED: _ClassVar[RunState.State]
        STATE_FAILED: _ClassVar[RunState.State]
    STATE_UNSPECIFIED: RunState.State
    STATE_PENDING: RunState.State
    STATE_RUNNING: RunState.State
    STATE_SUCCEEDED: RunState.State
    STATE_FAILED: RunState.State
    STATE_FIELD_NUMBER: _ClassVar[int]
    state: RunState.State
    def __init__(self, state: _Optional[_Union[RunState.State, str]] = ...) -> None: ...

class Amendment(_message.Message):
    __slots__ = ("amends_event_id", "failure")
    AMENDS_EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    FAILURE_FIELD_NUMBER: _ClassVar[int]
    amends_event_id: str
    failure: _failure_pb2.FailureInfo
    def __init__(self, amends_event_id: _Optional[str] = ..., failure: _Optional[_Union[_failure_pb2.FailureInfo, _Mapping]] = ...) -> None: ...

class RunRejected(_message.Message):
    __slots__ = ("reason", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class CreationFailed(_message.Message):
    __slots__ = ("reason", "message")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class RunCreated(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class NameHeld(_message.Message):
    __slots__ = ("uid",)
    UID_FIELD_NUMBER: _ClassVar[int]
    uid: str
    def __init__(self, uid: _Optional[str] = ...) -> None: ...

class RunStopped(_message.Message):
    __slots__ = ("answer",)
    class Answer(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        ANSWER_UNSPECIFIED: _ClassVar[RunStopped.Answer]
        ANSWER_GONE: _ClassVar[RunStopped.Answer]
        ANSWER_SUCCEEDED_BEFORE: _ClassVar[RunStopped.Answer]
        ANSWER_FAILED_BEFORE: _ClassVar[RunStopped.Answer]
        ANSWER_NEVER_STARTED: _ClassVar[RunStopped.Answer]
    ANSWER_UNSPECIFIED: RunStopped.Answer
    ANSWER_GONE: RunStopped.Answer
    ANSWER_SUCCEEDED_BEFORE: RunStopped.Answer
    ANSWER_FAILED_BEFORE: RunStopped.Answer
    ANSWER_NEVER_STARTED: RunStopped.Answer
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    answer: RunStopped.Answer
    def __init__(self, answer: _Optional[_Union[RunStopped.Answer, str]] = ...) -> None: ...

class RuleSetLoaded(_message.Message):
    __slots__ = ("revision", "categories", "rules", "rules_left_out")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    RULES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    revision: str
    categories: _containers.RepeatedScalarFieldContainer[str]
    rules: _containers.RepeatedCompositeFieldContainer[LoadedRule]
    rules_left_out: int
    def __init__(self, revision: _Optional[str] = ..., categories: _Optional[_Iterable[str]] = ..., rules: _Optional[_Iterable[_Union[LoadedRule, _Mapping]]] = ..., rules_left_out: _Optional[int] = ...) -> None: ...

class LoadedRule(_message.Message):
    __slots__ = ("name", "pack", "category", "rule_index", "subcategory", "origin")
    NAME_FIELD_NUMBER: _ClassVar[int]
    PACK_FIELD_NUMBER: _ClassVar[int]
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    RULE_INDEX_FIELD_NUMBER: _ClassVar[int]
    SUBCATEGORY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    name: str
    pack: str
    category: str
    rule_index: int
    subcategory: str
    origin: _failure_pb2.Origin
    def __init__(self, name: _Optional[str] = ..., pack: _Optional[str] = ..., category: _Optional[str] = ..., rule_index: _Optional[int] = ..., subcategory: _Optional[str] = ..., origin: _Optional[_Union[_failure_pb2.Origin, str]] = ...) -> None: ...

class RunsListed(_message.Message):
    __slots__ = ("list_id", "page", "pages", "as_of_time", "runs")
    LIST_ID_FIELD_NUMBER: _ClassVar[int]
    PAGE_FIELD_NUMBER: _ClassVar[int]
    PAGES_FIELD_NUMBER: _ClassVar[int]
    AS_OF_TIME_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    list_id: str
    page: int
    pages: int
    as_of_time: _timestamp_pb2.Timestamp
    runs: _containers.RepeatedCompositeFieldContainer[ListedRun]
    def __init__(self, list_id: _Optional[str] = ..., page: _Optional[int] = ..., pages: _Optional[int] = ..., as_of_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., runs: _Optional[_Iterable[_Union[ListedRun, _Mapping]]] = ...) -> None: ...

class ListedRun(_message.Message):
    __slots__ = ("pod", "job_id", "run_id", "queue", "state", "gated", "confirmed")
    POD_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    GATED_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_FIELD_NUMBER: _ClassVar[int]
    pod: PodReference
    job_id: str
    run_id: str
    queue: str
    state: RunState.State
    gated: bool
    confirmed: Confirmation
    def __init__(self, pod: _Optional[_Union[PodReference, _Mapping]] = ..., job_id: _Optional[str] = ..., run_id: _Optional[str] = ..., queue: _Optional[str] = ..., state: _Optional[_Union[RunState.State, str]] = ..., gated: _Optional[bool] = ..., confirmed: _Optional[_Union[Confirmation, str]] = ...) -> None: ...
