"""Reads Jobs from plain values, as parsed from JSON or YAML. Missing or invalid values are kept as they are."""

from agent.core.job.plain import Plain, items, mapping, mappings, moment, number, text, truth
from agent.core.job.status import JobCondition, JobStatus
from agent.core.job.words import ConditionPattern, ExitCodes, JobSpec, PolicyRule, SuccessRule, Template


def read_spec(written: Plain) -> JobSpec:
    """Read ``spec`` of a Job. Fields that decisions do not need are ignored; ``agent.manifests`` refuses unknown ones.

    Raises TypeError for a value of the wrong type.
    """
    return JobSpec(
        parallelism=number(written, "parallelism"),
        completions=number(written, "completions"),
        active_deadline_seconds=number(written, "activeDeadlineSeconds"),
        backoff_limit=number(written, "backoffLimit"),
        backoff_limit_per_index=number(written, "backoffLimitPerIndex"),
        max_failed_indexes=number(written, "maxFailedIndexes"),
        ttl_seconds_after_finished=number(written, "ttlSecondsAfterFinished"),
        completion_mode=text(written, "completionMode"),
        suspend=truth(written, "suspend"),
        managed_by=text(written, "managedBy"),
        manual_selector=truth(written, "manualSelector"),
        selector=mapping(written, "selector"),
        pod_replacement_policy=text(written, "podReplacementPolicy"),
        pod_failure_policy=_policy(mapping(written, "podFailurePolicy")),
        success_policy=_success(mapping(written, "successPolicy")),
        template=_template(mapping(written, "template") or {}),
    )


def read_status(written: Plain) -> JobStatus:
    """Read ``status`` of a Job. Raises TypeError as ``read_spec``, ValueError for an invalid time."""
    uncounted = mapping(written, "uncountedTerminatedPods") or {}
    return JobStatus(
        active=number(written, "active") or 0,
        ready=number(written, "ready"),
        succeeded=number(written, "succeeded") or 0,
        failed=number(written, "failed") or 0,
        terminating=number(written, "terminating"),
        completed_indexes=text(written, "completedIndexes") or "",
        failed_indexes=text(written, "failedIndexes"),
        uncounted_succeeded=tuple(str(uid) for uid in items(uncounted, "succeeded")),
        uncounted_failed=tuple(str(uid) for uid in items(uncounted, "failed")),
        conditions=tuple(read_condition(condition) for condition in mappings(written, "conditions")),
        start_time=moment(written, "startTime"),
        completion_time=moment(written, "completionTime"),
    )


def read_policy(written: Plain) -> tuple[PolicyRule, ...]:
    """Read ``podFailurePolicy``."""
    return tuple(_rule(rule) for rule in mappings(written, "rules"))


def _policy(written: Plain | None) -> tuple[PolicyRule, ...] | None:
    return None if written is None else read_policy(written)


def _rule(written: Plain) -> PolicyRule:
    codes = mapping(written, "onExitCodes")
    patterns = [
        ConditionPattern(type=text(pattern, "type") or "", status=text(pattern, "status") or "")
        for pattern in mappings(written, "onPodConditions")
    ]
    return PolicyRule(
        action=text(written, "action") or "",
        exit_codes=None if codes is None else _exit_codes(codes),
        pod_conditions=tuple(patterns),
    )


def _exit_codes(written: Plain) -> ExitCodes:
    values = tuple(value for value in items(written, "values") if isinstance(value, int))
    return ExitCodes(
        operator=text(written, "operator") or "",
        values=None if written.get("values") is None else values,
        container_name=text(written, "containerName"),
    )


def _success(written: Plain | None) -> tuple[SuccessRule, ...] | None:
    if written is None:
        return None
    return tuple(
        SuccessRule(succeeded_indexes=text(rule, "succeededIndexes"), succeeded_count=number(rule, "succeededCount"))
        for rule in mappings(written, "rules")
    )


def _template(written: Plain) -> Template:
    spec = mapping(written, "spec") or {}
    named = (*mappings(spec, "containers"), *mappings(spec, "initContainers"))
    return Template(
        restart_policy=text(spec, "restartPolicy") or "",
        container_names=tuple(text(container, "name") or "" for container in named),
        written=written,
    )


def read_condition(written: Plain) -> JobCondition:
    """Read one of ``conditions``. Raises TypeError as ``read_spec``, ValueError for an invalid time."""
    return JobCondition(
        type=text(written, "type") or "",
        status=text(written, "status") or "",
        reason=text(written, "reason") or "",
        message=text(written, "message") or "",
        at=moment(written, "lastTransitionTime"),
    )
