"""One step of a JobSet: child Jobs go in, the status and what is to be done come out (B4 to B6, ``reconcile``)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from agent.core.job.effects import LookAgain
from agent.core.jobset import condition
from agent.core.jobset.apply import apply
from agent.core.jobset.case import ParentCase
from agent.core.jobset.child import ChildJob
from agent.core.jobset.condition import COMPLETED, JobSetEvent, Said
from agent.core.jobset.creating import creating, resuming
from agent.core.jobset.decide import ParentOutcome, ParentVerdict, decide_parent
from agent.core.jobset.effects import DeleteJob, DeleteJobSet, Effect, SetSuspended
from agent.core.jobset.in_place import PodInPlace
from agent.core.jobset.in_place_case import InPlaceCase, judge_in_place
from agent.core.jobset.limits import ParentLimit
from agent.core.jobset.lineage import Ended
from agent.core.jobset.manifest import NOTHING, JobSet, Memory
from agent.core.jobset.naming import job_name
from agent.core.jobset.owned import Owned, sort, statuses
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import ALL, ANY, IN_PLACE, JobSetSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What there is at the time of a step; pods are looked at for restarts in place only.

    ``others`` are limits of other layers, such as the error table, by the name of the Job whose failure they are about.
    """

    children: Sequence[ChildJob] = ()
    pods: Sequence[PodInPlace] = ()
    stopped: bool = False
    others: Mapping[str, tuple[ParentLimit, ...]] = field(default_factory=dict)
    now: datetime
    draw: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetStep:
    """The status and the memory after a step, what is to be done, and the verdict if one was made in it."""

    status: JobSetStatus
    memory: Memory = NOTHING
    effects: tuple[Effect, ...] = ()
    events: tuple[JobSetEvent, ...] = ()
    verdict: ParentVerdict | None = None


@dataclass(slots=True, kw_only=True)
class _Course:
    """What a step has come to so far."""

    jobset: JobSet
    seen: Seen
    status: JobSetStatus
    memory: Memory
    owned: Owned
    effects: list[Effect] = field(default_factory=list)
    events: list[JobSetEvent] = field(default_factory=list)

    def say(self, said: Said) -> None:
        self.status = replace(self.status, conditions=said.conditions)
        self.events += said.events

    @property
    def said(self) -> Said:
        return Said(conditions=self.status.conditions)

    def step(self, verdict: ParentVerdict | None = None) -> JobSetStep:
        return JobSetStep(
            status=self.status,
            memory=self.memory,
            effects=tuple(self.effects),
            events=tuple(self.events),
            verdict=verdict,
        )


def advance(jobset: JobSet, status: JobSetStatus, memory: Memory, seen: Seen) -> JobSetStep:
    """Go one step. Its effects must be carried out and its status written before the next.

    At most one action is taken in a step. Raises LabelError, ActionError or AttemptError where upstream's reconciler
    would fail and try again.
    """
    owned = sort(seen.children, jobset, status)
    counted = status.with_replicated(statuses(owned, jobset, status))
    course = _Course(jobset=jobset, seen=seen, status=counted, memory=memory, owned=owned)
    if status.finished is not None:
        _clean_up(course)
        return course.step()
    course.effects += _deletions(owned.previous)
    _note_readiness(course)
    if owned.failed:
        return course.step(_judge(course))
    if owned.successful and _succeeded(jobset.spec, owned):
        _complete(course)
        return course.step()
    _go_on(course)
    return course.step()


def ended(jobset: JobSet, status: JobSetStatus, memory: Memory, *, by_ttl: bool) -> Ended:
    """Return what is to be remembered of a JobSet that is deleted, for one of the same name to take over."""
    return Ended(
        namespace=jobset.namespace,
        name=jobset.name,
        uid=jobset.uid,
        failed=status.terminal_state == condition.FAILED,
        by_ttl=by_ttl,
        restarts=memory.restarts,
    )


def _deletions(jobs: Sequence[ChildJob]) -> Iterator[DeleteJob]:
    return (DeleteJob(name=job.name) for job in jobs if not job.deleting)


def _clean_up(course: _Course) -> None:
    """Delete what still runs; delete the JobSet when its time is over."""
    course.effects += _deletions(course.owned.active)
    over, ttl = course.status.finished, course.jobset.spec.ttl_seconds_after_finished
    if over is None or over.at is None or ttl is None:
        return
    left = over.at + timedelta(seconds=ttl) - course.seen.now
    course.effects.append(LookAgain(after=left) if left > timedelta(0) else DeleteJobSet())


def _note_readiness(course: _Course) -> None:
    ready = sum(one.ready + one.succeeded for one in course.status.replicated_jobs)
    if not course.jobset.spec.suspended and ready == course.jobset.spec.replicas:
        said = condition.restarted("JobsReady", "all jobs are ready", now=course.seen.now)
        course.say(course.said.say(said))


def _judge(course: _Course) -> ParentVerdict:
    """Decide about failed Jobs, and write it down."""
    jobset, seen = course.jobset, course.seen
    case = ParentCase(
        jobset=jobset,
        status=course.status,
        failed=course.owned.failures,
        memory=course.memory,
        stopped=seen.stopped,
        others=seen.others,
    )
    verdict = decide_parent(case, draw=seen.draw)
    applied = apply(verdict, course.status, jobset.spec, now=seen.now)
    course.status = applied.status
    course.events += applied.events
    course.memory = _remember(course, verdict)
    return verdict


def _remember(course: _Course, verdict: ParentVerdict) -> Memory:
    """Count a restart; Jobs that are to wait are held."""
    if verdict.outcome is ParentOutcome.FAIL_JOB_SET:
        return course.memory
    jobset, memory = course.jobset, course.memory
    own = memory.own.followed_by(verdict.proposal.action, verdict.job.replicated_job, counts=verdict.counts)
    if not verdict.delay:
        return replace(memory, own=own)
    names = [verdict.job.name]
    if verdict.outcome is ParentOutcome.RESTART_JOB_SET:
        replicated = jobset.spec.replicated_jobs
        names = [job_name(jobset.name, one.name, index) for one in replicated for index in range(one.replicas)]
    until = course.seen.now + verdict.delay
    return replace(memory, own=own, held={**memory.held, **dict.fromkeys(names, until)})


def _succeeded(spec: JobSetSpec, owned: Owned) -> bool:
    """Whether enough Jobs succeeded (``executeSuccessPolicy``)."""
    policy = spec.success_policy
    if policy is None:
        return len(owned.successful) >= spec.replicas
    got = sum(policy.is_about(job.replicated_job) for job in owned.successful)
    all_of = sum(one.replicas for one in spec.replicated_jobs if policy.is_about(one.name))
    return got >= {ANY: 1, ALL: all_of}.get(policy.operator, 0)


def _complete(course: _Course) -> None:
    now = course.seen.now
    said = course.said.say(condition.completed(now=now))
    course.say(said.say(condition.restarted("JobSetCompleted", "jobset completed successfully", now=now)))
    course.status = replace(course.status, terminal_state=COMPLETED)


def _go_on(course: _Course) -> None:
    """Make what is missing, suspend or resume, and restart in place where that is chosen."""
    jobset, seen = course.jobset, course.seen
    made = creating(jobset, course.status, course.memory, course.owned, now=seen.now)
    course.memory = replace(course.memory, held=made.held)
    course.effects += made.effects
    if made.startup is not None:
        course.say(course.said.say(condition.startup(done=made.startup, now=seen.now)))
    if jobset.spec.suspended:
        _suspend(course)
    else:
        _resume(course)
    if jobset.spec.strategy == IN_PLACE and jobset.gates.in_place_restart:
        _restart_in_place(course)


def _restart_in_place(course: _Course) -> None:
    seen = course.seen
    case = InPlaceCase(
        jobset=course.jobset,
        status=course.status,
        memory=course.memory,
        pods=seen.pods,
        stopped=seen.stopped,
        others=seen.others,
    )
    judged = judge_in_place(case, now=seen.now)
    course.status = judged.applied.status
    course.events += judged.applied.events
    course.memory = replace(course.memory, own=judged.own)


def _suspend(course: _Course) -> None:
    now = course.seen.now
    course.effects += (
        SetSuspended(name=job.name, suspended=True) for job in course.owned.active if not job.spec.suspended
    )
    said = course.said.say(condition.suspended(now=now))
    course.say(said.say(condition.restarted("JobSetSuspended", "jobset is suspended", now=now)))


def _resume(course: _Course) -> None:
    """Let suspended Jobs go on, in order where that is wanted."""
    now = course.seen.now
    names, waits = resuming(course.jobset, course.status, course.owned)
    course.effects += (SetSuspended(name=name, suspended=False) for name in names)
    said = condition.startup(done=False, now=now) if waits else condition.resumed(now=now)
    course.say(course.said.say(said))
