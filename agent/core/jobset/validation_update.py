"""What is refused when a JobSet's spec changes (B2, ``ValidateUpdate`` and the rules of its schema)."""

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
    yield from (invalid(f"spec.{field}", STRUCT, _BY_SCHEMA) for field, one, before in by_schema if one != before)
    queued = new.suspended or old.suspended
    if [_kept(one, queued=queued) for one in new.replicated_jobs] != [
        _kept(one, queued=queued) for one in old.replicated_jobs
    ]:
        yield invalid("spec.replicatedJobs", STRUCT, _BY_WEBHOOK)
    if new.managed_by != old.managed_by:
        shown: Value = STRUCT if new.managed_by is None else new.managed_by
        yield invalid("spec.managedBy", shown, _BY_WEBHOOK)


def _kept(one: ReplicatedJob, *, queued: bool) -> tuple[str, int, object]:
    """The immutable part of a replicated job."""
    return one.name, one.replicas, _without(one.written) if queued else one.written


def _without(written: Mapping[str, object]) -> dict[str, object]:
    """A Job's template without the parts that a queue may change."""
    job = _mapping(written.get("spec"))
    pod = _mapping(job.get("template"))
    metadata = {key: value for key, value in _mapping(pod.get("metadata")).items() if key not in _OF_TEMPLATE}
    spec = {key: value for key, value in _mapping(pod.get("spec")).items() if key not in _OF_POD}
    return {**written, "spec": {**job, "template": {**pod, "metadata": metadata, "spec": spec}}}


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, Mapping) else {}
