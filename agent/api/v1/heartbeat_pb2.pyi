import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Heartbeat(_message.Message):
    __slots__ = ("cluster_id", "cluster", "epoch", "incarnation", "spool_id", "last_spooled_sequence", "last_acknowledged_sequence", "node_shapes", "sent_time", "runs")
    CLUSTER_ID_FIELD_NUMBER: _ClassVar[int]
    CLUSTER_FIELD_NUMBER: _ClassVar[int]
    EPOCH_FIELD_NUMBER: _ClassVar[int]
    INCARNATION_FIELD_NUMBER: _ClassVar[int]
    SPOOL_ID_FIELD_NUMBER: _ClassVar[int]
    LAST_SPOOLED_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    LAST_ACKNOWLEDGED_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    NODE_SHAPES_FIELD_NUMBER: _ClassVar[int]
    SENT_TIME_FIELD_NUMBER: _ClassVar[int]
    RUNS_FIELD_NUMBER: _ClassVar[int]
    cluster_id: str
    cluster: str
    epoch: int
    incarnation: str
    spool_id: str
    last_spooled_sequence: int
    last_acknowledged_sequence: int
    node_shapes: _containers.RepeatedCompositeFieldContainer[NodeShape]
    sent_time: _timestamp_pb2.Timestamp
    runs: RunOffer
    def __init__(self, cluster_id: _Optional[str] = ..., cluster: _Optional[str] = ..., epoch: _Optional[int] = ..., incarnation: _Optional[str] = ..., spool_id: _Optional[str] = ..., last_spooled_sequence: _Optional[int] = ..., last_acknowledged_sequence: _Optional[int] = ..., node_shapes: _Optional[_Iterable[_Union[NodeShape, _Mapping]]] = ..., sent_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., runs: _Optional[_Union[RunOffer, _Mapping]] = ...) -> None: ...

class RunOffer(_message.Message):
    __slots__ = ("namespaces", "max_runs")
    NAMESPACES_FIELD_NUMBER: _ClassVar[int]
    MAX_RUNS_FIELD_NUMBER: _ClassVar[int]
    namespaces: _containers.RepeatedScalarFieldContainer[str]
    max_runs: int
    def __init__(self, namespaces: _Optional[_Iterable[str]] = ..., max_runs: _Optional[int] = ...) -> None: ...

class NodeShape(_message.Message):
    __slots__ = ("allocatable", "ready", "total")
    class AllocatableEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    ALLOCATABLE_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    allocatable: _containers.ScalarMap[str, str]
    ready: int
    total: int
    def __init__(self, allocatable: _Optional[_Mapping[str, str]] = ..., ready: _Optional[int] = ..., total: _Optional[int] = ...) -> None: ...
