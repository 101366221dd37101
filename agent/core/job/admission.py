"""What the API server removes from a Job while a feature gate is off (strategy.go, ``PrepareForCreate``)."""

from dataclasses import replace

from agent.core.job.gates import Gates
from agent.core.job.words import FAIL_INDEX, JobSpec, PolicyRule


def admitted(spec: JobSpec, *, gates: Gates, before: JobSpec | None = None) -> JobSpec:
    """Return the spec, which has its defaults, without the fields whose gates are off.

    An updated Job keeps those that ``before`` had. Defaults are applied earlier: ``backoffLimit`` stays unlimited if
    ``backoffLimitPerIndex`` was removed.
    """
    old = JobSpec() if before is None else before
    if not gates.backoff_limit_per_index:
        spec = replace(
            spec,
            backoff_limit_per_index=None if old.backoff_limit_per_index is None else spec.backoff_limit_per_index,
            max_failed_indexes=None if old.max_failed_indexes is None else spec.max_failed_indexes,
            pod_failure_policy=spec.pod_failure_policy if before else _without_fail_index(spec.pod_failure_policy),
        )
    if not gates.success_policy and old.success_policy is None:
        spec = replace(spec, success_policy=None)
    if not gates.pod_replacement_policy and old.pod_replacement_policy is None:
        spec = replace(spec, pod_replacement_policy=None)
    if not gates.managed_by and before is None:
        spec = replace(spec, managed_by=None)
    return spec


def _without_fail_index(policy: tuple[PolicyRule, ...] | None) -> tuple[PolicyRule, ...] | None:
    return None if policy is None else tuple(rule for rule in policy if rule.action != FAIL_INDEX)
