"""What the API server refuses in a new status (``validateJobStatus`` and ``ValidateJobStatusUpdate``).

Most checks apply only to fields that changed, so that other fields of an invalid status can still be fixed.
"""

from collections.abc import Iterator

from agent.core.job.field_error import OMITTED, STRUCT, FieldError, Sort, invalid, not_negative, required
from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.index_text import IndexTextError, count_indexes, overlap_at
from agent.core.job.status import COMPLETE, FAILED, FAILURE_TARGET, SUCCESS_CRITERIA_MET, SUSPENDED, JobStatus
from agent.core.job.words import JobSpec

_CONDITIONS = "status.conditions"


def validate_status(new: JobStatus, old: JobStatus, spec: JobSpec, *, gates: Gates = ALL_ON) -> tuple[FieldError, ...]:
    """Return every error of a status update, in the API server's order.

    Most checks exist for other controllers: with ``JobManagedBy`` off only those of success criteria apply.
    """
    return (
        *_counts(new),
        *(_of_managers(new, old, spec) if gates.managed_by else ()),
        *_criteria(new, old, spec, gates),
        *(_transition(new, old, spec) if gates.managed_by else ()),
        *_criteria_transition(new, old),
    )


def _of_managers(new: JobStatus, old: JobStatus, spec: JobSpec) -> Iterator[FieldError]:
    yield from _conditions(new, old)
    yield from _finished(new, old, spec)
    yield from _indexes(new, old, spec)
    yield from _pods(new, old)


def _is(status: JobStatus, kind: str) -> bool:
    return status.true(kind) is not None


def _turned(new: JobStatus, old: JobStatus, *kinds: str) -> bool:
    return any(_is(new, kind) != _is(old, kind) for kind in kinds)


def _refused(detail: str) -> FieldError:
    return invalid(_CONDITIONS, OMITTED, detail)


def _counts(new: JobStatus) -> Iterator[FieldError]:
    named = ("active", "succeeded", "failed", "ready", "terminating")
    for name, count in zip(named, (new.active, new.succeeded, new.failed, new.ready, new.terminating), strict=True):
        yield from not_negative(f"status.{name}", count)
    seen: set[str] = set()
    for name, uids in (("succeeded", new.uncounted_succeeded), ("failed", new.uncounted_failed)):
        for at, uid in enumerate(uids):
            field = f"status.uncountedTerminatedPods.{name}[{at}]"
            if not uid:
                yield invalid(field, uid, "must not be empty")
            elif uid in seen:
                yield FieldError(sort=Sort.DUPLICATE, field=field, value=uid)
            seen.add(uid)


def _conditions(new: JobStatus, old: JobStatus) -> Iterator[FieldError]:
    complete, failed = _is(new, COMPLETE), _is(new, FAILED)
    if complete and failed and _turned(new, old, COMPLETE, FAILED):
        yield _refused("cannot set Complete=True and Failed=true conditions")
    if complete and _is(new, FAILURE_TARGET) and _turned(new, old, COMPLETE, FAILURE_TARGET):
        yield _refused("cannot set Complete=True and FailureTarget=true conditions")
    at, field = new.completion_time, "status.completionTime"
    if _turned(new, old, COMPLETE) or at != old.completion_time:
        if at is not None and not complete:
            yield invalid(field, STRUCT, "cannot set completionTime when there is no Complete=True condition")
        if at is None and complete:
            yield required(field, "completionTime is required for Complete jobs")
    changed = (new.start_time, at) != (old.start_time, old.completion_time)
    if changed and at is not None and new.start_time is not None and at < new.start_time:
        yield invalid(field, STRUCT, "must be equal to or after `startTime`")
    marked = _turned(new, old, FAILED) or new.failed_indexes != old.failed_indexes
    if marked and failed and not _is(new, FAILURE_TARGET):
        yield _refused("cannot set Failed=True condition without the FailureTarget=true condition")
    if _turned(new, old, COMPLETE, SUCCESS_CRITERIA_MET) and complete and not _is(new, SUCCESS_CRITERIA_MET):
        yield _refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")


def _finished(new: JobStatus, old: JobStatus, spec: JobSpec) -> Iterator[FieldError]:
    if new.finished is None:
        return
    ended = old.finished is None
    if new.active > 0 and (ended or new.active != old.active):
        yield invalid("status.active", new.active, "active>0 is invalid for finished job")
    excused = spec.suspended and spec.completions == 0
    if new.start_time is None and (ended or old.start_time is not None) and not excused:
        yield required("status.startTime", "startTime is required for finished job")
    uncounted = (new.uncounted_succeeded, new.uncounted_failed)
    if any(uncounted) and (ended or uncounted != (old.uncounted_succeeded, old.uncounted_failed)):
        yield invalid("status.uncountedTerminatedPods", STRUCT, "must be empty for finished job")


def _indexes(new: JobStatus, old: JobStatus, spec: JobSpec) -> Iterator[FieldError]:
    completed, failed = new.completed_indexes, new.failed_indexes
    new_completed, new_failed = completed != old.completed_indexes, failed != old.failed_indexes
    if new_completed:
        yield from _text("completedIndexes", completed, spec.completions)
    if new_failed and failed is not None and spec.backoff_limit_per_index is not None:
        yield from _text("failedIndexes", failed, spec.completions)
    if new_completed and completed and not spec.indexed:
        detail = "cannot set non-empty completedIndexes when non-indexed completion mode"
        yield invalid("status.completedIndexes", completed, detail)
    if new_failed and failed is not None and spec.backoff_limit_per_index is None:
        detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null"
        yield invalid("status.failedIndexes", failed, detail)
    if (new_failed or new_completed) and failed is not None and spec.completions is not None:
        at = overlap_at(completed, failed, completions=spec.completions)
        if at is not None:
            detail = f"failedIndexes and completedIndexes overlap at index: {at}"
            yield invalid("status.failedIndexes", failed, detail)


def _text(name: str, text: str, completions: int | None) -> Iterator[FieldError]:
    if completions is None:
        return
    try:
        count_indexes(text, completions=completions)
    except IndexTextError as error:
        yield invalid(f"status.{name}", text, f"error parsing {name}: {error}")


def _pods(new: JobStatus, old: JobStatus) -> Iterator[FieldError]:
    turned = (new.finished is None) != (old.finished is None)
    lingering = new.terminating or 0
    if lingering > 0 and new.finished is not None and (turned or new.terminating != old.terminating):
        yield invalid("status.terminating", lingering, "terminating>0 is invalid for finished job")
    ready = new.ready
    if ready is not None and ready > new.active and (ready, new.active) != (old.ready, old.active):
        yield invalid("status.ready", ready, "cannot set more ready pods than active")


def _criteria(new: JobStatus, old: JobStatus, spec: JobSpec, gates: Gates) -> Iterator[FieldError]:
    """SuccessCriteriaMet, which was originally only for Indexed Jobs with a ``successPolicy`` (KEP-3998)."""
    met = _is(new, SUCCESS_CRITERIA_MET)
    of_old = met and not gates.delays_terminal_condition and not _is(old, SUCCESS_CRITERIA_MET)
    if of_old and not spec.indexed:
        yield _refused("cannot set SuccessCriteriaMet to NonIndexed Job")
    if met and _is(new, FAILED):
        yield _refused("cannot set SuccessCriteriaMet=True and Failed=true conditions")
    if met and _is(new, FAILURE_TARGET):
        yield _refused("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions")
    if of_old and spec.success_policy is None:
        yield _refused("cannot set SuccessCriteriaMet=True for Job without SuccessPolicy")
    if spec.success_policy is not None and not met and _is(new, COMPLETE):
        yield _refused("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True")


def _transition(new: JobStatus, old: JobStatus, spec: JobSpec) -> Iterator[FieldError]:
    for kind in (FAILED, COMPLETE, FAILURE_TARGET):
        if _is(old, kind) and not _is(new, kind):
            yield _refused(f"cannot disable the terminal {kind}=True condition")
    if new.failed < old.failed:
        yield invalid("status.failed", new.failed, "cannot decrease the failed counter")
    elastic = spec.indexed and spec.completions == spec.parallelism
    if new.succeeded < old.succeeded and not elastic:
        yield invalid("status.succeeded", new.succeeded, "cannot decrease the succeeded counter")
    both = new.completion_time is not None and old.completion_time is not None
    if both and new.completion_time != old.completion_time:
        yield invalid("status.completionTime", STRUCT, "field is immutable")
    resumed = _is(old, SUSPENDED) and any(
        condition.type == SUSPENDED and condition.status == "False" for condition in new.conditions
    )
    moved = old.start_time is not None and new.start_time != old.start_time
    if moved and not resumed and not spec.suspended:
        yield required("status.startTime", "startTime cannot be removed for unsuspended job")


def _criteria_transition(new: JobStatus, old: JobStatus) -> Iterator[FieldError]:
    met = _is(new, SUCCESS_CRITERIA_MET)
    if _is(old, SUCCESS_CRITERIA_MET) and not met:
        yield _refused("cannot disable the SuccessCriteriaMet=True condition")
    if _is(old, COMPLETE) and not _is(old, SUCCESS_CRITERIA_MET) and met:
        yield _refused("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
