"""What is refused when a JobSet's spec changes (``ValidateUpdate`` and the rules of its schema)."""

from collections.abc import Iterator, Mapping

from agent.core.job.field_error import STRUCT, FieldError, Value, invalid
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.jobset.validation import validate
from agent.core.jobset.words import JobSetSpec, ReplicatedJob

_BY_SCHEMA = "Value is immutable"
_BY_WEBHOOK = "field is immutable"

_OF_TEMPLATE = ("annotations", "labels")
_OF_POD = ("nodeSelector", "tolerations", "schedulingGates")


def validate_update(name: str, new: JobSetSpec, old: JobSetSpec, *, gates: Gates = ALL_OFF) -> tuple[FieldError, ...]:
    """Return every error of a changed spec: those of the new one, then changes of immutable fields.

       Both have their defaults. ``suspend`` and ``ttlSecondsAfterFinished`` may change. While the JobSet is suspended
    or becomes suspended, the parts of pod templates that a queue sets may change: annotations, labels, node selectors,
    tolerations and scheduling gates.
    """
    return (*validate(name, new, gates=gates), *_changes(new, old))


def _changes(new: JobSetSpec, old: JobSetSpec) -> Iterator[FieldError]:
    by_schema = (
        ("successPolicy", new.success_policy, old.success_policy),
        ("failurePolicy", new.failure_policy, old.failure_policy),
        ("startupPolicy", new.startup_order, old.startup_order),
    )
    yield from (invalid(f"spec.{field}", STRUCT, _BY_SCHEMA) for field, after, before in by_schema if after != before)
    queued = new.suspended or old.suspended
    if [_kept(replicated, queued=queued) for replicated in new.replicated_jobs] != [
        _kept(replicated, queued=queued) for replicated in old.replicated_jobs
    ]:
        yield invalid("spec.replicatedJobs", STRUCT, _BY_WEBHOOK)
    if new.managed_by != old.managed_by:
        shown: Value = STRUCT if new.managed_by is None else new.managed_by
        yield invalid("spec.managedBy", shown, _BY_WEBHOOK)


def _kept(replicated: ReplicatedJob, *, queued: bool) -> tuple[str, int, object]:
    """The immutable part of a replicated job."""
    return replicated.name, replicated.replicas, _without(replicated.written) if queued else replicated.written


def _without(written: Mapping[str, object]) -> dict[str, object]:
    """A Job's template without the parts that a queue may change."""
    job = _mapping(written.get("spec"))
    pod = _mapping(job.get("template"))
    metadata = {key: value for key, value in _mapping(pod.get("metadata")).items() if key not in _OF_TEMPLATE}
    spec = {key: value for key, value in _mapping(pod.get("spec")).items() if key not in _OF_POD}
    return {**written, "spec": {**job, "template": {**pod, "metadata": metadata, "spec": spec}}}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
