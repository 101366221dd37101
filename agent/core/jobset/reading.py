"""Reads JobSets from plain values, as parsed from JSON or YAML. Missing or invalid values are kept as they are."""

from agent.core.job.plain import Plain, items, mapping, mappings, number, text, truth
from agent.core.job.reading import read_condition, read_spec
from agent.core.jobset.status import JobSetStatus, ReplicatedJobStatus
from agent.core.jobset.words import FailurePolicy, JobSetSpec, ReplicatedJob, Rule, SuccessPolicy


def read_jobset_spec(written: Plain) -> JobSetSpec:
    """Read ``spec`` of a JobSet. Fields that are not implemented are ignored; ``agent.manifests`` refuses them.

    Raises TypeError for a value of the wrong type.
    """
    startup = mapping(written, "startupPolicy")
    return JobSetSpec(
        replicated_jobs=tuple(_replicated(replicated) for replicated in mappings(written, "replicatedJobs")),
        failure_policy=read_failure_policy(mapping(written, "failurePolicy")),
        success_policy=_success(mapping(written, "successPolicy")),
        startup_order=None if startup is None else text(startup, "startupPolicyOrder") or "",
        suspend=truth(written, "suspend"),
        ttl_seconds_after_finished=number(written, "ttlSecondsAfterFinished"),
        managed_by=text(written, "managedBy"),
    )


def read_failure_policy(written: Plain | None) -> FailurePolicy | None:
    """Read ``failurePolicy``. Raises TypeError as above."""
    if written is None:
        return None
    return FailurePolicy(
        max_restarts=number(written, "maxRestarts") or 0,
        strategy=text(written, "restartStrategy") or "",
        rules=tuple(read_rule(rule) for rule in mappings(written, "rules")),
    )


def read_rule(written: Plain) -> Rule:
    """Read one rule of ``failurePolicy``. Raises TypeError as above."""
    return Rule(
        name=text(written, "name") or "",
        action=text(written, "action") or "",
        reasons=_texts(written, "onJobFailureReasons"),
        patterns=_texts(written, "onJobFailureMessagePatterns"),
        targets=_texts(written, "targetReplicatedJobs"),
    )


def read_jobset_status(written: Plain) -> JobSetStatus:
    """Read ``status`` of a JobSet. Raises TypeError as above, ValueError for an invalid time."""
    return JobSetStatus(
        restarts=number(written, "restarts") or 0,
        restarts_counted=number(written, "restartsCountTowardsMax") or 0,
        terminal_state=text(written, "terminalState") or "",
        conditions=tuple(read_condition(condition) for condition in mappings(written, "conditions")),
        replicated_jobs=tuple(
            _replicated_status(replicated) for replicated in mappings(written, "replicatedJobsStatus")
        ),
        previous_in_place_attempt=number(written, "previousInPlaceRestartAttempt"),
        current_in_place_attempt=number(written, "currentInPlaceRestartAttempt"),
    )


def _replicated(written: Plain) -> ReplicatedJob:
    replicas, template = number(written, "replicas"), mapping(written, "template") or {}
    return ReplicatedJob(
        name=text(written, "name") or "",
        replicas=1 if replicas is None else replicas,
        spec=read_spec(mapping(template, "spec") or {}),
        written=template,
    )


def _success(written: Plain | None) -> SuccessPolicy | None:
    if written is None:
        return None
    return SuccessPolicy(operator=text(written, "operator") or "", targets=_texts(written, "targetReplicatedJobs"))


def _replicated_status(written: Plain) -> ReplicatedJobStatus:
    return ReplicatedJobStatus(
        name=text(written, "name") or "",
        ready=number(written, "ready") or 0,
        succeeded=number(written, "succeeded") or 0,
        failed=number(written, "failed") or 0,
        active=number(written, "active") or 0,
        suspended=number(written, "suspended") or 0,
        job_restarts=_counts(written, "jobRestarts"),
        job_restarts_counted=_counts(written, "jobRestartsCountTowardsMax"),
    )


def _counts(written: Plain, key: str) -> tuple[int, ...] | None:
    if written.get(key) is None:
        return None
    counts = tuple(count for count in items(written, key) if isinstance(count, int) and not isinstance(count, bool))
    if len(counts) < len(items(written, key)):
        raise TypeError(f"{key}: expected whole numbers")
    return counts


def _texts(written: Plain, key: str) -> tuple[str, ...]:
    texts = tuple(found for found in items(written, key) if isinstance(found, str))
    if len(texts) < len(items(written, key)):
        raise TypeError(f"{key}: expected texts")
    return texts
