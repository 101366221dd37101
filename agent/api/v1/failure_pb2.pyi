import datetime

from google.protobuf import timestamp_pb2 as _timestamp_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class CheckAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHECK_ACTION_UNSPECIFIED: _ClassVar[CheckAction]
    CHECK_ACTION_RETRY: _ClassVar[CheckAction]
    CHECK_ACTION_FAIL: _ClassVar[CheckAction]

class CheckCause(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CHECK_CAUSE_UNSPECIFIED: _ClassVar[CheckCause]
    CHECK_CAUSE_STARTUP: _ClassVar[CheckCause]
    CHECK_CAUSE_NO_NODE_ASSIGNED: _ClassVar[CheckCause]
    CHECK_CAUSE_NO_STATUS_UPDATES: _ClassVar[CheckCause]
    CHECK_CAUSE_FAILED: _ClassVar[CheckCause]

class Occurrence(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OCCURRENCE_UNSPECIFIED: _ClassVar[Occurrence]
    OCCURRENCE_POD_FAILED: _ClassVar[Occurrence]
    OCCURRENCE_DELETED_EXTERNALLY: _ClassVar[Occurrence]
    OCCURRENCE_MISSING: _ClassVar[Occurrence]
    OCCURRENCE_NEVER_STARTED: _ClassVar[Occurrence]
    OCCURRENCE_DEADLINE_EXCEEDED: _ClassVar[Occurrence]
    OCCURRENCE_STUCK_TERMINATING: _ClassVar[Occurrence]
    OCCURRENCE_CONTAINER_RESTARTED: _ClassVar[Occurrence]
    OCCURRENCE_LEASE_EXPIRED: _ClassVar[Occurrence]
    OCCURRENCE_NEVER_CREATED: _ClassVar[Occurrence]

class Origin(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ORIGIN_UNSPECIFIED: _ClassVar[Origin]
    ORIGIN_INFRA: _ClassVar[Origin]
    ORIGIN_PLATFORM: _ClassVar[Origin]
    ORIGIN_USER: _ClassVar[Origin]
    ORIGIN_UNKNOWN: _ClassVar[Origin]

class RetryAdvice(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RETRY_ADVICE_UNSPECIFIED: _ClassVar[RetryAdvice]
    RETRY_ADVICE_NEVER: _ClassVar[RetryAdvice]
    RETRY_ADVICE_SAME: _ClassVar[RetryAdvice]
    RETRY_ADVICE_ELSEWHERE: _ClassVar[RetryAdvice]
    RETRY_ADVICE_CHANGED: _ClassVar[RetryAdvice]

class CategoryAction(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CATEGORY_ACTION_UNSPECIFIED: _ClassVar[CategoryAction]
    CATEGORY_ACTION_RETAIN: _ClassVar[CategoryAction]
    CATEGORY_ACTION_DELETE: _ClassVar[CategoryAction]

class Trust(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRUST_UNSPECIFIED: _ClassVar[Trust]
    TRUST_SYSTEM: _ClassVar[Trust]
    TRUST_USER_TEXT: _ClassVar[Trust]

class Tristate(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TRISTATE_UNSPECIFIED: _ClassVar[Tristate]
    TRISTATE_NO: _ClassVar[Tristate]
    TRISTATE_YES: _ClassVar[Tristate]
    TRISTATE_UNKNOWN: _ClassVar[Tristate]

class Mechanism(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    MECHANISM_UNSPECIFIED: _ClassVar[Mechanism]
    MECHANISM_NEVER_CREATED: _ClassVar[Mechanism]
    MECHANISM_UNSCHEDULABLE: _ClassVar[Mechanism]
    MECHANISM_REJECTED: _ClassVar[Mechanism]
    MECHANISM_NOT_STARTED: _ClassVar[Mechanism]
    MECHANISM_EVICTED: _ClassVar[Mechanism]
    MECHANISM_PREEMPTED: _ClassVar[Mechanism]
    MECHANISM_DELETED: _ClassVar[Mechanism]
    MECHANISM_NODE_SHUTDOWN: _ClassVar[Mechanism]
    MECHANISM_NODE_LOST: _ClassVar[Mechanism]
    MECHANISM_DEADLINE: _ClassVar[Mechanism]
    MECHANISM_OOM_CGROUP: _ClassVar[Mechanism]
    MECHANISM_OOM_NODE: _ClassVar[Mechanism]
    MECHANISM_PROBE_KILLED: _ClassVar[Mechanism]
    MECHANISM_SIGNALLED: _ClassVar[Mechanism]
    MECHANISM_EXITED: _ClassVar[Mechanism]
    MECHANISM_SUCCEEDED: _ClassVar[Mechanism]
    MECHANISM_UNKNOWN: _ClassVar[Mechanism]

class Grade(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    GRADE_UNSPECIFIED: _ClassVar[Grade]
    GRADE_PROVEN: _ClassVar[Grade]
    GRADE_LIKELY: _ClassVar[Grade]
    GRADE_UNKNOWN: _ClassVar[Grade]

class Proof(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PROOF_UNSPECIFIED: _ClassVar[Proof]
    PROOF_COMMAND: _ClassVar[Proof]
    PROOF_IMAGE: _ClassVar[Proof]
    PROOF_SPEC: _ClassVar[Proof]
    PROOF_REFERENCE: _ClassVar[Proof]
    PROOF_TOO_LARGE: _ClassVar[Proof]
    PROOF_OWN_LIMIT: _ClassVar[Proof]
    PROOF_GIVEN_UP: _ClassVar[Proof]
    PROOF_CODE: _ClassVar[Proof]
    PROOF_ARGUMENTS: _ClassVar[Proof]
    PROOF_DISRUPTED: _ClassVar[Proof]
    PROOF_NODE: _ClassVar[Proof]
    PROOF_DEVICE: _ClassVar[Proof]
    PROOF_COMPONENT: _ClassVar[Proof]
    PROOF_DONE: _ClassVar[Proof]
    PROOF_BUSY: _ClassVar[Proof]

class Advised(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ADVISED_UNSPECIFIED: _ClassVar[Advised]
    ADVISED_NEVER: _ClassVar[Advised]
    ADVISED_SAME: _ClassVar[Advised]
    ADVISED_ELSEWHERE: _ClassVar[Advised]
    ADVISED_CHANGED: _ClassVar[Advised]
    ADVISED_TRY: _ClassVar[Advised]
    ADVISED_TRY_ELSEWHERE: _ClassVar[Advised]

class DetailKey(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DETAIL_KEY_UNSPECIFIED: _ClassVar[DetailKey]
    DETAIL_KEY_RESOURCE: _ClassVar[DetailKey]
    DETAIL_KEY_TAINT: _ClassVar[DetailKey]
    DETAIL_KEY_LABEL: _ClassVar[DetailKey]
    DETAIL_KEY_QUOTA: _ClassVar[DetailKey]
    DETAIL_KEY_CLAIM: _ClassVar[DetailKey]
    DETAIL_KEY_IMAGE_PART: _ClassVar[DetailKey]
    DETAIL_KEY_PROBE: _ClassVar[DetailKey]
    DETAIL_KEY_LIMIT: _ClassVar[DetailKey]
    DETAIL_KEY_RANK: _ClassVar[DetailKey]
    DETAIL_KEY_DEVICE: _ClassVar[DetailKey]

class ContainerKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    CONTAINER_KIND_UNSPECIFIED: _ClassVar[ContainerKind]
    CONTAINER_KIND_APP: _ClassVar[ContainerKind]
    CONTAINER_KIND_INIT: _ClassVar[ContainerKind]
    CONTAINER_KIND_SIDECAR: _ClassVar[ContainerKind]
    CONTAINER_KIND_EPHEMERAL: _ClassVar[ContainerKind]

class EndedState(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENDED_STATE_UNSPECIFIED: _ClassVar[EndedState]
    ENDED_STATE_CURRENT: _ClassVar[EndedState]
    ENDED_STATE_LAST: _ClassVar[EndedState]

class StateKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    STATE_KIND_UNSPECIFIED: _ClassVar[StateKind]
    STATE_KIND_WAITING: _ClassVar[StateKind]
    STATE_KIND_RUNNING: _ClassVar[StateKind]
    STATE_KIND_TERMINATED: _ClassVar[StateKind]
CHECK_ACTION_UNSPECIFIED: CheckAction
CHECK_ACTION_RETRY: CheckAction
CHECK_ACTION_FAIL: CheckAction
CHECK_CAUSE_UNSPECIFIED: CheckCause
CHECK_CAUSE_STARTUP: CheckCause
CHECK_CAUSE_NO_NODE_ASSIGNED: CheckCause
CHECK_CAUSE_NO_STATUS_UPDATES: CheckCause
CHECK_CAUSE_FAILED: CheckCause
OCCURRENCE_UNSPECIFIED: Occurrence
OCCURRENCE_POD_FAILED: Occurrence
OCCURRENCE_DELETED_EXTERNALLY: Occurrence
OCCURRENCE_MISSING: Occurrence
OCCURRENCE_NEVER_STARTED: Occurrence
OCCURRENCE_DEADLINE_EXCEEDED: Occurrence
OCCURRENCE_STUCK_TERMINATING: Occurrence
OCCURRENCE_CONTAINER_RESTARTED: Occurrence
OCCURRENCE_LEASE_EXPIRED: Occurrence
OCCURRENCE_NEVER_CREATED: Occurrence
ORIGIN_UNSPECIFIED: Origin
ORIGIN_INFRA: Origin
ORIGIN_PLATFORM: Origin
ORIGIN_USER: Origin
ORIGIN_UNKNOWN: Origin
RETRY_ADVICE_UNSPECIFIED: RetryAdvice
RETRY_ADVICE_NEVER: RetryAdvice
RETRY_ADVICE_SAME: RetryAdvice
RETRY_ADVICE_ELSEWHERE: RetryAdvice
RETRY_ADVICE_CHANGED: RetryAdvice
CATEGORY_ACTION_UNSPECIFIED: CategoryAction
CATEGORY_ACTION_RETAIN: CategoryAction
CATEGORY_ACTION_DELETE: CategoryAction
TRUST_UNSPECIFIED: Trust
TRUST_SYSTEM: Trust
TRUST_USER_TEXT: Trust
TRISTATE_UNSPECIFIED: Tristate
TRISTATE_NO: Tristate
TRISTATE_YES: Tristate
TRISTATE_UNKNOWN: Tristate
MECHANISM_UNSPECIFIED: Mechanism
MECHANISM_NEVER_CREATED: Mechanism
MECHANISM_UNSCHEDULABLE: Mechanism
MECHANISM_REJECTED: Mechanism
MECHANISM_NOT_STARTED: Mechanism
MECHANISM_EVICTED: Mechanism
MECHANISM_PREEMPTED: Mechanism
MECHANISM_DELETED: Mechanism
MECHANISM_NODE_SHUTDOWN: Mechanism
MECHANISM_NODE_LOST: Mechanism
MECHANISM_DEADLINE: Mechanism
MECHANISM_OOM_CGROUP: Mechanism
MECHANISM_OOM_NODE: Mechanism
MECHANISM_PROBE_KILLED: Mechanism
MECHANISM_SIGNALLED: Mechanism
MECHANISM_EXITED: Mechanism
MECHANISM_SUCCEEDED: Mechanism
MECHANISM_UNKNOWN: Mechanism
GRADE_UNSPECIFIED: Grade
GRADE_PROVEN: Grade
GRADE_LIKELY: Grade
GRADE_UNKNOWN: Grade
PROOF_UNSPECIFIED: Proof
PROOF_COMMAND: Proof
PROOF_IMAGE: Proof
PROOF_SPEC: Proof
PROOF_REFERENCE: Proof
PROOF_TOO_LARGE: Proof
PROOF_OWN_LIMIT: Proof
PROOF_GIVEN_UP: Proof
PROOF_CODE: Proof
PROOF_ARGUMENTS: Proof
PROOF_DISRUPTED: Proof
PROOF_NODE: Proof
PROOF_DEVICE: Proof
PROOF_COMPONENT: Proof
PROOF_DONE: Proof
PROOF_BUSY: Proof
ADVISED_UNSPECIFIED: Advised
ADVISED_NEVER: Advised
ADVISED_SAME: Advised
ADVISED_ELSEWHERE: Advised
ADVISED_CHANGED: Advised
ADVISED_TRY: Advised
ADVISED_TRY_ELSEWHERE: Advised
DETAIL_KEY_UNSPECIFIED: DetailKey
DETAIL_KEY_RESOURCE: DetailKey
DETAIL_KEY_TAINT: DetailKey
DETAIL_KEY_LABEL: DetailKey
DETAIL_KEY_QUOTA: DetailKey
DETAIL_KEY_CLAIM: DetailKey
DETAIL_KEY_IMAGE_PART: DetailKey
DETAIL_KEY_PROBE: DetailKey
DETAIL_KEY_LIMIT: DetailKey
DETAIL_KEY_RANK: DetailKey
DETAIL_KEY_DEVICE: DetailKey
CONTAINER_KIND_UNSPECIFIED: ContainerKind
CONTAINER_KIND_APP: ContainerKind
CONTAINER_KIND_INIT: ContainerKind
CONTAINER_KIND_SIDECAR: ContainerKind
CONTAINER_KIND_EPHEMERAL: ContainerKind
ENDED_STATE_UNSPECIFIED: EndedState
ENDED_STATE_CURRENT: EndedState
ENDED_STATE_LAST: EndedState
STATE_KIND_UNSPECIFIED: StateKind
STATE_KIND_WAITING: StateKind
STATE_KIND_RUNNING: StateKind
STATE_KIND_TERMINATED: StateKind

class FailureInfo(_message.Message):
    __slots__ = ("exit_code", "termination_message", "categories", "container_name", "culprit_container", "termination_reason", "signal", "occurrence", "classification", "user_code", "pod", "node", "events", "events_left_out", "stack_trace", "log_tails", "truncated_fields", "sanitized_fields", "redacted_fields", "missing_evidence", "pod_error", "check", "overruled", "fingerprint", "admission", "limit")
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_MESSAGE_FIELD_NUMBER: _ClassVar[int]
    CATEGORIES_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_NAME_FIELD_NUMBER: _ClassVar[int]
    CULPRIT_CONTAINER_FIELD_NUMBER: _ClassVar[int]
    TERMINATION_REASON_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    OCCURRENCE_FIELD_NUMBER: _ClassVar[int]
    CLASSIFICATION_FIELD_NUMBER: _ClassVar[int]
    USER_CODE_FIELD_NUMBER: _ClassVar[int]
    POD_FIELD_NUMBER: _ClassVar[int]
    NODE_FIELD_NUMBER: _ClassVar[int]
    EVENTS_FIELD_NUMBER: _ClassVar[int]
    EVENTS_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    STACK_TRACE_FIELD_NUMBER: _ClassVar[int]
    LOG_TAILS_FIELD_NUMBER: _ClassVar[int]
    TRUNCATED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    SANITIZED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    REDACTED_FIELDS_FIELD_NUMBER: _ClassVar[int]
    MISSING_EVIDENCE_FIELD_NUMBER: _ClassVar[int]
    POD_ERROR_FIELD_NUMBER: _ClassVar[int]
    CHECK_FIELD_NUMBER: _ClassVar[int]
    OVERRULED_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    ADMISSION_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    exit_code: int
    termination_message: str
    categories: _containers.RepeatedScalarFieldContainer[str]
    container_name: str
    culprit_container: str
    termination_reason: str
    signal: int
    occurrence: Occurrence
    classification: Classification
    user_code: UserCode
    pod: PodSnapshot
    node: NodeSnapshot
    events: _containers.RepeatedCompositeFieldContainer[PodEvent]
    events_left_out: int
    stack_trace: StackTraceSummary
    log_tails: _containers.RepeatedCompositeFieldContainer[LogTail]
    truncated_fields: _containers.RepeatedScalarFieldContainer[str]
    sanitized_fields: _containers.RepeatedScalarFieldContainer[str]
    redacted_fields: _containers.RepeatedScalarFieldContainer[str]
    missing_evidence: _containers.RepeatedCompositeFieldContainer[MissingEvidence]
    pod_error: str
    check: CheckFinding
    overruled: Classification
    fingerprint: str
    admission: Admission
    limit: ReachedLimit
    def __init__(self, exit_code: _Optional[int] = ..., termination_message: _Optional[str] = ..., categories: _Optional[_Iterable[str]] = ..., container_name: _Optional[str] = ..., culprit_container: _Optional[str] = ..., termination_reason: _Optional[str] = ..., signal: _Optional[int] = ..., occurrence: _Optional[_Union[Occurrence, str]] = ..., classification: _Optional[_Union[Classification, _Mapping]] = ..., user_code: _Optional[_Union[UserCode, _Mapping]] = ..., pod: _Optional[_Union[PodSnapshot, _Mapping]] = ..., node: _Optional[_Union[NodeSnapshot, _Mapping]] = ..., events: _Optional[_Iterable[_Union[PodEvent, _Mapping]]] = ..., events_left_out: _Optional[int] = ..., stack_trace: _Optional[_Union[StackTraceSummary, _Mapping]] = ..., log_tails: _Optional[_Iterable[_Union[LogTail, _Mapping]]] = ..., truncated_fields: _Optional[_Iterable[str]] = ..., sanitized_fields: _Optional[_Iterable[str]] = ..., redacted_fields: _Optional[_Iterable[str]] = ..., missing_evidence: _Optional[_Iterable[_Union[MissingEvidence, _Mapping]]] = ..., pod_error: _Optional[str] = ..., check: _Optional[_Union[CheckFinding, _Mapping]] = ..., overruled: _Optional[_Union[Classification, _Mapping]] = ..., fingerprint: _Optional[str] = ..., admission: _Optional[_Union[Admission, _Mapping]] = ..., limit: _Optional[_Union[ReachedLimit, _Mapping]] = ...) -> None: ...

class ReachedLimit(_message.Message):
    __slots__ = ("what", "limit", "used")
    WHAT_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    what: str
    limit: str
    used: str
    def __init__(self, what: _Optional[str] = ..., limit: _Optional[str] = ..., used: _Optional[str] = ...) -> None: ...

class Admission(_message.Message):
    __slots__ = ("conditions", "shadow", "disagreeing")
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    SHADOW_FIELD_NUMBER: _ClassVar[int]
    DISAGREEING_FIELD_NUMBER: _ClassVar[int]
    conditions: _containers.RepeatedScalarFieldContainer[str]
    shadow: bool
    disagreeing: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, conditions: _Optional[_Iterable[str]] = ..., shadow: _Optional[bool] = ..., disagreeing: _Optional[_Iterable[str]] = ...) -> None: ...

class CheckFinding(_message.Message):
    __slots__ = ("check", "action", "cause")
    CHECK_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    CAUSE_FIELD_NUMBER: _ClassVar[int]
    check: str
    action: CheckAction
    cause: CheckCause
    def __init__(self, check: _Optional[str] = ..., action: _Optional[_Union[CheckAction, str]] = ..., cause: _Optional[_Union[CheckCause, str]] = ...) -> None: ...

class Classification(_message.Message):
    __slots__ = ("category", "subcategory", "origin", "hint", "action", "retry_advice", "matched", "matches", "rules_revision", "matches_left_out", "timed_out", "weak", "mechanism", "corroborated", "hypotheses", "hypotheses_left_out", "detail", "grade", "proof", "advised")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SUBCATEGORY_FIELD_NUMBER: _ClassVar[int]
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    HINT_FIELD_NUMBER: _ClassVar[int]
    ACTION_FIELD_NUMBER: _ClassVar[int]
    RETRY_ADVICE_FIELD_NUMBER: _ClassVar[int]
    MATCHED_FIELD_NUMBER: _ClassVar[int]
    MATCHES_FIELD_NUMBER: _ClassVar[int]
    RULES_REVISION_FIELD_NUMBER: _ClassVar[int]
    MATCHES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    TIMED_OUT_FIELD_NUMBER: _ClassVar[int]
    WEAK_FIELD_NUMBER: _ClassVar[int]
    MECHANISM_FIELD_NUMBER: _ClassVar[int]
    CORROBORATED_FIELD_NUMBER: _ClassVar[int]
    HYPOTHESES_FIELD_NUMBER: _ClassVar[int]
    HYPOTHESES_LEFT_OUT_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    GRADE_FIELD_NUMBER: _ClassVar[int]
    PROOF_FIELD_NUMBER: _ClassVar[int]
    ADVISED_FIELD_NUMBER: _ClassVar[int]
    category: str
    subcategory: str
    origin: Origin
    hint: str
    action: CategoryAction
    retry_advice: RetryAdvice
    matched: bool
    matches: _containers.RepeatedCompositeFieldContainer[RuleMatch]
    rules_revision: str
    matches_left_out: int
    timed_out: _containers.RepeatedScalarFieldContainer[str]
    weak: bool
    mechanism: Mechanism
    corroborated: Tristate
    hypotheses: _containers.RepeatedCompositeFieldContainer[Hypothesis]
    hypotheses_left_out: int
    detail: _containers.RepeatedCompositeFieldContainer[Detail]
    grade: Grade
    proof: Proof
    advised: Advised
    def __init__(self, category: _Optional[str] = ..., subcategory: _Optional[str] = ..., origin: _Optional[_Union[Origin, str]] = ..., hint: _Optional[str] = ..., action: _Optional[_Union[CategoryAction, str]] = ..., retry_advice: _Optional[_Union[RetryAdvice, str]] = ..., matched: _Optional[bool] = ..., matches: _Optional[_Iterable[_Union[RuleMatch, _Mapping]]] = ..., rules_revision: _Optional[str] = ..., matches_left_out: _Optional[int] = ..., timed_out: _Optional[_Iterable[str]] = ..., weak: _Optional[bool] = ..., mechanism: _Optional[_Union[Mechanism, str]] = ..., corroborated: _Optional[_Union[Tristate, str]] = ..., hypotheses: _Optional[_Iterable[_Union[Hypothesis, _Mapping]]] = ..., hypotheses_left_out: _Optional[int] = ..., detail: _Optional[_Iterable[_Union[Detail, _Mapping]]] = ..., grade: _Optional[_Union[Grade, str]] = ..., proof: _Optional[_Union[Proof, str]] = ..., advised: _Optional[_Union[Advised, str]] = ...) -> None: ...

class Detail(_message.Message):
    __slots__ = ("key", "value")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    key: DetailKey
    value: str
    def __init__(self, key: _Optional[_Union[DetailKey, str]] = ..., value: _Optional[str] = ...) -> None: ...

class Hypothesis(_message.Message):
    __slots__ = ("match", "refused")
    MATCH_FIELD_NUMBER: _ClassVar[int]
    REFUSED_FIELD_NUMBER: _ClassVar[int]
    match: RuleMatch
    refused: str
    def __init__(self, match: _Optional[_Union[RuleMatch, _Mapping]] = ..., refused: _Optional[str] = ...) -> None: ...

class RuleMatch(_message.Message):
    __slots__ = ("category", "subcategory", "rule_index", "matcher", "where", "text", "trust", "container", "pack", "rule")
    CATEGORY_FIELD_NUMBER: _ClassVar[int]
    SUBCATEGORY_FIELD_NUMBER: _ClassVar[int]
    RULE_INDEX_FIELD_NUMBER: _ClassVar[int]
    MATCHER_FIELD_NUMBER: _ClassVar[int]
    WHERE_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TRUST_FIELD_NUMBER: _ClassVar[int]
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    PACK_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    category: str
    subcategory: str
    rule_index: int
    matcher: str
    where: str
    text: str
    trust: Trust
    container: str
    pack: str
    rule: str
    def __init__(self, category: _Optional[str] = ..., subcategory: _Optional[str] = ..., rule_index: _Optional[int] = ..., matcher: _Optional[str] = ..., where: _Optional[str] = ..., text: _Optional[str] = ..., trust: _Optional[_Union[Trust, str]] = ..., container: _Optional[str] = ..., pack: _Optional[str] = ..., rule: _Optional[str] = ...) -> None: ...

class UserCode(_message.Message):
    __slots__ = ("ran", "culprit_is_users", "reason")
    RAN_FIELD_NUMBER: _ClassVar[int]
    CULPRIT_IS_USERS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    ran: Tristate
    culprit_is_users: Tristate
    reason: str
    def __init__(self, ran: _Optional[_Union[Tristate, str]] = ..., culprit_is_users: _Optional[_Union[Tristate, str]] = ..., reason: _Optional[str] = ...) -> None: ...

class PodSnapshot(_message.Message):
    __slots__ = ("phase", "reason", "message", "qos_class", "start_time", "conditions", "containers", "deletion_time", "restart_policy", "controller")
    PHASE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    QOS_CLASS_FIELD_NUMBER: _ClassVar[int]
    START_TIME_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    CONTAINERS_FIELD_NUMBER: _ClassVar[int]
    DELETION_TIME_FIELD_NUMBER: _ClassVar[int]
    RESTART_POLICY_FIELD_NUMBER: _ClassVar[int]
    CONTROLLER_FIELD_NUMBER: _ClassVar[int]
    phase: str
    reason: str
    message: str
    qos_class: str
    start_time: _timestamp_pb2.Timestamp
    conditions: _containers.RepeatedCompositeFieldContainer[Condition]
    containers: _containers.RepeatedCompositeFieldContainer[ContainerSnapshot]
    deletion_time: _timestamp_pb2.Timestamp
    restart_policy: str
    controller: str
    def __init__(self, phase: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., qos_class: _Optional[str] = ..., start_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., conditions: _Optional[_Iterable[_Union[Condition, _Mapping]]] = ..., containers: _Optional[_Iterable[_Union[ContainerSnapshot, _Mapping]]] = ..., deletion_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., restart_policy: _Optional[str] = ..., controller: _Optional[str] = ...) -> None: ...

class Condition(_message.Message):
    __slots__ = ("type", "status", "reason", "message", "last_transition_time", "last_heartbeat_time")
    TYPE_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    LAST_TRANSITION_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_HEARTBEAT_TIME_FIELD_NUMBER: _ClassVar[int]
    type: str
    status: str
    reason: str
    message: str
    last_transition_time: _timestamp_pb2.Timestamp
    last_heartbeat_time: _timestamp_pb2.Timestamp
    def __init__(self, type: _Optional[str] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., last_transition_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_heartbeat_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class ContainerSnapshot(_message.Message):
    __slots__ = ("name", "kind", "injected", "image", "state", "last_state", "restart_count", "ready", "ended")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    INJECTED_FIELD_NUMBER: _ClassVar[int]
    IMAGE_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    LAST_STATE_FIELD_NUMBER: _ClassVar[int]
    RESTART_COUNT_FIELD_NUMBER: _ClassVar[int]
    READY_FIELD_NUMBER: _ClassVar[int]
    ENDED_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: ContainerKind
    injected: Tristate
    image: str
    state: ContainerState
    last_state: ContainerState
    restart_count: int
    ready: bool
    ended: EndedState
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[ContainerKind, str]] = ..., injected: _Optional[_Union[Tristate, str]] = ..., image: _Optional[str] = ..., state: _Optional[_Union[ContainerState, _Mapping]] = ..., last_state: _Optional[_Union[ContainerState, _Mapping]] = ..., restart_count: _Optional[int] = ..., ready: _Optional[bool] = ..., ended: _Optional[_Union[EndedState, str]] = ...) -> None: ...

class ContainerState(_message.Message):
    __slots__ = ("kind", "reason", "message", "exit_code", "signal", "started_at", "finished_at")
    KIND_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    EXIT_CODE_FIELD_NUMBER: _ClassVar[int]
    SIGNAL_FIELD_NUMBER: _ClassVar[int]
    STARTED_AT_FIELD_NUMBER: _ClassVar[int]
    FINISHED_AT_FIELD_NUMBER: _ClassVar[int]
    kind: StateKind
    reason: str
    message: str
    exit_code: int
    signal: int
    started_at: _timestamp_pb2.Timestamp
    finished_at: _timestamp_pb2.Timestamp
    def __init__(self, kind: _Optional[_Union[StateKind, str]] = ..., reason: _Optional[str] = ..., message: _Optional[str] = ..., exit_code: _Optional[int] = ..., signal: _Optional[int] = ..., started_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., finished_at: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class NodeSnapshot(_message.Message):
    __slots__ = ("name", "conditions", "taints", "unschedulable", "log_lines")
    NAME_FIELD_NUMBER: _ClassVar[int]
    CONDITIONS_FIELD_NUMBER: _ClassVar[int]
    TAINTS_FIELD_NUMBER: _ClassVar[int]
    UNSCHEDULABLE_FIELD_NUMBER: _ClassVar[int]
    LOG_LINES_FIELD_NUMBER: _ClassVar[int]
    name: str
    conditions: _containers.RepeatedCompositeFieldContainer[Condition]
    taints: _containers.RepeatedCompositeFieldContainer[Taint]
    unschedulable: bool
    log_lines: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, name: _Optional[str] = ..., conditions: _Optional[_Iterable[_Union[Condition, _Mapping]]] = ..., taints: _Optional[_Iterable[_Union[Taint, _Mapping]]] = ..., unschedulable: _Optional[bool] = ..., log_lines: _Optional[_Iterable[str]] = ...) -> None: ...

class Taint(_message.Message):
    __slots__ = ("key", "value", "effect", "time_added")
    KEY_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    EFFECT_FIELD_NUMBER: _ClassVar[int]
    TIME_ADDED_FIELD_NUMBER: _ClassVar[int]
    key: str
    value: str
    effect: str
    time_added: _timestamp_pb2.Timestamp
    def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ..., effect: _Optional[str] = ..., time_added: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ...) -> None: ...

class PodEvent(_message.Message):
    __slots__ = ("reason", "message", "type", "count", "first_time", "last_time", "component")
    REASON_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    FIRST_TIME_FIELD_NUMBER: _ClassVar[int]
    LAST_TIME_FIELD_NUMBER: _ClassVar[int]
    COMPONENT_FIELD_NUMBER: _ClassVar[int]
    reason: str
    message: str
    type: str
    count: int
    first_time: _timestamp_pb2.Timestamp
    last_time: _timestamp_pb2.Timestamp
    component: str
    def __init__(self, reason: _Optional[str] = ..., message: _Optional[str] = ..., type: _Optional[str] = ..., count: _Optional[int] = ..., first_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., last_time: _Optional[_Union[datetime.datetime, _timestamp_pb2.Timestamp, _Mapping]] = ..., component: _Optional[str] = ...) -> None: ...

class StackTraceSummary(_message.Message):
    __slots__ = ("tail", "key_line", "line_count", "candidates")
    TAIL_FIELD_NUMBER: _ClassVar[int]
    KEY_LINE_FIELD_NUMBER: _ClassVar[int]
    LINE_COUNT_FIELD_NUMBER: _ClassVar[int]
    CANDIDATES_FIELD_NUMBER: _ClassVar[int]
    tail: str
    key_line: str
    line_count: int
    candidates: _containers.RepeatedCompositeFieldContainer[KeyLine]
    def __init__(self, tail: _Optional[str] = ..., key_line: _Optional[str] = ..., line_count: _Optional[int] = ..., candidates: _Optional[_Iterable[_Union[KeyLine, _Mapping]]] = ...) -> None: ...

class KeyLine(_message.Message):
    __slots__ = ("text", "why")
    TEXT_FIELD_NUMBER: _ClassVar[int]
    WHY_FIELD_NUMBER: _ClassVar[int]
    text: str
    why: str
    def __init__(self, text: _Optional[str] = ..., why: _Optional[str] = ...) -> None: ...

class LogTail(_message.Message):
    __slots__ = ("container", "text", "previous")
    CONTAINER_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_FIELD_NUMBER: _ClassVar[int]
    container: str
    text: str
    previous: bool
    def __init__(self, container: _Optional[str] = ..., text: _Optional[str] = ..., previous: _Optional[bool] = ...) -> None: ...

class MissingEvidence(_message.Message):
    __slots__ = ("what", "reason")
    WHAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    what: str
    reason: str
    def __init__(self, what: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...
