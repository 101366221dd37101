"""The API server's defaults (``SetDefaults_Job``)."""

from dataclasses import replace

from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.words import (
    FAILED_ONLY,
    MAX_INT32,
    NON_INDEXED,
    TERMINATING_OR_FAILED,
    JobSpec,
    PolicyRule,
)

BACKOFF_LIMIT = 6


def defaulted(spec: JobSpec, *, gates: Gates = ALL_ON) -> JobSpec:
    """Return the spec with its defaults; values that are set stay, even if validation refuses them later."""
    neither = spec.completions is None and spec.parallelism is None
    unlimited = MAX_INT32 if spec.backoff_limit_per_index is not None else BACKOFF_LIMIT
    return replace(
        spec,
        completions=1 if neither else spec.completions,
        parallelism=1 if spec.parallelism is None else spec.parallelism,
        backoff_limit=unlimited if spec.backoff_limit is None else spec.backoff_limit,
        completion_mode=NON_INDEXED if spec.completion_mode is None else spec.completion_mode,
        suspend=spec.suspend is True,
        manual_selector=spec.manual_selector is True,
        pod_replacement_policy=_replacement(spec, gates),
        pod_failure_policy=_policy(spec.pod_failure_policy),
    )


def _replacement(spec: JobSpec, gates: Gates) -> str | None:
    if spec.pod_replacement_policy is not None or not gates.pod_replacement_policy:
        return spec.pod_replacement_policy
    return TERMINATING_OR_FAILED if spec.pod_failure_policy is None else FAILED_ONLY


def _policy(policy: tuple[PolicyRule, ...] | None) -> tuple[PolicyRule, ...] | None:
    if policy is None:
        return None
    return tuple(
        replace(
            rule,
            pod_conditions=tuple(
                replace(condition, status=condition.status or "True") for condition in rule.pod_conditions
            ),
        )
        for rule in policy
    )
