import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class SubmitOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    SUBMIT_OUTCOME_UNSPECIFIED: _ClassVar[SubmitOutcome]
    SUBMIT_OUTCOME_SUBMITTED: _ClassVar[SubmitOutcome]
    SUBMIT_OUTCOME_EXISTS: _ClassVar[SubmitOutcome]
    SUBMIT_OUTCOME_CONFLICT: _ClassVar[SubmitOutcome]
    SUBMIT_OUTCOME_REFUSED: _ClassVar[SubmitOutcome]

class JobState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    JOB_STATE_UNSPECIFIED: _ClassVar[JobState]
    JOB_STATE_QUEUED: _ClassVar[JobState]
    JOB_STATE_LEASED: _ClassVar[JobState]
    JOB_STATE_PENDING: _ClassVar[JobState]
    JOB_STATE_RUNNING: _ClassVar[JobState]
    JOB_STATE_RETRY_WAITING: _ClassVar[JobState]
    JOB_STATE_STOPPING: _ClassVar[JobState]
    JOB_STATE_SUCCEEDED: _ClassVar[JobState]
    JOB_STATE_FAILED: _ClassVar[JobState]
    JOB_STATE_CANCELLED: _ClassVar[JobState]

class RequestOutcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    REQUEST_OUTCOME_UNSPECIFIED: _ClassVar[RequestOutcome]
    REQUEST_OUTCOME_DONE: _ClassVar[RequestOutcome]
    REQUEST_OUTCOME_UNCHANGED: _ClassVar[RequestOutcome]
    REQUEST_OUTCOME_REFUSED: _ClassVar[RequestOutcome]
    REQUEST_OUTCOME_NOT_FOUND: _ClassVar[RequestOutcome]
SUBMIT_OUTCOME_UNSPECIFIED: SubmitOutcome
SUBMIT_OUTCOME_SUBMITTED: SubmitOutcome
SUBMIT_OUTCOME_EXISTS: SubmitOutcome
SUBMIT_OUTCOME_CONFLICT: SubmitOutcome
SUBMIT_OUTCOME_REFUSED: SubmitOutcome
JOB_STATE_UNSPECIFIED: JobState
JOB_STATE_QUEUED: JobState
JOB_STATE_LEASED: JobState
JOB_STATE_PENDING: JobState
JOB_STATE_RUNNING: JobState
JOB_STATE_RETRY_WAITING: JobState
JOB_STATE_STOPPING: JobState
JOB_STATE_SUCCEEDED: JobState
JOB_STATE_FAILED: JobState
JOB_STATE_CANCELLED: JobState
REQUEST_OUTCOME_UNSPECIFIED: RequestOutcome
REQUEST_OUTCOME_DONE: RequestOutcome
REQUEST_OUTCOME_UNCHANGED: RequestOutcome
REQUEST_OUTCOME_REFUSED: RequestOutcome
REQUEST_OUTCOME_NOT_FOUND: RequestOutcome

class SubmitResult(_message.Message):
    __slots__ = ("job_id", "name", "queue", "line", "outcome", "message", "warnings")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    LINE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    name: str
    queue: str
    line: int
    outcome: SubmitOutcome
    message: str
    warnings: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, job_id: _Optional[str] = ..., name: _Optional[str] = ..., queue: _Optional[str] = ..., line: _Optional[int] = ..., outcome: _Optional[_Union[SubmitOutcome, str]] = ..., message: _Optional[str] = ..., warnings: _Optional[_Iterable[str]] = ...) -> None: ...

class SubmitJobsRequest(_message.Message):
    __slots__ = ("text", "queue", "dry_run")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    text: str
    queue: str
    dry_run: bool
    def __init__(self, text: _Optional[str] = ..., queue: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class SubmitJobsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[SubmitResult]
    def __init__(self, results: _Optional[_Iterable[_Union[SubmitResult, _Mapping]]] = ...) -> None: ...

class Job(_message.Message):
    __slots__ = ("job_id", "queue", "job_set", "client_id", "state", "wait", "ending", "ended_by", "ended_time", "submitted_time", "submitted_by", "runs")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_SET_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    ENDED_BY_FIELD_NUMBER: _ClassVar[int]
    ENDED_TIME_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_TIME_FIELD_NUMBER: _ClassVar[int]
    SUBMITTED_BY_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    queue: str
    job_set: str
    client_id: str
    state: JobState
    wait: str
    ending: JobState
    ended_by: str
    ended_time: _timestamp_pb2.Timestamp
    submitted_time: _timestamp_pb2.Timestamp
    submitted_by: str
    runs: int
    def __init__(self, job_id: _Optional[str] = ..., queue: _Optional[str] = ..., job_set: _Optional[str] = ..., client_id: _Optional[str] = ..., state: _Optional[_Union[JobState, str]] = ..., wait: _Optional[str] = ..., ending: _Optional[_Union[JobState, str]] = ..., ended_by: _Optional[str] = ..., ended_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., submitted_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., submitted_by: _Optional[str] = ..., runs: _Optional[int] = ...) -> None: ...

class GetJobsRequest(_message.Message):
    __slots__ = ("job_ids",)
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, job_ids: _Optional[_Iterable[str]] = ...) -> None: ...

class GetJobsResponse(_message.Message):
    __slots__ = ("jobs",)
    JOBS_FIELD_NUMBER: _ClassVar[int]
    jobs: _containers.RepeatedCompositeFieldContainer[Job]
    def __init__(self, jobs: _Optional[_Iterable[_Union[Job, _Mapping]]] = ...) -> None: ...

class GetSubmittedPodRequest(_message.Message):
    __slots__ = ("job_id",)
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    def __init__(self, job_id: _Optional[str] = ...) -> None: ...

class GetSubmittedPodResponse(_message.Message):
    __slots__ = ("yaml", "redacted")
    YAML_FIELD_NUMBER: _ClassVar[int]
    REDACTED_FIELD_NUMBER: _ClassVar[int]
    yaml: str
    redacted: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, yaml: _Optional[str] = ..., redacted: _Optional[_Iterable[str]] = ...) -> None: ...

class RequestResult(_message.Message):
    __slots__ = ("job_id", "outcome", "state", "message", "wait")
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    job_id: str
    outcome: RequestOutcome
    state: JobState
    message: str
    wait: str
    def __init__(self, job_id: _Optional[str] = ..., outcome: _Optional[_Union[RequestOutcome, str]] = ..., state: _Optional[_Union[JobState, str]] = ..., message: _Optional[str] = ..., wait: _Optional[str] = ...) -> None: ...

class CancelJobsRequest(_message.Message):
    __slots__ = ("job_ids", "reason", "dry_run")
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    dry_run: bool
    def __init__(self, job_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class CancelJobsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RequestResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RequestResult, _Mapping]]] = ...) -> None: ...

class RetryJobsRequest(_message.Message):
    __slots__ = ("job_ids", "again", "reason", "dry_run")
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    AGAIN_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    again: bool
    reason: str
    dry_run: bool
    def __init__(self, job_ids: _Optional[_Iterable[str]] = ..., again: _Optional[bool] = ..., reason: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class RetryJobsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RequestResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RequestResult, _Mapping]]] = ...) -> None: ...

class NeverRetryJobsRequest(_message.Message):
    __slots__ = ("job_ids", "reason", "dry_run")
    JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    job_ids: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    dry_run: bool
    def __init__(self, job_ids: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class NeverRetryJobsResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RequestResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RequestResult, _Mapping]]] = ...) -> None: ...

class ConfirmRunsStoppedRequest(_message.Message):
    __slots__ = ("names", "reason", "dry_run")
    NAMES_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedScalarFieldContainer[str]
    reason: str
    dry_run: bool
    def __init__(self, names: _Optional[_Iterable[str]] = ..., reason: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class RunRequestResult(_message.Message):
    __slots__ = ("name", "run_id", "job_id", "pod", "outcome", "state", "message", "wait")
    NAME_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    WAIT_FIELD_NUMBER: _ClassVar[int]
    name: str
    run_id: str
    job_id: str
    pod: str
    outcome: RequestOutcome
    state: JobState
    message: str
    wait: str
    def __init__(self, name: _Optional[str] = ..., run_id: _Optional[str] = ..., job_id: _Optional[str] = ..., pod: _Optional[str] = ..., outcome: _Optional[_Union[RequestOutcome, str]] = ..., state: _Optional[_Union[JobState, str]] = ..., message: _Optional[str] = ..., wait: _Optional[str] = ...) -> None: ...

class ConfirmRunsStoppedResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[RunRequestResult]
    def __init__(self, results: _Optional[_Iterable[_Union[RunRequestResult, _Mapping]]] = ...) -> None: ...

class GetOrphansRequest(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class Orphan(_message.Message):
    __slots__ = ("cluster", "namespace", "pod_name", "uid", "node", "job_id", "run_id", "queue", "phase", "since_time", "held_job_ids", "confirmed_by", "confirmed_time", "confirmed_reason")
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    POD_NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    SINCE_TIME_FIELD_NUMBER: _ClassVar[int]
    HELD_JOB_IDS_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_BY_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_TIME_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_REASON_FIELD_NUMBER: _ClassVar[int]
    cluster: str
    namespace: str
    pod_name: str
    uid: str
    node: str
    job_id: str
    run_id: str
    queue: str
    phase: str
    since_time: _timestamp_pb2.Timestamp
    held_job_ids: _containers.RepeatedScalarFieldContainer[str]
    confirmed_by: str
    confirmed_time: _timestamp_pb2.Timestamp
    confirmed_reason: str
    def __init__(self, cluster: _Optional[str] = ..., namespace: _Optional[str] = ..., pod_name: _Optional[str] = ..., uid: _Optional[str] = ..., node: _Optional[str] = ..., job_id: _Optional[str] = ..., run_id: _Optional[str] = ..., queue: _Optional[str] = ..., phase: _Optional[str] = ..., since_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., held_job_ids: _Optional[_Iterable[str]] = ..., confirmed_by: _Optional[str] = ..., confirmed_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., confirmed_reason: _Optional[str] = ...) -> None: ...

class GetOrphansResponse(_message.Message):
    __slots__ = ("orphans",)
    ORPHANS_FIELD_NUMBER: _ClassVar[int]
    orphans: _containers.RepeatedCompositeFieldContainer[Orphan]
    def __init__(self, orphans: _Optional[_Iterable[_Union[Orphan, _Mapping]]] = ...) -> None: ...
