"""The defaults of JobSet's webhook and of the API server (``jobSetWebhook.Default``)."""

from dataclasses import replace

from agent.core.job.words import INDEXED, ON_FAILURE
from agent.core.jobset.words import ALL, ANY_ORDER, RECREATE, FailurePolicy, JobSetSpec, ReplicatedJob, SuccessPolicy


def defaulted(spec: JobSetSpec) -> JobSetSpec:
    """Return the spec with its defaults; values that are set stay, even if validation refuses them later."""
    policy = spec.failure_policy
    return replace(
        spec,
        replicated_jobs=tuple(_template(replicated) for replicated in spec.replicated_jobs),
        failure_policy=None if policy is None else with_rule_names(policy),
        success_policy=SuccessPolicy(operator=ALL) if spec.success_policy is None else spec.success_policy,
        startup_order=ANY_ORDER if spec.startup_order is None else spec.startup_order,
    )


def with_rule_names(policy: FailurePolicy) -> FailurePolicy:
    """Return the policy with a name for each rule, and its strategy."""
    rules = tuple(
        replace(rule, name=rule.name or f"failurePolicyRule{place}") for place, rule in enumerate(policy.rules)
    )
    return replace(policy, rules=rules, strategy=policy.strategy or RECREATE)


def _template(replicated: ReplicatedJob) -> ReplicatedJob:
    """A template with JobSet's own defaults. Those of a Job are applied when the Job is created."""
    spec = replicated.spec
    template = replace(spec.template, restart_policy=spec.template.restart_policy or ON_FAILURE)
    mode = INDEXED if spec.completion_mode is None else spec.completion_mode
    return replace(replicated, spec=replace(spec, completion_mode=mode, template=template))
