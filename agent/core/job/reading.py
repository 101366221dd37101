"""Jobs as plain values, as JSON and YAML give them, read into words. What is missing or odd is kept as it is."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from agent.core.job.status import JobCondition, JobStatus
from agent.core.job.words import ConditionPattern, ExitCodes, JobSpec, PolicyRule, SuccessRule, Template

Plain = Mapping[str, object]


def read_spec(written: Plain) -> JobSpec:
    """Read ``spec`` of a Job. Fields that decisions do not read are left out; ``agent.manifests`` refuses unknown ones.

    Raises TypeError where a value is of another type than the field's.
    """
    return JobSpec(
        parallelism=_number(written, "parallelism"),
        completions=_number(written, "completions"),
        active_deadline_seconds=_number(written, "activeDeadlineSeconds"),
        backoff_limit=_number(written, "backoffLimit"),
        backoff_limit_per_index=_number(written, "backoffLimitPerIndex"),
        max_failed_indexes=_number(written, "maxFailedIndexes"),
        ttl_seconds_after_finished=_number(written, "ttlSecondsAfterFinished"),
        completion_mode=_text(written, "completionMode"),
        suspend=_truth(written, "suspend"),
        managed_by=_text(written, "managedBy"),
        manual_selector=_truth(written, "manualSelector"),
        pod_replacement_policy=_text(written, "podReplacementPolicy"),
        pod_failure_policy=_policy(_mapping(written, "podFailurePolicy")),
        success_policy=_success(_mapping(written, "successPolicy")),
        template=_template(_mapping(written, "template") or {}),
    )


def read_status(written: Plain) -> JobStatus:
    """Read ``status`` of a Job. Raises TypeError as ``read_spec``, ValueError for a time that is none."""
    uncounted = _mapping(written, "uncountedTerminatedPods") or {}
    return JobStatus(
        active=_number(written, "active") or 0,
        ready=_number(written, "ready"),
        succeeded=_number(written, "succeeded") or 0,
        failed=_number(written, "failed") or 0,
        terminating=_number(written, "terminating"),
        completed_indexes=_text(written, "completedIndexes") or "",
        failed_indexes=_text(written, "failedIndexes"),
        uncounted_succeeded=tuple(str(uid) for uid in _items(uncounted, "succeeded")),
        uncounted_failed=tuple(str(uid) for uid in _items(uncounted, "failed")),
        conditions=tuple(_condition(one) for one in _mappings(written, "conditions")),
        start_time=_time(written, "startTime"),
        completion_time=_time(written, "completionTime"),
    )


def read_policy(written: Plain) -> tuple[PolicyRule, ...]:
    """Read ``podFailurePolicy``."""
    return tuple(_rule(one) for one in _mappings(written, "rules"))


def _policy(written: Plain | None) -> tuple[PolicyRule, ...] | None:
    return None if written is None else read_policy(written)


def _rule(written: Plain) -> PolicyRule:
    codes = _mapping(written, "onExitCodes")
    patterns = [
        ConditionPattern(type=_text(one, "type") or "", status=_text(one, "status") or "")
        for one in _mappings(written, "onPodConditions")
    ]
    return PolicyRule(
        action=_text(written, "action") or "",
        exit_codes=None if codes is None else _exit_codes(codes),
        pod_conditions=tuple(patterns),
    )


def _exit_codes(written: Plain) -> ExitCodes:
    values = [value for value in _items(written, "values") if isinstance(value, int)]
    return ExitCodes(
        operator=_text(written, "operator") or "",
        values=tuple(values),
        container_name=_text(written, "containerName"),
    )


def _success(written: Plain | None) -> tuple[SuccessRule, ...] | None:
    if written is None:
        return None
    return tuple(
        SuccessRule(succeeded_indexes=_text(one, "succeededIndexes"), succeeded_count=_number(one, "succeededCount"))
        for one in _mappings(written, "rules")
    )


def _template(written: Plain) -> Template:
    spec = _mapping(written, "spec") or {}
    named = (*_mappings(spec, "containers"), *_mappings(spec, "initContainers"))
    return Template(
        restart_policy=_text(spec, "restartPolicy") or "",
        container_names=tuple(_text(one, "name") or "" for one in named),
        written=written,
    )


def _condition(written: Plain) -> JobCondition:
    return JobCondition(
        type=_text(written, "type") or "",
        status=_text(written, "status") or "",
        reason=_text(written, "reason") or "",
        message=_text(written, "message") or "",
        at=_time(written, "lastTransitionTime"),
    )


def _number(written: Plain, key: str) -> int | None:
    value = written.get(key)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise TypeError(f"{key}: expected a whole number")


def _text(written: Plain, key: str) -> str | None:
    value = written.get(key)
    if value is None or isinstance(value, str):
        return value
    raise TypeError(f"{key}: expected text")


def _truth(written: Plain, key: str) -> bool | None:
    value = written.get(key)
    if value is None or isinstance(value, bool):
        return value
    raise TypeError(f"{key}: expected true or false")


def _time(written: Plain, key: str) -> datetime | None:
    text = _text(written, key)
    return None if text is None else datetime.fromisoformat(text)


def _mapping(written: Plain, key: str) -> Plain | None:
    value = written.get(key)
    if value is None or isinstance(value, Mapping):
        return value
    raise TypeError(f"{key}: expected a mapping")


def _items(written: Plain, key: str) -> Sequence[object]:
    value = written.get(key)
    if value is None:
        return ()
    if isinstance(value, Sequence) and not isinstance(value, str):
        return value
    raise TypeError(f"{key}: expected a list")


def _mappings(written: Plain, key: str) -> Iterator[Plain]:
    for one in _items(written, key):
        if not isinstance(one, Mapping):
            raise TypeError(f"{key}: expected mappings")
        yield one
