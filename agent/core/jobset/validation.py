"""What is refused when a JobSet is created: by its schema, its webhook, and in its Jobs, with upstream's texts.

Most errors of upstream's webhook have no path; here each has the path of its field.
"""

import re
from collections.abc import Iterator

from agent.core.job.defaults import defaulted
from agent.core.job.field_error import OMITTED, FieldError, Sort, invalid, not_negative, not_supported
from agent.core.job.validation import validate_spec
from agent.core.job.words import INDEXED, MAX_INT32
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.jobset.naming import job_name
from agent.core.jobset.validation_policy import validate_failure_policy, validate_in_place
from agent.core.jobset.words import ACTIONS, ALL, ANY, ANY_ORDER, IN_ORDER, IN_PLACE, JobSetSpec, ReplicatedJob

_LABEL = "[a-z]([-a-z0-9]*[a-z0-9])?"
_LABEL_SAID = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    f"and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '{_LABEL}')"
)
_LONGEST_LABEL = 63
_POD_SUFFIX = "-abcde"
"""The length of the suffix that the API server adds to a pod's name."""


def validate(name: str, spec: JobSetSpec, *, gates: Gates = ALL_OFF) -> tuple[FieldError, ...]:
    """Return every error of a JobSet, which has its defaults: of the JobSet, then of each template as a Job."""
    return (*_of_schema(spec), *validate_webhook(name, spec, gates=gates), *_of_jobs(spec))


def validate_webhook(name: str, spec: JobSetSpec, *, gates: Gates = ALL_OFF) -> Iterator[FieldError]:
    """Yield what JobSet's webhook refuses (``ValidateCreate``)."""
    if not gates.in_place_restart and spec.strategy == IN_PLACE:
        said = "InPlaceRestart restart strategy cannot be set when InPlaceRestart feature gate is disabled"
        yield invalid("spec.failurePolicy.restartStrategy", OMITTED, said)
    for place, replicated in enumerate(spec.replicated_jobs):
        path = f"spec.replicatedJobs[{place}]"
        yield from _of_names(path, name, replicated)
        if gates.in_place_restart and spec.strategy == IN_PLACE:
            yield from validate_in_place(f"{path}.template.spec", replicated)
    names = {replicated.name for replicated in spec.replicated_jobs}
    for place, target in enumerate(spec.success_policy.targets if spec.success_policy else ()):
        if target not in names:
            said = f"invalid replicatedJob name '{target}' does not appear in .spec.ReplicatedJobs"
            yield invalid(f"spec.successPolicy.targetReplicatedJobs[{place}]", OMITTED, said)
    if spec.failure_policy is not None:
        yield from validate_failure_policy(spec.failure_policy, spec, gates=gates)


def _of_schema(spec: JobSetSpec) -> Iterator[FieldError]:
    yield from not_negative("spec.ttlSecondsAfterFinished", spec.ttl_seconds_after_finished)
    if spec.success_policy is not None and spec.success_policy.operator not in (ALL, ANY):
        yield not_supported("spec.successPolicy.operator", spec.success_policy.operator, (ALL, ANY))
    if spec.startup_order not in (None, ANY_ORDER, IN_ORDER):
        path = "spec.startupPolicy.startupPolicyOrder"
        yield not_supported(path, spec.startup_order or "", (ANY_ORDER, IN_ORDER))
    for place, rule in enumerate(spec.failure_policy.rules if spec.failure_policy else ()):
        if not rule.action:
            yield not_supported(f"spec.failurePolicy.rules[{place}].action", rule.action, ACTIONS)
    seen: set[str] = set()
    for place, replicated in enumerate(spec.replicated_jobs):
        yield from not_negative(f"spec.replicatedJobs[{place}].replicas", replicated.replicas)
        if replicated.name in seen:
            yield FieldError(sort=Sort.DUPLICATE, field=f"spec.replicatedJobs[{place}].name", value=replicated.name)
        seen.add(replicated.name)


def _of_names(path: str, name: str, replicated: ReplicatedJob) -> Iterator[FieldError]:
    """Names of Jobs and pods are labels; the last one of each is the longest."""
    parallelism = 1 if replicated.spec.parallelism is None else replicated.spec.parallelism
    if parallelism * replicated.replicas > MAX_INT32:
        said = (
            f"the product of replicas and parallelism must not exceed {MAX_INT32} for replicatedJob '{replicated.name}'"
        )
        yield invalid(f"{path}.replicas", OMITTED, said)
    job = job_name(name, replicated.name, max(0, replicated.replicas - 1))
    yield from _label_faults(f"{path}.name", job, shown=job, what="job")
    if replicated.spec.completion_mode == INDEXED and replicated.spec.completions is not None:
        pod = f"{job}-{max(0, replicated.spec.completions - 1)}{_POD_SUFFIX}"
        yield from _label_faults(f"{path}.name", pod, shown=job, what="pod")


def _label_faults(path: str, label: str, *, shown: str, what: str) -> Iterator[FieldError]:
    if len(label) > _LONGEST_LABEL:
        said = (
            f"JobSet name is too long, {what} names generated for this JobSet will exceed {_LONGEST_LABEL} characters"
        )
        yield invalid(path, shown, said)
    if not re.fullmatch(_LABEL, label):
        yield invalid(path, shown, _LABEL_SAID)


def _of_jobs(spec: JobSetSpec) -> Iterator[FieldError]:
    """What the API server refuses when it creates the Job; upstream accepts such a JobSet and fails later."""
    for place, replicated in enumerate(spec.replicated_jobs):
        prefix = f"spec.replicatedJobs[{place}].template."
        for error in validate_spec(defaulted(replicated.spec)):
            yield FieldError(sort=error.sort, field=f"{prefix}{error.field}", value=error.value, detail=error.detail)
