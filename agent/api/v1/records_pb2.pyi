import datetime

from google.protobuf import struct_pb2 as _struct_pb2
from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class RecordKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RECORD_KIND_UNSPECIFIED: _ClassVar[RecordKind]
    RECORD_KIND_JOB: _ClassVar[RecordKind]
    RECORD_KIND_RUN: _ClassVar[RecordKind]
    RECORD_KIND_FAILURE: _ClassVar[RecordKind]
    RECORD_KIND_VERDICT: _ClassVar[RecordKind]
RECORD_KIND_UNSPECIFIED: RecordKind
RECORD_KIND_JOB: RecordKind
RECORD_KIND_RUN: RecordKind
RECORD_KIND_FAILURE: RecordKind
RECORD_KIND_VERDICT: RecordKind

class ListRecordsRequest(_message.Message):
    __slots__ = ("kind", "filter", "since", "until", "limit", "after", "sort")
    KIND_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    SORT_FIELD_NUMBER: _ClassVar[int]
    kind: RecordKind
    filter: _struct_pb2.Struct
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    limit: int
    after: str
    sort: str
    def __init__(self, kind: _Optional[_Union[RecordKind, str]] = ..., filter: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., limit: _Optional[int] = ..., after: _Optional[str] = ..., sort: _Optional[str] = ...) -> None: ...

class ListRecordsResponse(_message.Message):
    __slots__ = ("records", "after", "sort")
    RECORDS_FIELD_NUMBER: _ClassVar[int]
    AFTER_FIELD_NUMBER: _ClassVar[int]
    SORT_FIELD_NUMBER: _ClassVar[int]
    records: _containers.RepeatedCompositeFieldContainer[_struct_pb2.Struct]
    after: str
    sort: str
    def __init__(self, records: _Optional[_Iterable[_Union[_struct_pb2.Struct, _Mapping]]] = ..., after: _Optional[str] = ..., sort: _Optional[str] = ...) -> None: ...

class CountRecordsRequest(_message.Message):
    __slots__ = ("kind", "filter", "by", "since", "until", "limit")
    KIND_FIELD_NUMBER: _ClassVar[int]
    FILTER_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    SINCE_FIELD_NUMBER: _ClassVar[int]
    UNTIL_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    kind: RecordKind
    filter: _struct_pb2.Struct
    by: _containers.RepeatedScalarFieldContainer[str]
    since: _timestamp_pb2.Timestamp
    until: _timestamp_pb2.Timestamp
    limit: int
    def __init__(self, kind: _Optional[_Union[RecordKind, str]] = ..., filter: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ..., by: _Optional[_Iterable[str]] = ..., since: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., until: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., limit: _Optional[int] = ...) -> None: ...

class CountRecordsResponse(_message.Message):
    __slots__ = ("counts",)
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    counts: _struct_pb2.Struct
    def __init__(self, counts: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class FindNameRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class FindNameResponse(_message.Message):
    __slots__ = ("outcome", "found")
    class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
        __slots__ = ()
        OUTCOME_UNSPECIFIED: _ClassVar[FindNameResponse.Outcome]
        OUTCOME_FOUND: _ClassVar[FindNameResponse.Outcome]
        OUTCOME_AMBIGUOUS: _ClassVar[FindNameResponse.Outcome]
        OUTCOME_NOT_FOUND: _ClassVar[FindNameResponse.Outcome]
    OUTCOME_UNSPECIFIED: FindNameResponse.Outcome
    OUTCOME_FOUND: FindNameResponse.Outcome
    OUTCOME_AMBIGUOUS: FindNameResponse.Outcome
    OUTCOME_NOT_FOUND: FindNameResponse.Outcome
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    FOUND_FIELD_NUMBER: _ClassVar[int]
    outcome: FindNameResponse.Outcome
    found: _struct_pb2.Struct
    def __init__(self, outcome: _Optional[_Union[FindNameResponse.Outcome, str]] = ..., found: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class ShortenNamesRequest(_message.Message):
    __slots__ = ("names",)
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.RepeatedCompositeFieldContainer[NameEnds]
    def __init__(self, names: _Optional[_Iterable[_Union[NameEnds, _Mapping]]] = ...) -> None: ...

class NameEnds(_message.Message):
    __slots__ = ("id", "ends")
    ID_FIELD_NUMBER: _ClassVar[int]
    ENDS_FIELD_NUMBER: _ClassVar[int]
    id: str
    ends: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, id: _Optional[str] = ..., ends: _Optional[_Iterable[str]] = ...) -> None: ...

class ShortenNamesResponse(_message.Message):
    __slots__ = ("names",)
    class NamesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    NAMES_FIELD_NUMBER: _ClassVar[int]
    names: _containers.ScalarMap[str, str]
    def __init__(self, names: _Optional[_Mapping[str, str]] = ...) -> None: ...

class GetTimelineRequest(_message.Message):
    __slots__ = ("id", "newest")
    ID_FIELD_NUMBER: _ClassVar[int]
    NEWEST_FIELD_NUMBER: _ClassVar[int]
    id: str
    newest: int
    def __init__(self, id: _Optional[str] = ..., newest: _Optional[int] = ...) -> None: ...

class GetTimelineResponse(_message.Message):
    __slots__ = ("timeline",)
    TIMELINE_FIELD_NUMBER: _ClassVar[int]
    timeline: _struct_pb2.Struct
    def __init__(self, timeline: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...

class GetEffectivePoliciesRequest(_message.Message):
    __slots__ = ("queue", "annotation", "job_id")
    QUEUE_FIELD_NUMBER: _ClassVar[int]
    ANNOTATION_FIELD_NUMBER: _ClassVar[int]
    JOB_ID_FIELD_NUMBER: _ClassVar[int]
    queue: str
    annotation: str
    job_id: str
    def __init__(self, queue: _Optional[str] = ..., annotation: _Optional[str] = ..., job_id: _Optional[str] = ...) -> None: ...

class GetEffectivePoliciesResponse(_message.Message):
    __slots__ = ("policies", "notes")
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    NOTES_FIELD_NUMBER: _ClassVar[int]
    policies: _containers.RepeatedCompositeFieldContainer[EffectivePolicy]
    notes: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, policies: _Optional[_Iterable[_Union[EffectivePolicy, _Mapping]]] = ..., notes: _Optional[_Iterable[str]] = ...) -> None: ...

class EffectivePolicy(_message.Message):
    __slots__ = ("name", "version")
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    name: str
    version: int
    def __init__(self, name: _Optional[str] = ..., version: _Optional[int] = ...) -> None: ...

class DecideRequest(_message.Message):
    __slots__ = ("text",)
    TEXT_FIELD_NUMBER: _ClassVar[int]
    text: str
    def __init__(self, text: _Optional[str] = ...) -> None: ...

class DecideResponse(_message.Message):
    __slots__ = ("verdicts",)
    VERDICTS_FIELD_NUMBER: _ClassVar[int]
    verdicts: _containers.RepeatedCompositeFieldContainer[ScenarioVerdict]
    def __init__(self, verdicts: _Optional[_Iterable[_Union[ScenarioVerdict, _Mapping]]] = ...) -> None: ...

class ScenarioVerdict(_message.Message):
    __slots__ = ("scenario", "number", "explanation")
    SCENARIO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    scenario: str
    number: int
    explanation: _struct_pb2.Struct
    def __init__(self, scenario: _Optional[str] = ..., number: _Optional[int] = ..., explanation: _Optional[_Union[_struct_pb2.Struct, _Mapping]] = ...) -> None: ...
