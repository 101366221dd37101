"""What the API server refuses when a Job's spec changes (``ValidateJobSpecUpdate``), and what a valid change does."""

from collections.abc import Iterator, Mapping

from agent.core.job.counters import Counters, open_job
from agent.core.job.field_error import STRUCT, FieldError, Value, invalid, required
from agent.core.job.status import JobStatus
from agent.core.job.validation import validate_spec
from agent.core.job.words import JobSpec

_IMMUTABLE = "field is immutable"


_DIRECTIVES = ("nodeSelector", "tolerations", "schedulingGates")


def validate_update(new: JobSpec, old: JobSpec, *, status: JobStatus | None = None) -> tuple[FieldError, ...]:
    """Return every error of a changed spec: those of the new one, then changes of immutable fields.

    Both have their defaults. ``status`` is the Job's: the scheduling directives of the template may change while the
    Job is suspended and has never started. Without a status it counts as started.
    """
    begun = status is None or status.start_time is not None
    return (*validate_spec(new), *_changes(new, old, may_move=old.suspended and not begun))


def _changes(new: JobSpec, old: JobSpec, *, may_move: bool) -> Iterator[FieldError]:
    yield from _completions(new, old)
    if new.selector != old.selector:
        yield from _selector(new)
    shown = _without_placement if may_move else dict
    if shown(new.template.written) != shown(old.template.written):
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


def _selector(new: JobSpec) -> Iterator[FieldError]:
    """An omitted selector selects nothing. Whether a selector selects the template's pods is not checked."""
    if new.selector is None:
        yield required("spec.selector", "")
        yield invalid("spec.template.metadata.labels", STRUCT, "`selector` does not match template `labels`")
    yield invalid("spec.selector", STRUCT, _IMMUTABLE)


def _without_placement(template: Mapping[str, object]) -> dict[str, object]:
    """A template without its scheduling directives (KEP-2926): labels and annotations are among them."""
    spec, metadata = _mapping(template.get("spec")), _mapping(template.get("metadata"))
    affinity = {key: value for key, value in _mapping(spec.get("affinity")).items() if key != "nodeAffinity"}
    kept = {key: value for key, value in spec.items() if key not in (*_DIRECTIVES, "affinity")}
    named = {key: value for key, value in metadata.items() if key not in ("labels", "annotations")}
    return {**template, "metadata": named, "spec": {**kept, "affinity": affinity}}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}


def _completions(new: JobSpec, old: JobSpec) -> Iterator[FieldError]:
    """Immutable if NonIndexed; if Indexed it changes together with ``parallelism`` (``validateCompletions``)."""
    if new.completions == old.completions:
        return
    shown = _shown(new.completions)
    if not new.indexed:
        yield invalid("spec.completions", shown, _IMMUTABLE)
    elif new.completions is not None and new.completions != new.parallelism:
        yield invalid("spec.completions", shown, "can only be modified in tandem with spec.parallelism")


def _shown(value: object) -> Value:
    return value if isinstance(value, int | str) else STRUCT


def amend(counters: Counters, spec: JobSpec) -> Counters:
    """Return the counters for a changed spec, which has its defaults and passed ``validate_update``.

    Free unless ``completions`` or ``podReplacementPolicy`` changed; then the cost depends on what exists. Indexes at or
    above ``completions`` are forgotten, as when the Job controller reads the status, and run again if it grows
    again; the new policy decides whether pods that are being deleted have failed.
    """
    before = counters.spec
    if (spec.completions, spec.pod_replacement_policy) == (before.completions, before.pod_replacement_policy):
        counters.spec = spec
        return counters
    after = open_job(
        spec,
        status=counters.report(),
        pods=counters.pods.values(),
        gates=counters.gates,
        choices=counters.choices,
        pace=counters.pace,
        record=counters.record,
    )
    after.released = counters.released
    after.status_current = after.status_current and counters.status_current
    return after
