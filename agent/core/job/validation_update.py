"""What the API server refuses when a Job's spec changes (A2.1, ``ValidateJobSpecUpdate``)."""

from collections.abc import Iterator

from agent.core.job.field_error import STRUCT, FieldError, Value, invalid
from agent.core.job.validation import validate_spec
from agent.core.job.words import JobSpec

_IMMUTABLE = "field is immutable"


def validate_update(new: JobSpec, old: JobSpec) -> tuple[FieldError, ...]:
    """Return every error of a changed spec: those of the new one, then what may not change.

    Both have their defaults. The template of a suspended Job is held to be immutable here too: what of it may then
    change is resources and scheduling, which decisions do not read.
    """
    return (*validate_spec(new), *_changes(new, old))


def _changes(new: JobSpec, old: JobSpec) -> Iterator[FieldError]:
    yield from _completions(new, old)
    if new.manual_selector != old.manual_selector:
        yield invalid("spec.selector", STRUCT, _IMMUTABLE)
    if new.template != old.template:
        yield invalid("spec.template", STRUCT, _IMMUTABLE)
    pairs: tuple[tuple[str, object, object], ...] = (
        ("completionMode", new.completion_mode, old.completion_mode),
        ("podFailurePolicy", new.pod_failure_policy, old.pod_failure_policy),
        ("backoffLimitPerIndex", new.backoff_limit_per_index, old.backoff_limit_per_index),
        ("managedBy", new.managed_by, old.managed_by),
        ("successPolicy", new.success_policy, old.success_policy),
    )
    for name, value, before in pairs:
        if value != before:
            yield invalid(f"spec.{name}", _shown(value), _IMMUTABLE)


def _completions(new: JobSpec, old: JobSpec) -> Iterator[FieldError]:
    """Immutable for NonIndexed; of Indexed it changes together with ``parallelism`` (``validateCompletions``)."""
    if new.completions == old.completions:
        return
    shown = _shown(new.completions)
    if not new.indexed:
        yield invalid("spec.completions", shown, _IMMUTABLE)
    elif new.completions is not None and new.completions != new.parallelism:
        yield invalid("spec.completions", shown, "can only be modified in tandem with spec.parallelism")


def _shown(value: object) -> Value:
    return value if isinstance(value, int | str) else STRUCT
