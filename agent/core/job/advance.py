"""One step of a Job: from changed pods to a changed status and the required effects (``syncJob``)."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime

from agent.core.job.backoff import ZERO_TIME, BackoffRecord, next_record
from agent.core.job.counters import Change, Counters
from agent.core.job.effects import CreatePod, DeletePod, Delta, Effect, ReleasePod, RequeueAfter
from agent.core.job.finishing import completed, why_ended
from agent.core.job.limits import longest_active
from agent.core.job.manage import Managed, manage, why_made
from agent.core.job.match import judge
from agent.core.job.pod import SUCCEEDED, JobPod, finish_time
from agent.core.job.status import (
    COMPLETE,
    FAILED,
    FAILURE_TARGET,
    SUCCESS_CRITERIA_MET,
    SUSPENDED,
    JobCondition,
    ensure,
)
from agent.core.job.uncounted import count_released
from agent.core.job.words import FAIL_INDEX, INDEXED, NON_INDEXED

NO_CHANGE: tuple[Effect, ...] = ()

_MODES = (None, INDEXED, NON_INDEXED)


@dataclass(slots=True, kw_only=True)
class _Step:
    """Intermediate results of one step. ``done`` are pods that it accounts for, ``kept`` those it holds."""

    now: datetime
    succeeded: int
    failed: int
    record: BackoffRecord
    new_succeeded: list[int] = field(default_factory=list)
    new_failed: list[int] = field(default_factory=list)
    done: dict[str, JobPod] = field(default_factory=dict)
    actions: Counter[str] = field(default_factory=Counter)
    counted: int = 0
    completed: int = 0


def advance(counters: Counters, touched: Iterable[Change], *, now: datetime) -> tuple[Delta, tuple[Effect, ...]]:
    """Process the pods that changed, and take one step. ``counters`` are updated.

    Equal to one sync of the Job controller, except that all finished pods are accounted for at once, not 500 at a time.
    The effects must be applied and observed before the next step, as with upstream's expectations. A Job that ended, or
    whose ``completionMode`` is unknown, takes no more steps.
    """
    for change in touched:
        counters.see(change)
    if counters.status.finished is not None or counters.spec.completion_mode not in _MODES:
        return _delta_of(counters), NO_CHANGE
    count_released(counters)
    step = _take_stock(counters, now)
    started = counters.status.start_time or (None if counters.spec.suspended else now)
    counters.status = replace(counters.status, start_time=started)
    ended = why_ended(counters, failed=step.failed, now=now)
    if ended is None:
        managed = manage(counters, succeeded=step.succeeded, record=step.record, now=now)
        ended = completed(counters, succeeded=step.succeeded, active=managed.active, now=now)
        if ended is None:
            return _go_on(counters, step, managed)
        if ended.type == COMPLETE:  # without an interim condition upstream counts just removed pods as failed
            _count(counters, step, (pod for pod in managed.removed if pod.tracked), failing=True)
        return _end(counters, step, ended, managed)
    removed = list(counters.active.values())
    effects = tuple(DeletePod(uid=pod.uid) for pod in removed)
    return _end(counters, step, ended, Managed(active=0, removed=removed, effects=effects))


def _take_stock(counters: Counters, now: datetime) -> _Step:
    """Sort new pods: successes, failures, their indexes, and the resulting delay."""
    status = counters.status
    fresh = [pod for pod in counters.fresh.values() if counters.has_place(pod)]
    succeeded = [pod for pod in fresh if pod.phase == SUCCEEDED]
    failed = [pod for pod in fresh if pod.phase != SUCCEEDED]
    good = [pod for pod in succeeded if pod.uid not in status.uncounted_succeeded]
    bad = [pod for pod in failed if pod.uid not in status.uncounted_failed]
    counted = sum(counters.counts(pod) for pod in bad)
    step = _Step(
        now=now,
        succeeded=status.succeeded + len(good) + len(status.uncounted_succeeded),
        failed=status.failed + counted + counters.held_counted + len(status.uncounted_failed),
        record=_record(counters, good, bad),
    )
    if counters.spec.indexed:
        _take_stock_of_indexes(counters, step, succeeded, failed)
    step.done = dict(counters.fresh)
    _update_held(counters, step)
    counters.changed_indexes.clear()
    return step


def _record(counters: Counters, succeeded: list[JobPod], failed: list[JobPod]) -> BackoffRecord:
    if counters.per_index:
        return counters.record
    if not counters.choices.delay_ignored:
        failed = [pod for pod in failed if counters.counts(pod)]
    good = [finish_time(pod, counters.gates) or ZERO_TIME for pod in succeeded]
    bad = [finish_time(pod, counters.gates) or ZERO_TIME for pod in failed]
    if bad and not counters.choices.delay_each:
        bad = [max(bad)]
    return next_record(counters.record, succeeded=good, failed=bad)


def _take_stock_of_indexes(counters: Counters, step: _Step, succeeded: list[JobPod], failed: list[JobPod]) -> None:
    """Add to the sets of indexes (``calculateSucceededIndexes``, ``calculateFailedIndexes``)."""
    step.new_succeeded = [pod.index for pod in succeeded if pod.index is not None and counters.succeeded.add(pod.index)]
    step.succeeded = len(counters.succeeded)
    if counters.per_index:
        step.new_failed = [
            pod.index
            for pod in failed
            if pod.index is not None and is_index_failed(counters, pod) and counters.failed.add(pod.index)
        ]
    for index in (*step.new_succeeded, *step.new_failed):
        counters.settle(index)


def is_index_failed(counters: Counters, pod: JobPod) -> bool:
    """Return whether a pod's failure is its index's last (``isIndexFailed``)."""
    if not counters.fails(pod):
        return False
    said = judge(counters.spec.pod_failure_policy, pod, gates=counters.gates)
    limit = counters.spec.backoff_limit_per_index or 0
    return said.action == FAIL_INDEX or (said.counts and pod.failure_count >= limit)


def _update_held(counters: Counters, step: _Step) -> None:
    """Hold failed pods that wait for a replacement; release those whose index has a new pod or is done."""
    if not counters.per_index:
        return
    for index in [index for index in counters.changed_indexes if index in counters.held]:
        if _goes_on(counters, index) and (free := counters.pop_held(index)) is not None:
            step.done[free.uid] = free
    for pod in [pod for pod in counters.fresh.values() if pod.phase != SUCCEEDED]:
        if pod.index is None or not counters.has_place(pod) or _goes_on(counters, pod.index):
            continue
        held = counters.held.get(pod.index)
        if held is not None and not _replaces(counters, pod, held):
            continue
        del step.done[pod.uid]
        if (free := counters.pop_held(pod.index)) is not None:
            step.done[free.uid] = free
        counters.hold(pod)


def _goes_on(counters: Counters, index: int) -> bool:
    return index in counters.active_at or index in counters.succeeded or index in counters.failed


def _replaces(counters: Counters, pod: JobPod, held: JobPod) -> bool:
    """Whether to hold this one of two failed pods of an index: more failures, then later, then by uid.

    If one has more failures and the other is later, upstream holds the first it finds, and of equal ones the last
    (``getPodsWithDelayedDeletionPerIndex``): effectively random, because its cache has no order.
    """

    def order(pod: JobPod) -> tuple[int, datetime, str]:
        return (pod.all_failures, finish_time(pod, counters.gates) or ZERO_TIME, pod.uid)

    return order(pod) > order(held)


def _account(counters: Counters, step: _Step, pods: Iterable[JobPod], *, failing: bool) -> tuple[ReleasePod, ...]:
    """Count finished pods and release them."""
    accounted = tuple(pods)
    _count(counters, step, accounted, failing=failing)
    for pod in accounted:
        counters.release(pod)
    return tuple(ReleasePod(uid=pod.uid) for pod in accounted)


def _count(counters: Counters, step: _Step, pods: Iterable[JobPod], *, failing: bool) -> None:
    """Count finished pods; while a Job ends, unless by SuccessCriteriaMet, every live pod counts as failed."""
    for pod in pods:
        if pod.uid in counters.status.uncounted_failed:
            step.counted += 1
        elif pod.phase == SUCCEEDED:
            step.completed += not counters.spec.indexed
        elif (counters.fails(pod) or failing) and counters.has_place(pod):
            said = judge(counters.spec.pod_failure_policy, pod, gates=counters.gates)
            step.counted += said.counts
            if said.action is not None:
                step.actions[said.action] += 1


def _go_on(counters: Counters, step: _Step, managed: Managed) -> tuple[Delta, tuple[Effect, ...]]:
    released = _account(counters, step, step.done.values(), failing=False)
    suspension = _suspension(counters, step.now)
    delta = _settle(counters, step, managed, suspended_now=suspension)
    return delta, (*managed.effects, *released, *_deadline(counters, step.now))


def _suspension(counters: Counters, now: datetime) -> bool:
    """Set or clear Suspended; a resumed Job resets its start time."""
    suspended = counters.spec.suspended
    said = ("True", "JobSuspended", "Job suspended") if suspended else ("False", "JobResumed", "Job resumed")
    wanted = JobCondition(type=SUSPENDED, status=said[0], reason=said[1], message=said[2], at=now)
    conditions, changed = ensure(counters.status.conditions, wanted)
    started = now if changed and not suspended else counters.status.start_time
    counters.status = replace(counters.status, conditions=conditions, start_time=started)
    return changed


def _deadline(counters: Counters, now: datetime) -> tuple[RequeueAfter, ...]:
    longest, started = longest_active(counters.spec), counters.status.start_time
    return () if longest is None or started is None else (RequeueAfter(after=longest - (now - started)),)


def _end(counters: Counters, step: _Step, ended: JobCondition, managed: Managed) -> tuple[Delta, tuple[Effect, ...]]:
    """End the Job: first the interim condition; the final one once nothing is terminating."""
    failing = ended.type != SUCCESS_CRITERIA_MET
    for index in [*counters.held]:  # nothing is replaced any more, so the held pods are accounted for below
        counters.pop_held(index)
    tracked = [pod for pod in counters.pods.values() if pod.tracked]
    released = _account(counters, step, tracked, failing=failing)
    conditions = counters.status.conditions
    interim = ended.type in (FAILURE_TARGET, SUCCESS_CRITERIA_MET)
    if interim and counters.status.true(ended.type) is None:
        conditions = (*conditions, ended)
    final = {FAILURE_TARGET: FAILED, SUCCESS_CRITERIA_MET: COMPLETE}.get(ended.type, ended.type)
    waits = counters.gates.delays_terminal_condition and counters.terminating + len(managed.removed) > 0
    over = None if waits else replace(ended, type=final, at=step.now)
    if over is not None:
        conditions, _ = ensure(conditions, over)
    completion = step.now if over is not None and final == COMPLETE else counters.status.completion_time
    new_conditions = conditions != counters.status.conditions
    counters.status = replace(counters.status, conditions=conditions, completion_time=completion)
    return _settle(counters, step, managed, finished=over, ended_now=new_conditions), (*managed.effects, *released)


def _settle(
    counters: Counters,
    step: _Step,
    managed: Managed,
    *,
    suspended_now: bool = False,
    finished: JobCondition | None = None,
    ended_now: bool = False,
) -> Delta:
    """Write the new counts into the status, and return what is new; only then keep the back-off record."""
    before = counters.status
    gates, spec = counters.gates, counters.spec
    tracked = gates.pod_replacement_policy
    succeeded = len(counters.succeeded) if spec.indexed else before.succeeded + step.completed
    after = replace(
        before,
        active=managed.active,
        ready=counters.ready - sum(pod.ready for pod in managed.removed),
        terminating=counters.terminating + len(managed.removed) if tracked else None,
        succeeded=succeeded,
        failed=before.failed + step.counted,
        uncounted_succeeded=tuple(uid for uid in before.uncounted_succeeded if uid not in counters.released),
        uncounted_failed=tuple(uid for uid in before.uncounted_failed if uid not in counters.released),
    )
    progress = bool(step.new_succeeded or step.new_failed or step.counted or step.completed)
    changed = suspended_now or ended_now or progress or not counters.status_current or after != before
    counters.status_current = True
    if changed:
        counters.record = step.record
    counters.status = after
    delta = _delta_of(counters)
    return replace(
        delta,
        new_succeeded_indexes=tuple(step.new_succeeded),
        new_failed_indexes=tuple(step.new_failed),
        actions=dict(step.actions),
        made=sum(isinstance(effect, CreatePod) for effect in managed.effects),
        made_because=why_made(counters, failed=step.failed),
        finished=finished,
        changed=changed,
    )


def _delta_of(counters: Counters) -> Delta:
    status = counters.status
    return Delta(
        active=status.active,
        ready=status.ready or 0,
        terminating=status.terminating,
        succeeded=status.succeeded,
        failed=status.failed,
        conditions=status.conditions,
        start_time=status.start_time,
        completion_time=status.completion_time,
        record=counters.record,
    )
