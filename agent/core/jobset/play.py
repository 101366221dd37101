"""A JobSet simulated without a cluster: effects are applied at once, to child Jobs that are values."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from agent.core.job.defaults import defaulted
from agent.core.job.effects import RequeueAfter
from agent.core.job.status import COMPLETE, FAILED, JobCondition, JobStatus
from agent.core.jobset.advance import JobSetStep, Observed, advance
from agent.core.jobset.child import ChildJob
from agent.core.jobset.effects import CreateJob, DeleteJob, DeleteJobSet, Effect, SetSuspended
from agent.core.jobset.in_place import PodInPlace
from agent.core.jobset.limits import ParentLimit
from agent.core.jobset.manifest import NOTHING, JobSet, JobSetMemory
from agent.core.jobset.status import JobSetStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetTurn:
    """One step of a simulation, and its time."""

    at: datetime
    step: JobSetStep


@dataclass(slots=True, kw_only=True)
class JobSetPlay:
    """A JobSet with its child Jobs, and a clock that only ``pass_time`` moves.

    ``lingering``: deleted Jobs stay until ``finish_deletions``, like their pods; else they are gone at once.
    ``stopped`` and ``others`` are other limits for a restart, as in ``Observed``. ``wait`` is the time until the next
    step is due if nothing changes; ``gone``: the JobSet was deleted.
    """

    jobset: JobSet
    now: datetime
    status: JobSetStatus = field(default_factory=JobSetStatus)
    memory: JobSetMemory = NOTHING
    children: dict[str, ChildJob] = field(default_factory=dict)
    pods: tuple[PodInPlace, ...] = ()
    lingering: bool = False
    stopped: bool = False
    others: Mapping[str, tuple[ParentLimit, ...]] = field(default_factory=dict)
    wait: timedelta | None = None
    gone: bool = False

    def settle(self) -> list[JobSetTurn]:
        """Continue until there is nothing left to do at this time."""
        turns: list[JobSetTurn] = []
        while not self.gone:
            observed = Observed(
                children=tuple(self.children.values()),
                pods=self.pods,
                stopped=self.stopped,
                others=self.others,
                now=self.now,
            )
            step = advance(self.jobset, self.status, self.memory, observed)
            turns.append(JobSetTurn(at=self.now, step=step))
            changed = (step.status, step.memory) != (self.status, self.memory)
            self.status, self.memory = step.status, step.memory
            self.wait = min((effect.after for effect in step.effects if isinstance(effect, RequeueAfter)), default=None)
            done = [self._apply(effect) for effect in step.effects]
            if not (changed or any(done)):
                return turns
        return turns

    def take(self, *jobs: ChildJob) -> list[JobSetTurn]:
        """Process changes of child Jobs, then continue."""
        self.children.update({job.name: job for job in jobs})
        return self.settle()

    def fail(self, name: str, *, reason: str = "", message: str = "") -> list[JobSetTurn]:
        """Let a Job fail as its own controller would report it."""
        return self._end(name, JobCondition(type=FAILED, reason=reason, message=message, at=self.now))

    def complete(self, name: str) -> list[JobSetTurn]:
        return self._end(name, JobCondition(type=COMPLETE, at=self.now))

    def make_ready(self, names: Iterable[str]) -> list[JobSetTurn]:
        """Let all pods of these Jobs be ready."""
        return self.take(*(_ready(self.children[name]) for name in names))

    def finish_deletions(self, count: int | None = None) -> list[JobSetTurn]:
        """Finish the deletion of this number of Jobs, or of all, in order of creation."""
        deleting = [name for name, job in self.children.items() if job.deleting]
        for name in deleting[:count]:
            del self.children[name]
        return self.settle()

    def pass_time(self, by: timedelta) -> list[JobSetTurn]:
        self.now += by
        return self.settle()

    def _end(self, name: str, condition: JobCondition) -> list[JobSetTurn]:
        job = self.children[name]
        ended = replace(job.status, active=0, conditions=(*job.status.conditions, condition))
        return self.take(replace(job, status=ended))

    def _apply(self, effect: Effect) -> bool:
        """Apply an effect. Returns whether it changed anything."""
        match effect:
            case CreateJob():
                self.children[effect.name] = self._made(effect)
            case DeleteJob():
                self._delete(effect.name)
            case SetSuspended():
                job = self.children[effect.name]
                self.children[effect.name] = replace(job, spec=replace(job.spec, suspend=effect.suspended))
            case DeleteJobSet():
                self.gone = True
                self.children.clear()
            case RequeueAfter():
                return False
        return True

    def _made(self, effect: CreateJob) -> ChildJob:
        replicated = self.jobset.spec.replicated(effect.replicated_job)
        if replicated is None:
            raise ValueError(f"{effect.replicated_job} is not a replicated job")
        spec = replace(defaulted(replicated.spec), suspend=effect.suspended)
        return ChildJob(name=effect.name, labels=effect.labels, spec=spec, status=JobStatus())

    def _delete(self, name: str) -> None:
        job = self.children.pop(name)
        if self.lingering:
            self.children[name] = replace(job, deleting=True)


def _ready(job: ChildJob) -> ChildJob:
    wanted = job.spec.parallelism or 0
    return replace(job, status=replace(job.status, active=wanted, ready=wanted))
