"""The types of a Job manifest. Enumerations stay text, because a newer server may use unknown values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

MAX_INT32 = 2**31 - 1

INDEXED = "Indexed"
NON_INDEXED = "NonIndexed"

FAILED_ONLY = "Failed"
TERMINATING_OR_FAILED = "TerminatingOrFailed"

NEVER = "Never"
ON_FAILURE = "OnFailure"

COUNT = "Count"
FAIL_INDEX = "FailIndex"
FAIL_JOB = "FailJob"
IGNORE = "Ignore"

IN = "In"
NOT_IN = "NotIn"

JOB_CONTROLLER = "kubernetes.io/job-controller"
TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCodes:
    """``onExitCodes``; without ``container_name`` any container. ``values`` is ``None`` if not set."""

    operator: str = ""
    values: tuple[int, ...] | None = None
    container_name: str | None = None

    def takes(self, code: int) -> bool:
        """Return whether the operator and the values match a code; an unknown operator matches none."""
        within = code in (self.values or ())
        return within if self.operator == IN else self.operator == NOT_IN and not within


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPattern:
    """One of ``onPodConditions``. The status is empty without defaulting."""

    type: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """One rule of ``podFailurePolicy``."""

    action: str = ""
    exit_codes: ExitCodes | None = None
    pod_conditions: tuple[ConditionPattern, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SuccessRule:
    """One rule of ``successPolicy``."""

    succeeded_indexes: str | None = None
    succeeded_count: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """The parts of the pod template that decisions need; ``written`` is all of it, to detect changes in an update."""

    restart_policy: str = ""
    container_names: tuple[str, ...] = ()
    written: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """``spec`` of a Job. ``None`` is a field that is not set; seconds are whole seconds."""

    parallelism: int | None = None
    completions: int | None = None
    active_deadline_seconds: int | None = None
    backoff_limit: int | None = None
    backoff_limit_per_index: int | None = None
    max_failed_indexes: int | None = None
    ttl_seconds_after_finished: int | None = None
    completion_mode: str | None = None
    suspend: bool | None = None
    managed_by: str | None = None
    manual_selector: bool | None = None
    selector: Mapping[str, object] | None = None
    pod_replacement_policy: str | None = None
    pod_failure_policy: tuple[PolicyRule, ...] | None = None
    success_policy: tuple[SuccessRule, ...] | None = None
    template: Template = field(default_factory=Template)

    @property
    def indexed(self) -> bool:
        """Whether pods have a completion index."""
        return self.completion_mode == INDEXED

    @property
    def suspended(self) -> bool:
        """Whether the Job should have no pods for now."""
        return self.suspend is True
