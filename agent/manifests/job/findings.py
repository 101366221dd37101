"""Findings about valid Jobs for which Kubernetes does something unexpected (docs/jobs.md)."""

from collections.abc import Iterator

from agent.core.job.manifest import JobManifest
from agent.core.job.words import FAILED_ONLY, PolicyRule
from agent.documents.checked import Finder
from agent.documents.node import Node
from agent.documents.source import Fault
from agent.manifests.job.annotations import RULES
from agent.manifests.job.conditions import hidden_conditions

DISRUPTED = ("DisruptionTarget", "True")
CODES_OF_DISRUPTION = (137, 143)
"""Exit codes that pods usually show when they are disrupted: SIGKILL and SIGTERM."""


def findings(job: JobManifest, root: Node) -> Iterator[Fault]:
    """Yield the findings about a Job without errors."""
    finder = Finder(root=root)
    yield from _hidden_disruptions(job.spec.pod_failure_policy or (), finder)
    yield from hidden_conditions(job.spec.pod_failure_policy or (), finder)
    if job.rules and job.spec.pod_replacement_policy != FAILED_ONLY:
        message = "a pod that is being deleted counts as failed at once, before these rules apply"
        hint = "write `podReplacementPolicy: Failed`"
        yield finder.finding("rules-too-late", message, at=("metadata", "annotations", RULES), hint=hint)


def _hidden_disruptions(rules: tuple[PolicyRule, ...], finder: Finder) -> Iterator[Fault]:
    """Yield rules on exit codes before the rule for disrupted pods: such pods end with these codes too."""
    for place, rule in enumerate(rules):
        codes = [code for code in CODES_OF_DISRUPTION if rule.exit_codes is not None and rule.exit_codes.takes(code)]
        later = [other for other in rules[place + 1 :] if _is_about_disruptions(other) and other.action != rule.action]
        if codes and later:
            shown = " and ".join(str(code) for code in codes)
            message = f"disrupted pods also end with {shown}, so this rule hides the later one for DisruptionTarget"
            at = ("spec", "podFailurePolicy", "rules", place)
            yield finder.finding("disruption-hidden", message, at=at, hint="put the rule for DisruptionTarget first")


def _is_about_disruptions(rule: PolicyRule) -> bool:
    return rule.exit_codes is None and DISRUPTED in {
        (condition.type, condition.status) for condition in rule.pod_conditions
    }
