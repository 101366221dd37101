import datetime

from agent.api.v1 import events_pb2 as _events_pb2
from google.protobuf import duration_pb2 as _duration_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class LostCluster(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    LOST_CLUSTER_UNSPECIFIED: _ClassVar[LostCluster]
    LOST_CLUSTER_REPLACE: _ClassVar[LostCluster]
    LOST_CLUSTER_WAIT: _ClassVar[LostCluster]

class GracefulShutdown(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GRACEFUL_SHUTDOWN_UNSPECIFIED: _ClassVar[GracefulShutdown]
    GRACEFUL_SHUTDOWN_TIMER: _ClassVar[GracefulShutdown]
    GRACEFUL_SHUTDOWN_CONFIRMED: _ClassVar[GracefulShutdown]
LOST_CLUSTER_UNSPECIFIED: LostCluster
LOST_CLUSTER_REPLACE: LostCluster
LOST_CLUSTER_WAIT: LostCluster
GRACEFUL_SHUTDOWN_UNSPECIFIED: GracefulShutdown
GRACEFUL_SHUTDOWN_TIMER: GracefulShutdown
GRACEFUL_SHUTDOWN_CONFIRMED: GracefulShutdown

class RunCommand(_message.Message):
    __slots__ = ("schema_version", "cluster_id", "job_id", "run_id", "issued_time", "create", "start", "stop", "discard", "list")
    SCHEMA_VERSION_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    RUN_ID_FIELD_NUMBER: _ClassVar[int]
    ISSUED_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATE_FIELD_NUMBER: _ClassVar[int]
    START_FIELD_NUMBER: _ClassVar[int]
    STOP_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    LIST_FIELD_NUMBER: _ClassVar[int]
    schema_version: int
    cluster_id: str
    job_id: str
    run_id: str
    issued_time: _timestamp_pb2.Timestamp
    create: CreateRun
    start: StartRun
    stop: StopRun
    discard: DiscardRun
    list: ListRuns
    def __init__(self, schema_version: _Optional[int] = ..., cluster_id: _Optional[str] = ..., job_id: _Optional[str] = ..., run_id: _Optional[str] = ..., issued_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., create: _Optional[_Union[CreateRun, _Mapping]] = ..., start: _Optional[_Union[StartRun, _Mapping]] = ..., stop: _Optional[_Union[StopRun, _Mapping]] = ..., discard: _Optional[_Union[DiscardRun, _Mapping]] = ..., list: _Optional[_Union[ListRuns, _Mapping]] = ...) -> None: ...

class CreateRun(_message.Message):
    __slots__ = ("queue", "job_set", "namespace", "pod_name", "index", "pod", "lost_cluster", "graceful_shutdown", "grace")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    JOB_SET_FIELD_NUMBER: _ClassVar[int]
    NAMESPACE_FIELD_NUMBER: _ClassVar[int]
    POD_NAME_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    LOST_CLUSTER_FIELD_NUMBER: _ClassVar[int]
    GRACEFUL_SHUTDOWN_FIELD_NUMBER: _ClassVar[int]
    GRACE_FIELD_NUMBER: _ClassVar[int]
    queue: str
    job_set: str
    namespace: str
    pod_name: str
    index: int
    pod: bytes
    lost_cluster: LostCluster
    graceful_shutdown: GracefulShutdown
    grace: _duration_pb2.Duration
    def __init__(self, queue: _Optional[str] = ..., job_set: _Optional[str] = ..., namespace: _Optional[str] = ..., pod_name: _Optional[str] = ..., index: _Optional[int] = ..., pod: _Optional[bytes] = ..., lost_cluster: _Optional[_Union[LostCluster, str]] = ..., graceful_shutdown: _Optional[_Union[GracefulShutdown, str]] = ..., grace: _Optional[_Union[datetime.timedelta, _duration_pb2.Duration, _Mapping]] = ...) -> None: ...

class StartRun(_message.Message):
    __slots__ = ("pod",)
    POD_FIELD_NUMBER: _ClassVar[int]
    pod: _events_pb2.PodReference
    def __init__(self, pod: _Optional[_Union[_events_pb2.PodReference, _Mapping]] = ...) -> None: ...

class StopRun(_message.Message):
    __slots__ = ("pod",)
    POD_FIELD_NUMBER: _ClassVar[int]
    pod: _events_pb2.PodReference
    def __init__(self, pod: _Optional[_Union[_events_pb2.PodReference, _Mapping]] = ...) -> None: ...

class DiscardRun(_message.Message):
    __slots__ = ("pod",)
    POD_FIELD_NUMBER: _ClassVar[int]
    pod: _events_pb2.PodReference
    def __init__(self, pod: _Optional[_Union[_events_pb2.PodReference, _Mapping]] = ...) -> None: ...

class ListRuns(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
