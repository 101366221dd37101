import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class ResourceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOURCE_KIND_UNSPECIFIED: _ClassVar[ResourceKind]
    RESOURCE_KIND_RETRY_POLICY: _ClassVar[ResourceKind]
    RESOURCE_KIND_QUEUE: _ClassVar[ResourceKind]
    RESOURCE_KIND_ERROR_RULE: _ClassVar[ResourceKind]

class Change(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHANGE_UNSPECIFIED: _ClassVar[Change]
    CHANGE_CREATED: _ClassVar[Change]
    CHANGE_UPDATED: _ClassVar[Change]
    CHANGE_ROLLED_BACK: _ClassVar[Change]
    CHANGE_DETACHED: _ClassVar[Change]
    CHANGE_DELETED: _ClassVar[Change]
RESOURCE_KIND_UNSPECIFIED: ResourceKind
RESOURCE_KIND_RETRY_POLICY: ResourceKind
RESOURCE_KIND_QUEUE: ResourceKind
RESOURCE_KIND_ERROR_RULE: ResourceKind
CHANGE_UNSPECIFIED: Change
CHANGE_CREATED: Change
CHANGE_UPDATED: Change
CHANGE_ROLLED_BACK: Change
CHANGE_DETACHED: Change
CHANGE_DELETED: Change

class Resource(_message.Message):
    __slots__ = ("kind", "name", "uid", "version", "text", "created_time", "created_by", "changed_time", "changed_by", "file", "problem", "version_in_force")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    CREATED_TIME_FIELD_NUMBER: _ClassVar[int]
    CREATED_BY_FIELD_NUMBER: _ClassVar[int]
    CHANGED_TIME_FIELD_NUMBER: _ClassVar[int]
    CHANGED_BY_FIELD_NUMBER: _ClassVar[int]
    FILE_FIELD_NUMBER: _ClassVar[int]
    PROBLEM_FIELD_NUMBER: _ClassVar[int]
    VERSION_IN_FORCE_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    name: str
    uid: str
    version: int
    text: str
    created_time: _timestamp_pb2.Timestamp
    created_by: str
    changed_time: _timestamp_pb2.Timestamp
    changed_by: str
    file: str
    problem: str
    version_in_force: int
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., version: _Optional[int] = ..., text: _Optional[str] = ..., created_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., created_by: _Optional[str] = ..., changed_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., changed_by: _Optional[str] = ..., file: _Optional[str] = ..., problem: _Optional[str] = ..., version_in_force: _Optional[int] = ...) -> None: ...

class ResourceVersion(_message.Message):
    __slots__ = ("revision", "kind", "name", "uid", "version", "change", "text", "time", "by", "note")
    REVISION_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    UID_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TIME_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    NOTE_FIELD_NUMBER: _ClassVar[int]
    revision: int
    kind: ResourceKind
    name: str
    uid: str
    version: int
    change: Change
    text: str
    time: _timestamp_pb2.Timestamp
    by: str
    note: str
    def __init__(self, revision: _Optional[int] = ..., kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ..., uid: _Optional[str] = ..., version: _Optional[int] = ..., change: _Optional[_Union[Change, str]] = ..., text: _Optional[str] = ..., time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., by: _Optional[str] = ..., note: _Optional[str] = ...) -> None: ...

class ChangedResource(_message.Message):
    __slots__ = ("kind", "name", "change", "version", "detached", "warnings", "active_jobs", "restarted_counts", "text_before")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DETACHED_FIELD_NUMBER: _ClassVar[int]
    WARNINGS_FIELD_NUMBER: _ClassVar[int]
    ACTIVE_JOBS_FIELD_NUMBER: _ClassVar[int]
    RESTARTED_COUNTS_FIELD_NUMBER: _ClassVar[int]
    TEXT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    name: str
    change: Change
    version: int
    detached: _containers.RepeatedScalarFieldContainer[str]
    warnings: _containers.RepeatedScalarFieldContainer[str]
    active_jobs: int
    restarted_counts: int
    text_before: str
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ..., change: _Optional[_Union[Change, str]] = ..., version: _Optional[int] = ..., detached: _Optional[_Iterable[str]] = ..., warnings: _Optional[_Iterable[str]] = ..., active_jobs: _Optional[int] = ..., restarted_counts: _Optional[int] = ..., text_before: _Optional[str] = ...) -> None: ...

class CreateResourcesRequest(_message.Message):
    __slots__ = ("text", "replace", "dry_run")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    REPLACE_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    text: str
    replace: bool
    dry_run: bool
    def __init__(self, text: _Optional[str] = ..., replace: _Optional[bool] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class CreateResourcesResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: _containers.RepeatedCompositeFieldContainer[ChangedResource]
    def __init__(self, changed: _Optional[_Iterable[_Union[ChangedResource, _Mapping]]] = ...) -> None: ...

class UpdateResourcesRequest(_message.Message):
    __slots__ = ("text", "version", "dry_run")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    text: str
    version: int
    dry_run: bool
    def __init__(self, text: _Optional[str] = ..., version: _Optional[int] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class UpdateResourcesResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: _containers.RepeatedCompositeFieldContainer[ChangedResource]
    def __init__(self, changed: _Optional[_Iterable[_Union[ChangedResource, _Mapping]]] = ...) -> None: ...

class ApplyResourcesRequest(_message.Message):
    __slots__ = ("text", "dry_run")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    text: str
    dry_run: bool
    def __init__(self, text: _Optional[str] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class ApplyResourcesResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: _containers.RepeatedCompositeFieldContainer[ChangedResource]
    def __init__(self, changed: _Optional[_Iterable[_Union[ChangedResource, _Mapping]]] = ...) -> None: ...

class GetResourceRequest(_message.Message):
    __slots__ = ("kind", "name")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    name: str
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ...) -> None: ...

class GetResourceResponse(_message.Message):
    __slots__ = ("resource",)
    RESOURCE_FIELD_NUMBER: _ClassVar[int]
    resource: Resource
    def __init__(self, resource: _Optional[_Union[Resource, _Mapping]] = ...) -> None: ...

class ListResourcesRequest(_message.Message):
    __slots__ = ("kind",)
    KIND_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ...) -> None: ...

class ListResourcesResponse(_message.Message):
    __slots__ = ("resources", "revision")
    RESOURCES_FIELD_NUMBER: _ClassVar[int]
    REVISION_FIELD_NUMBER: _ClassVar[int]
    resources: _containers.RepeatedCompositeFieldContainer[Resource]
    revision: int
    def __init__(self, resources: _Optional[_Iterable[_Union[Resource, _Mapping]]] = ..., revision: _Optional[int] = ...) -> None: ...

class WatchResourcesRequest(_message.Message):
    __slots__ = ("after",)
    AFTER_FIELD_NUMBER: _ClassVar[int]
    after: int
    def __init__(self, after: _Optional[int] = ...) -> None: ...

class WatchResourcesResponse(_message.Message):
    __slots__ = ("version",)
    VERSION_FIELD_NUMBER: _ClassVar[int]
    version: ResourceVersion
    def __init__(self, version: _Optional[_Union[ResourceVersion, _Mapping]] = ...) -> None: ...

class DeleteResourceRequest(_message.Message):
    __slots__ = ("kind", "name", "version", "detach", "allow_missing", "dry_run")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DETACH_FIELD_NUMBER: _ClassVar[int]
    ALLOW_MISSING_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    name: str
    version: int
    detach: bool
    allow_missing: bool
    dry_run: bool
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ..., version: _Optional[int] = ..., detach: _Optional[bool] = ..., allow_missing: _Optional[bool] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class DeleteResourceResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: ChangedResource
    def __init__(self, changed: _Optional[_Union[ChangedResource, _Mapping]] = ...) -> None: ...

class RollbackResourceRequest(_message.Message):
    __slots__ = ("kind", "name", "version", "dry_run")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    DRY_RUN_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    name: str
    version: int
    dry_run: bool
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ..., version: _Optional[int] = ..., dry_run: _Optional[bool] = ...) -> None: ...

class RollbackResourceResponse(_message.Message):
    __slots__ = ("changed",)
    CHANGED_FIELD_NUMBER: _ClassVar[int]
    changed: ChangedResource
    def __init__(self, changed: _Optional[_Union[ChangedResource, _Mapping]] = ...) -> None: ...

class ListResourceVersionsRequest(_message.Message):
    __slots__ = ("kind", "name")
    KIND_FIELD_NUMBER: _ClassVar[int]
    NAME_FIELD_NUMBER: _ClassVar[int]
    kind: ResourceKind
    name: str
    def __init__(self, kind: _Optional[_Union[ResourceKind, str]] = ..., name: _Optional[str] = ...) -> None: ...

class ListResourceVersionsResponse(_message.Message):
    __slots__ = ("versions",)
    VERSIONS_FIELD_NUMBER: _ClassVar[int]
    versions: _containers.RepeatedCompositeFieldContainer[ResourceVersion]
    def __init__(self, versions: _Optional[_Iterable[_Union[ResourceVersion, _Mapping]]] = ...) -> None: ...
