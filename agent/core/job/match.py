"""Matches ``podFailurePolicy`` against a failed pod (pod_failure_policy.go)."""

from collections.abc import Sequence

from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.pod import UNMATCHED, JobContainer, JobPod, PolicyMatch
from agent.core.job.words import (
    COUNT,
    FAIL_INDEX,
    FAIL_JOB,
    IGNORE,
    ConditionPattern,
    ExitCodes,
    PolicyRule,
)


def match(policy: Sequence[PolicyRule] | None, pod: JobPod, *, gates: Gates = ALL_ON) -> PolicyMatch:
    """Match a failed pod against a policy; the first rule that matches decides (``matchPodFailurePolicy``).

    A rule with an unknown action, or with FailIndex while its gate is off, is skipped.
    """
    for place, rule in enumerate(policy or ()):
        what = _what_matched(rule, pod)
        if what is None or (rule.action == FAIL_INDEX and not gates.backoff_limit_per_index):
            continue
        if rule.action == FAIL_JOB:
            return PolicyMatch(action=FAIL_JOB, message=f"{what} matching FailJob rule at index {place}", rule=place)
        if rule.action in (IGNORE, FAIL_INDEX, COUNT):
            return PolicyMatch(counts=rule.action != IGNORE, action=rule.action, rule=place)
    return UNMATCHED


def judge(policy: Sequence[PolicyRule] | None, pod: JobPod, *, gates: Gates = ALL_ON) -> PolicyMatch:
    """Return the result of the Job's policy for a failed pod, else of our own rules.

    The policy comes first, so that a Job with rules of ours never contradicts what its manifest says to Kubernetes.
    """
    said = match(policy, pod, gates=gates)
    return pod.ours if said.action is None and pod.ours is not None else said


def match_exit_codes(pod: JobPod, wanted: ExitCodes) -> JobContainer | None:
    """Return the first terminated container that satisfies it; exit code 0 satisfies nothing (``matchOnExitCodes``)."""
    return next((container for container in pod.containers if _satisfies(container, wanted)), None)


def match_conditions(pod: JobPod, patterns: Sequence[ConditionPattern]) -> str | None:
    """Return the type of the pod's first condition that equals a pattern in type and status."""
    wanted = {(pattern.type, pattern.status) for pattern in patterns}
    return next((condition.type for condition in pod.conditions if (condition.type, condition.status) in wanted), None)


def _what_matched(rule: PolicyRule, pod: JobPod) -> str | None:
    """Describe what a rule matches in the pod; ``onExitCodes`` hides ``onPodConditions``."""
    if rule.exit_codes is not None:
        container = match_exit_codes(pod, rule.exit_codes)
        where = f"pod {pod.namespace}/{pod.name}"
        if container is None:
            return None
        return f"Container {container.name} for {where} failed with exit code {container.exit_code}"
    found = match_conditions(pod, rule.pod_conditions)
    return None if found is None else f"Pod {pod.namespace}/{pod.name} has condition {found}"


def _satisfies(container: JobContainer, wanted: ExitCodes) -> bool:
    if container.exit_code is None or container.exit_code == 0:
        return False
    if wanted.container_name is not None and wanted.container_name != container.name:
        return False
    return wanted.takes(container.exit_code)
