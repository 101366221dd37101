"""What the API server refuses when a Job is created (``validateJobSpec``), in its order and wording."""

from collections.abc import Iterator

from agent.core.job.field_error import (
    STRUCT,
    FieldError,
    invalid,
    not_negative,
    not_supported,
    quoted,
    required,
    too_long,
)
from agent.core.job.validation_name import validate_domain_prefixed_path
from agent.core.job.validation_policy import validate_pod_failure_policy, validate_success_policy
from agent.core.job.words import (
    FAILED_ONLY,
    INDEXED,
    NEVER,
    NON_INDEXED,
    ON_FAILURE,
    TERMINATING_OR_FAILED,
    JobSpec,
)

MOST_PARALLELISM = 100_000
MOST_FAILED_INDEXES = 100_000
SOFT_COMPLETIONS = 100_000
MOST_PARALLELISM_ABOVE = 10_000
MOST_FAILED_INDEXES_ABOVE = 10_000
LONGEST_MANAGED_BY = 63


def validate_spec(spec: JobSpec) -> tuple[FieldError, ...]:
    """Return every error of a spec, in the API server's order. Of the pod template it checks what Jobs need."""
    return tuple(_errors(spec))


def _errors(spec: JobSpec) -> Iterator[FieldError]:
    yield from _numbers(spec)
    if spec.managed_by is not None:
        yield from validate_domain_prefixed_path("spec.managedBy", spec.managed_by)
        if len(spec.managed_by) > LONGEST_MANAGED_BY:
            yield too_long("spec.managedBy", LONGEST_MANAGED_BY)
    yield from _completion_mode(spec)
    if spec.completion_mode in (None, NON_INDEXED):
        yield from _not_indexed(spec)
    if spec.pod_failure_policy is not None:
        yield from validate_pod_failure_policy(spec.pod_failure_policy, spec)
    if spec.success_policy is not None:
        if spec.indexed:
            yield from validate_success_policy(spec.success_policy, spec)
        else:
            yield invalid("spec.successPolicy", STRUCT, "requires indexed completion mode")
    yield from _replacement(spec)
    yield from _restart_policy(spec)


def _numbers(spec: JobSpec) -> Iterator[FieldError]:
    yield from not_negative("spec.parallelism", spec.parallelism)
    yield from not_negative("spec.completions", spec.completions)
    yield from not_negative("spec.activeDeadlineSeconds", spec.active_deadline_seconds)
    yield from not_negative("spec.backoffLimit", spec.backoff_limit)
    yield from not_negative("spec.ttlSecondsAfterFinished", spec.ttl_seconds_after_finished)
    yield from not_negative("spec.backoffLimitPerIndex", spec.backoff_limit_per_index)
    yield from not_negative("spec.maxFailedIndexes", spec.max_failed_indexes)
    if spec.max_failed_indexes is not None and spec.backoff_limit_per_index is None:
        yield required("spec.backoffLimitPerIndex", "when maxFailedIndexes is specified")


def _completion_mode(spec: JobSpec) -> Iterator[FieldError]:
    if spec.completion_mode not in (None, NON_INDEXED, INDEXED):
        yield not_supported("spec.completionMode", spec.completion_mode or "", (NON_INDEXED, INDEXED))
    if not spec.indexed:
        return
    if spec.completions is None:
        yield required("spec.completions", f"when completion mode is {INDEXED}")
    most = f"must be less than or equal to {MOST_PARALLELISM} when completion mode is {INDEXED}"
    if spec.parallelism is not None and spec.parallelism > MOST_PARALLELISM:
        yield invalid("spec.parallelism", spec.parallelism, most)
    failed = spec.max_failed_indexes
    if failed is not None and spec.completions is not None and failed > spec.completions:
        yield invalid("spec.maxFailedIndexes", failed, "must be less than or equal to completions")
    if failed is not None and failed > MOST_FAILED_INDEXES:
        yield invalid("spec.maxFailedIndexes", failed, f"must be less than or equal to {MOST_FAILED_INDEXES}")
    if spec.backoff_limit_per_index is not None and (spec.completions or 0) > SOFT_COMPLETIONS:
        yield from _many_completions(spec)


def _many_completions(spec: JobSpec) -> Iterator[FieldError]:
    above = f"when completions are above {SOFT_COMPLETIONS} and used with backoff limit per index"
    if spec.max_failed_indexes is None:
        yield required("spec.maxFailedIndexes", f"must be specified when completions is above {SOFT_COMPLETIONS}")
    if spec.parallelism is not None and spec.parallelism > MOST_PARALLELISM_ABOVE:
        detail = f"must be less than or equal to {MOST_PARALLELISM_ABOVE} {above}"
        yield invalid("spec.parallelism", spec.parallelism, detail)
    if spec.max_failed_indexes is not None and spec.max_failed_indexes > MOST_FAILED_INDEXES_ABOVE:
        detail = f"must be less than or equal to {MOST_FAILED_INDEXES_ABOVE} {above}"
        yield invalid("spec.maxFailedIndexes", spec.max_failed_indexes, detail)


def _not_indexed(spec: JobSpec) -> Iterator[FieldError]:
    if spec.backoff_limit_per_index is not None:
        yield invalid("spec.backoffLimitPerIndex", spec.backoff_limit_per_index, "requires indexed completion mode")
    if spec.max_failed_indexes is not None:
        yield invalid("spec.maxFailedIndexes", spec.max_failed_indexes, "requires indexed completion mode")


def _replacement(spec: JobSpec) -> Iterator[FieldError]:
    field, chosen = "spec.podReplacementPolicy", spec.pod_replacement_policy
    known = (FAILED_ONLY,) if spec.pod_failure_policy is not None else (FAILED_ONLY, TERMINATING_OR_FAILED)
    if chosen is not None and chosen not in known:
        yield not_supported(field, chosen, known)


def _restart_policy(spec: JobSpec) -> Iterator[FieldError]:
    field, chosen = "spec.template.spec.restartPolicy", spec.template.restart_policy
    if chosen in ("", "Always"):
        yield required(field, f"valid values: {quoted(ON_FAILURE)}, {quoted(NEVER)}")
    elif chosen not in (ON_FAILURE, NEVER):
        yield not_supported(field, chosen, (ON_FAILURE, NEVER))
    elif spec.pod_failure_policy is not None and chosen != NEVER:
        yield invalid(field, chosen, f"only {quoted(NEVER)} is supported when podFailurePolicy is specified")
