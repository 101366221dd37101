"""What is refused in ``failurePolicy`` (``validateFailurePolicy``) and in Jobs restarted in place."""

import re
from collections.abc import Iterator, Sequence

from agent.core.job.field_error import OMITTED, FieldError, invalid, not_supported
from agent.core.job.limits import (
    BACKOFF_LIMIT_EXCEEDED,
    DEADLINE_EXCEEDED,
    FAILED_INDEXES,
    MAX_FAILED_INDEXES_EXCEEDED,
    POD_FAILURE_POLICY,
)
from agent.core.job.words import FAILED_ONLY, MAX_INT32
from agent.core.jobset.gates import Gates
from agent.core.jobset.words import (
    ACTIONS,
    MOST_REPLICAS_RESTARTED_ALONE,
    RESTARTS_OF_ONE_JOB,
    STRATEGIES,
    FailurePolicy,
    JobSetSpec,
    ReplicatedJob,
    Rule,
    canonical,
)

REASONS = (
    BACKOFF_LIMIT_EXCEEDED,
    DEADLINE_EXCEEDED,
    FAILED_INDEXES,
    MAX_FAILED_INDEXES_EXCEEDED,
    POD_FAILURE_POLICY,
)
"""The reasons of a failed Job in the API."""

LONGEST_RULE_NAME = 128

_PATH = "spec.failurePolicy"
_RULE_NAME = re.compile(r"[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?")
_RULE_NAME_SAID = (
    "a failure policy rule name must start with an alphabetic character, optionally followed by a string of "
    "alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'"
)
_GATE_SAID = (
    "RestartJob and RestartJobAndIgnoreMaxRestarts failure policy actions are not allowed when RestartJob feature gate "
    "is disabled"
)
_REPLICAS_SAID = (
    "JobSet cannot have a failure policy rule with RestartJob or RestartJobAndIgnoreMaxRestarts action and a "
    f"replicated job with replicas > {MOST_REPLICAS_RESTARTED_ALONE}"
)


def validate_failure_policy(policy: FailurePolicy, spec: JobSetSpec, *, gates: Gates) -> Iterator[FieldError]:
    """Yield every error of a policy. While the gate RestartJob is off, only a rule that needs it is reported."""
    yield from _of_words(policy)
    alone = [place for place, rule in enumerate(policy.rules) if canonical(rule.action) in RESTARTS_OF_ONE_JOB]
    if alone and not gates.restart_job:
        yield invalid(f"{_PATH}.rules[{alone[0]}].action", OMITTED, _GATE_SAID)
        return
    if alone:
        yield from _too_many_replicas(spec)
    names = {replicated.name for replicated in spec.replicated_jobs}
    for place, rule in enumerate(policy.rules):
        yield from _of_rule(f"{_PATH}.rules[{place}]", rule, names)
    yield from _not_unique(policy.rules)


def validate_in_place(path: str, replicated: ReplicatedJob) -> Iterator[FieldError]:
    """Yield what prevents a Job from being restarted in place."""
    job, when = replicated.spec, "when in-place restart is enabled"
    if job.backoff_limit != MAX_INT32:
        said = f"must be set to {MAX_INT32} (MaxInt32) {when}"
        yield invalid(f"{path}.backoffLimit", OMITTED, f"replicatedJob {replicated.name}: {said}")
    if job.pod_replacement_policy != FAILED_ONLY:
        said = f"must be set to {FAILED_ONLY} {when}"
        yield invalid(f"{path}.podReplacementPolicy", OMITTED, f"replicatedJob {replicated.name}: {said}")
    if job.completions is None or job.completions != job.parallelism:
        said = f"completions and parallelism must be set and equal to each other {when}"
        yield invalid(f"{path}.completions", OMITTED, f"replicatedJob {replicated.name}: {said}")


def _of_words(policy: FailurePolicy) -> Iterator[FieldError]:
    """What the schema refuses: unknown values, except the name that KEP-262 once had for an action."""
    if policy.strategy and policy.strategy not in STRATEGIES:
        yield not_supported(f"{_PATH}.restartStrategy", policy.strategy, STRATEGIES)
    for place, rule in enumerate(policy.rules):
        if rule.action and canonical(rule.action) not in ACTIONS:
            yield not_supported(f"{_PATH}.rules[{place}].action", rule.action, ACTIONS)


def _too_many_replicas(spec: JobSetSpec) -> Iterator[FieldError]:
    for place, replicated in enumerate(spec.replicated_jobs):
        if replicated.replicas > MOST_REPLICAS_RESTARTED_ALONE:
            yield invalid(f"spec.replicatedJobs[{place}].replicas", OMITTED, _REPLICAS_SAID)
            return


def _of_rule(path: str, rule: Rule, names: set[str]) -> Iterator[FieldError]:
    size = len(rule.name.encode())
    if not 1 <= size <= LONGEST_RULE_NAME:
        said = f"must be at least 1 characters long and at most {LONGEST_RULE_NAME} characters long"
        detail = f"invalid failure policy rule name of length {size}, the rule name {said}"
        yield invalid(f"{path}.name", OMITTED, detail)
    if not _RULE_NAME.fullmatch(rule.name):
        yield invalid(f"{path}.name", OMITTED, f"invalid failure policy rule name '{rule.name}', {_RULE_NAME_SAID}")
    for place, target in enumerate(rule.targets):
        if target not in names:
            said = f"invalid replicatedJob name '{target}' in failure policy does not appear in .spec.ReplicatedJobs"
            yield invalid(f"{path}.targetReplicatedJobs[{place}]", OMITTED, said)
    for place, reason in enumerate(rule.reasons):
        if reason not in REASONS:
            said = f"invalid job failure reason '{reason}' in failure policy is not a recognized job failure reason"
            yield invalid(f"{path}.onJobFailureReasons[{place}]", OMITTED, said)


def _not_unique(rules: Sequence[Rule]) -> Iterator[FieldError]:
    for name in dict.fromkeys(rule.name for rule in rules):
        places = [place for place, rule in enumerate(rules) if rule.name == name]
        if len(places) > 1:
            shown = " ".join(str(place) for place in places)
            said = f"rule names are not unique, rules with indices [{shown}] all have the same name '{name}'"
            yield invalid(f"{_PATH}.rules[{places[1]}].name", OMITTED, said)
