"""What follows the failure of a pod by the Job that made it, and by the JobSet that made the Job."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from agent.core.failure import Failure
from agent.core.history import History
from agent.core.job.decide import JobCase, JobLimit, JobOutcome, JobVerdict, decide_job
from agent.core.job.defaults import defaulted
from agent.core.job.index_text import count_indexes
from agent.core.job.limits import (
    BACKOFF_LIMIT_EXCEEDED,
    FAILED_INDEXES,
    MAX_FAILED_INDEXES_EXCEEDED,
    POD_FAILURE_POLICY,
)
from agent.core.job.pod import FAILED
from agent.core.job.reading import read_spec
from agent.core.job.status import COMPLETE
from agent.core.job.status import FAILED as JOB_FAILED
from agent.core.job.words import FAIL_INDEX, FAIL_JOB, IGNORE, MAX_INT32, JobSpec
from agent.core.jobset.case import ParentCase
from agent.core.jobset.child import FailedJob
from agent.core.jobset.decide import ActionError, ParentOutcome, ParentVerdict, decide_parent
from agent.core.jobset.defaults import defaulted as defaulted_job_set
from agent.core.jobset.gates import Gates
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.reading import read_jobset_spec, read_jobset_status
from agent.core.retry.policy import RetrySettings
from agent.kube import objects
from agent.observe.job_pod import read_job_pod
from agent.observe.templates import JOB_SET_NAME, Owner
from agent.observe.text import strip

_AS_UPSTREAM: Final = RetrySettings(global_max_retries=None)
_NO_TIME: Final = datetime.fromtimestamp(0, UTC)
"""Only one Job failed, so when it did decides nothing."""
_REASONS: Final = {
    "backoffLimit": BACKOFF_LIMIT_EXCEEDED,
    "backoffLimitPerIndex": FAILED_INDEXES,
    "maxFailedIndexes": MAX_FAILED_INDEXES_EXCEEDED,
}
_DONE: Final = {
    ParentOutcome.RESTART_JOB_SET: "restarts all its Jobs",
    ParentOutcome.RESTART_JOB: "restarts this Job",
    ParentOutcome.FAIL_JOB_SET: "fails",
}


def by_owners(pod: objects.Pod, failure: Failure, owners: Sequence[Owner]) -> str:
    """What the controllers of the pod's Job and JobSet do, as a sentence without its full stop.

    Empty unless the pod has failed and its Job is among the owners, as the API server would accept it.
    """
    job = job_of(pod, owners)
    if job is None or pod.status.phase != FAILED:
        return ""
    job_set = next((owner for owner in owners if isinstance(owner, objects.JobSet)), None)
    try:
        return strip(_follows(pod, failure, job, job_set))
    except (TypeError, ValueError):  # values that only an API server refuses
        return ""


def job_of(pod: objects.Pod, owners: Sequence[Owner]) -> objects.Job | None:
    """The Job among the owners that made the pod."""
    made = [owner for owner in pod.metadata.ownerReferences or () if owner.controller]
    names = {owner.name for owner in made if owner.kind == "Job"}
    jobs = (owner for owner in owners if isinstance(owner, objects.Job))
    return next((job for job in jobs if not made or job.metadata.name in names), None)


def failed_before(pod: objects.Pod, job: objects.Job) -> int:
    """How many pods of its Job failed before this one. A Job counts a pod, then releases it."""
    failed = job.status.failed or 0
    return failed if read_job_pod(pod).tracked else max(failed - 1, 0)


def _follows(pod: objects.Pod, failure: Failure, job: objects.Job, job_set: objects.JobSet | None) -> str:
    name, ended = job.metadata.name, _ended(job)
    if ended is not None and ended.type == COMPLETE:
        return f"nothing: Job {name} is complete"
    if ended is not None:
        said = f"Job {name} has failed and makes no more pods: {_of_condition(ended, job)}"
        return f"{said}; {_of_job_set(ended.reason or '', job, job_set)}"
    if job.spec.suspend:
        return f"Job {name} is suspended, and makes no pods until somebody resumes it"
    verdict = _verdict(pod, failure, job)
    said = _of_job(verdict, pod, job)
    return f"{said}; {_of_job_set(_reason(verdict), job, job_set)}" if verdict.outcome is JobOutcome.FAIL_JOB else said


def _ended(job: objects.Job) -> objects.PodCondition | None:
    ends = (condition for condition in job.status.conditions or () if condition.type in {JOB_FAILED, COMPLETE})
    return next((condition for condition in ends if condition.status == "True"), None)


def _of_condition(ended: objects.PodCondition, job: objects.Job) -> str:
    """Why a Job failed, with the limit that it reached."""
    limits = {
        BACKOFF_LIMIT_EXCEEDED: f", backoffLimit {job.spec.backoffLimit}" if job.spec.backoffLimit is not None else "",
        "DeadlineExceeded": f", activeDeadlineSeconds {job.spec.activeDeadlineSeconds}",
    }
    reason = ended.reason or "no reason given"
    return f"{reason}{limits.get(reason, '')}"


def _verdict(pod: objects.Pod, failure: Failure, job: objects.Job) -> JobVerdict:
    spec, read = defaulted(read_spec(_plain(job.spec))), read_job_pod(pod)
    case = JobCase(
        spec=spec,
        pod=read,
        failure=failure,
        failed_before=failed_before(pod, job),
        failed_indexes_before=_failed_indexes(job, spec),
    )
    return decide_job(case, history=History(), settings=_AS_UPSTREAM)


def _failed_indexes(job: objects.Job, spec: JobSpec) -> int:
    return count_indexes(job.status.failedIndexes or "", completions=spec.completions or 0)


def _of_job(verdict: JobVerdict, pod: objects.Pod, job: objects.Job) -> str:
    match verdict.outcome:
        case JobOutcome.RETRY if verdict.action == IGNORE:
            return (
                f"the Job controller makes another pod, and does not count this failure: {verdict.decider} says Ignore"
            )
        case JobOutcome.RETRY:
            counted = ", ".join(_used(limit) for limit in verdict.limits if limit.limit != MAX_INT32)
            return f"the Job controller makes another pod{f': {counted}' if counted else ''}"
        case JobOutcome.FAIL_INDEX:
            index = read_job_pod(pod).index
            return f"the Job controller fails index {index} and goes on with the others: {_why(verdict)}"
        case JobOutcome.FAIL_JOB:
            return f"the Job controller fails Job {job.metadata.name}: {_why(verdict)}"


def _used(limit: JobLimit) -> str:
    return f"{limit.count} of {limit.limit} used ({limit.name})"


def _why(verdict: JobVerdict) -> str:
    if verdict.action in {FAIL_JOB, FAIL_INDEX}:
        return f"{verdict.decider} says {verdict.action}"
    over = (limit for limit in verdict.limits if not limit.allowed)
    return " and ".join(f"{limit.name} {limit.limit} is exceeded" for limit in over)


def _of_job_set(reason: str, job: objects.Job, job_set: objects.JobSet | None) -> str:
    """What the JobSet does about a Job that failed for this reason."""
    labels = {key: value or "" for key, value in (job.metadata.labels or {}).items()}
    if job_set is None:
        name = labels.get(JOB_SET_NAME)
        return f"JobSet {name} decides by its failurePolicy" if name else "nothing starts it again"
    name = job_set.metadata.name or ""
    if job_set.status.terminalState:
        return f"JobSet {name} has ended: {job_set.status.terminalState}"
    failed = FailedJob(name=job.metadata.name or "", labels=labels, reason=reason, at=_NO_TIME)
    case = ParentCase(
        jobset=JobSet(
            name=name,
            spec=defaulted_job_set(read_jobset_spec(_plain(job_set.spec))),
            gates=Gates(restart_job=True),
        ),
        status=read_jobset_status(_plain(job_set.status)),
        failed=[failed],
    )
    try:
        return _said(decide_parent(case), name)
    except ActionError as error:
        return f"JobSet {name} cannot act: {error}"


def _said(verdict: ParentVerdict, name: str) -> str:
    used = ", ".join(
        f"{limit.used} of {limit.limit} restarts used ({limit.name})" for limit in verdict.limits if not limit.said
    )
    return f"JobSet {name} {_DONE[verdict.outcome]}: {verdict.proposal.decider}{f', {used}' if used else ''}"


def _reason(verdict: JobVerdict) -> str:
    """The reason of the condition with which the Job fails, which rules of JobSets match."""
    if verdict.action == FAIL_JOB:
        return POD_FAILURE_POLICY
    over = [limit.name for limit in verdict.limits if not limit.allowed]
    return next((_REASONS[name] for name in over if name in _REASONS), BACKOFF_LIMIT_EXCEEDED)


def _plain(read: msgspec.Struct) -> Mapping[str, Any]:
    plain: dict[str, Any] = msgspec.to_builtins(read)
    return plain
