"""One step of a JobSet: from child Jobs to a new status and effects (``reconcile``)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from agent.core.job.effects import RequeueAfter
from agent.core.jobset import condition
from agent.core.jobset.apply import apply
from agent.core.jobset.case import ParentCase
from agent.core.jobset.child import ChildJob
from agent.core.jobset.condition import COMPLETED, ConditionUpdate, JobSetEvent
from agent.core.jobset.creating import creating, resuming
from agent.core.jobset.decide import ParentOutcome, ParentVerdict, decide_parent
from agent.core.jobset.effects import DeleteJob, DeleteJobSet, Effect, SetSuspended
from agent.core.jobset.in_place import PodInPlace
from agent.core.jobset.in_place_case import InPlaceCase, judge_in_place
from agent.core.jobset.limits import ParentLimit
from agent.core.jobset.lineage import EndedJobSet
from agent.core.jobset.manifest import NOTHING, JobSet, JobSetMemory
from agent.core.jobset.naming import job_name
from agent.core.jobset.owned import Owned, sort, statuses
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import ALL, ANY, IN_PLACE, JobSetSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """The observed state at the time of a step; pods are needed only for restarts in place.

    ``others`` are limits of other layers, such as the error table, by the name of the failed Job.
    """

    children: Sequence[ChildJob] = ()
    pods: Sequence[PodInPlace] = ()
    stopped: bool = False
    others: Mapping[str, tuple[ParentLimit, ...]] = field(default_factory=dict)
    now: datetime
    draw: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetStep:
    """The status and the memory after a step, its effects, and the verdict, if any."""

    status: JobSetStatus
    memory: JobSetMemory = NOTHING
    effects: tuple[Effect, ...] = ()
    events: tuple[JobSetEvent, ...] = ()
    verdict: ParentVerdict | None = None


@dataclass(slots=True, kw_only=True)
class _StepState:
    """Intermediate results of a step."""

    jobset: JobSet
    observed: Observed
    status: JobSetStatus
    memory: JobSetMemory
    owned: Owned
    effects: list[Effect] = field(default_factory=list)
    events: list[JobSetEvent] = field(default_factory=list)

    def record(self, update: ConditionUpdate) -> None:
        self.status = replace(self.status, conditions=update.conditions)
        self.events += update.events

    @property
    def conditions(self) -> ConditionUpdate:
        return ConditionUpdate(conditions=self.status.conditions)

    def step(self, verdict: ParentVerdict | None = None) -> JobSetStep:
        return JobSetStep(
            status=self.status,
            memory=self.memory,
            effects=tuple(self.effects),
            events=tuple(self.events),
            verdict=verdict,
        )


def advance(jobset: JobSet, status: JobSetStatus, memory: JobSetMemory, observed: Observed) -> JobSetStep:
    """Take one step. Its effects must be applied and its status written before the next.

    A step takes at most one action. Raises LabelError, ActionError or AttemptError where upstream's reconciler
    would fail and retry.
    """
    owned = sort(observed.children, jobset, status)
    counted = status.with_replicated(statuses(owned, jobset, status))
    state = _StepState(jobset=jobset, observed=observed, status=counted, memory=memory, owned=owned)
    if status.finished is not None:
        _clean_up(state)
        return state.step()
    state.effects += _deletions(owned.previous)
    _note_readiness(state)
    if owned.failed:
        return state.step(_judge(state))
    if owned.successful and _succeeded(jobset.spec, owned):
        _complete(state)
        return state.step()
    _go_on(state)
    return state.step()


def ended(jobset: JobSet, status: JobSetStatus, memory: JobSetMemory, *, by_ttl: bool) -> EndedJobSet:
    """Return what to remember about a deleted JobSet, for a later one of the same name."""
    return EndedJobSet(
        namespace=jobset.namespace,
        name=jobset.name,
        uid=jobset.uid,
        failed=status.terminal_state == condition.FAILED,
        by_ttl=by_ttl,
        restarts=memory.restarts,
    )


def _deletions(jobs: Sequence[ChildJob]) -> Iterator[DeleteJob]:
    return (DeleteJob(name=job.name) for job in jobs if not job.deleting)


def _clean_up(state: _StepState) -> None:
    """Delete running Jobs; delete the JobSet when its TTL has passed."""
    state.effects += _deletions(state.owned.active)
    over, ttl = state.status.finished, state.jobset.spec.ttl_seconds_after_finished
    if over is None or over.at is None or ttl is None:
        return
    left = over.at + timedelta(seconds=ttl) - state.observed.now
    state.effects.append(RequeueAfter(after=left) if left > timedelta(0) else DeleteJobSet())


def _note_readiness(state: _StepState) -> None:
    ready = sum(replicated.ready + replicated.succeeded for replicated in state.status.replicated_jobs)
    if not state.jobset.spec.suspended and ready == state.jobset.spec.replicas:
        wanted = condition.restarted("JobsReady", "all jobs are ready", now=state.observed.now)
        state.record(state.conditions.set(wanted))


def _judge(state: _StepState) -> ParentVerdict:
    """Decide about failed Jobs, and record the verdict."""
    jobset, observed = state.jobset, state.observed
    case = ParentCase(
        jobset=jobset,
        status=state.status,
        failed=state.owned.failures,
        memory=state.memory,
        stopped=observed.stopped,
        others=observed.others,
    )
    verdict = decide_parent(case, draw=observed.draw)
    applied = apply(verdict, state.status, jobset.spec, now=observed.now)
    state.status = applied.status
    state.events += applied.events
    state.memory = _remember(state, verdict)
    return verdict


def _remember(state: _StepState, verdict: ParentVerdict) -> JobSetMemory:
    """Count a restart; delayed Jobs are held."""
    if verdict.outcome is ParentOutcome.FAIL_JOB_SET:
        return state.memory
    jobset, memory = state.jobset, state.memory
    own = memory.own.followed_by(verdict.proposal.action, verdict.job.replicated_job, counts=verdict.counts)
    if not verdict.delay:
        return replace(memory, own=own)
    names = [verdict.job.name]
    if verdict.outcome is ParentOutcome.RESTART_JOB_SET:
        names = [
            job_name(jobset.name, replicated.name, index)
            for replicated in jobset.spec.replicated_jobs
            for index in range(replicated.replicas)
        ]
    until = state.observed.now + verdict.delay
    return replace(memory, own=own, held={**memory.held, **dict.fromkeys(names, until)})


def _succeeded(spec: JobSetSpec, owned: Owned) -> bool:
    """Whether enough Jobs succeeded (``executeSuccessPolicy``)."""
    policy = spec.success_policy
    if policy is None:
        return len(owned.successful) >= spec.replicas
    got = sum(policy.is_about(job.replicated_job) for job in owned.successful)
    all_of = sum(replicated.replicas for replicated in spec.replicated_jobs if policy.is_about(replicated.name))
    return got >= {ANY: 1, ALL: all_of}.get(policy.operator, 0)


def _complete(state: _StepState) -> None:
    now = state.observed.now
    conditions = state.conditions.set(condition.completed(now=now))
    state.record(conditions.set(condition.restarted("JobSetCompleted", "jobset completed successfully", now=now)))
    state.status = replace(state.status, terminal_state=COMPLETED)


def _go_on(state: _StepState) -> None:
    """Create missing Jobs, suspend or resume, and restart in place if chosen."""
    jobset, observed = state.jobset, state.observed
    made = creating(jobset, state.status, state.memory, state.owned, now=observed.now)
    state.memory = replace(state.memory, held=made.held)
    state.effects += made.effects
    if made.startup is not None:
        state.record(state.conditions.set(condition.startup(done=made.startup, now=observed.now)))
    if jobset.spec.suspended:
        _suspend(state)
    else:
        _resume(state)
    if jobset.spec.strategy == IN_PLACE and jobset.gates.in_place_restart:
        _restart_in_place(state)


def _restart_in_place(state: _StepState) -> None:
    observed = state.observed
    case = InPlaceCase(
        jobset=state.jobset,
        status=state.status,
        memory=state.memory,
        pods=observed.pods,
        stopped=observed.stopped,
        others=observed.others,
    )
    judged = judge_in_place(case, now=observed.now)
    state.status = judged.applied.status
    state.events += judged.applied.events
    state.memory = replace(state.memory, own=judged.own)


def _suspend(state: _StepState) -> None:
    now = state.observed.now
    state.effects += (
        SetSuspended(name=job.name, suspended=True) for job in state.owned.active if not job.spec.suspended
    )
    conditions = state.conditions.set(condition.suspended(now=now))
    state.record(conditions.set(condition.restarted("JobSetSuspended", "jobset is suspended", now=now)))


def _resume(state: _StepState) -> None:
    """Resume suspended Jobs, in order if configured."""
    now = state.observed.now
    names, waits = resuming(state.jobset, state.status, state.owned)
    state.effects += (SetSuspended(name=name, suspended=False) for name in names)
    wanted = condition.startup(done=False, now=now) if waits else condition.resumed(now=now)
    state.record(state.conditions.set(wanted))
