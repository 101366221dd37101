"""A JobSet simulated with the pods of its Jobs: a Job judges failed pods, and the JobSet judges failed Jobs."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import timedelta

from agent.core.job.counters import open_job
from agent.core.job.manifest import JobManifest
from agent.core.job.marks import Mark, Marks, no_marks
from agent.core.job.outcome import PodEnding
from agent.core.job.outcome import apply_outcome as apply_job_outcome
from agent.core.job.play import Play
from agent.core.job.pod import RUNNING, PodCondition
from agent.core.jobset.child import JOB_RESTART_ATTEMPT, RESTART_ATTEMPT, ChildJob
from agent.core.jobset.play import JobSetPlay, JobSetTurn

_AT_ONCE = timedelta(0)
_READY = (PodCondition(type="Ready", status="True"),)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetOutcome:
    """How a pod ends, in the first matching Job: of a replicated job, with an index in it, or any.

    With ``every`` in the pod's outcome and no Job named it applies to the pods of all Jobs.
    """

    pod: PodEnding
    replicated_job: str | None = None
    job_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetScene:
    """One outcome, the pods it was applied to, and the steps of the JobSet that followed; ``marks`` as for a Job."""

    outcome: JobSetOutcome | None
    pods: tuple[str, ...]
    turns: tuple[JobSetTurn, ...]
    marks: tuple[Mark, ...] = ()


@dataclass(slots=True, kw_only=True)
class SimulatedJobSet:
    """A JobSet, its Jobs and their pods. Pods run and are ready as soon as they are created.

    ``marks`` makes what gives the pods of a new Job our conditions.
    """

    play: JobSetPlay
    marks: Callable[[], Marks | None] = no_marks
    jobs: dict[str, Play] = field(default_factory=dict)
    attempts: dict[str, str] = field(default_factory=dict)

    def begin(self) -> JobSetScene:
        return JobSetScene(outcome=None, pods=(), turns=tuple(self._follow(self.play.settle())))

    def apply_outcome(self, outcome: JobSetOutcome) -> JobSetScene:
        """Apply an outcome to its pods. If they still have to be created, the time until then passes first."""
        turns = self.pass_time(outcome.pod.after) if outcome.pod.after else []
        while not (targets := self._targets(outcome)) and (wait := self._wait()) is not None:
            turns += self.pass_time(wait)
        pods, marks = list[str](), list[Mark]()
        for name in targets:
            scene = apply_job_outcome(self.jobs[name], replace(outcome.pod, after=_AT_ONCE), self._job(name).rules)
            pods += scene.pods
            marks += scene.marks
        if targets:
            turns += self._follow(self.play.take(*self._reported()))
        return JobSetScene(outcome=outcome, pods=tuple(pods), turns=tuple(turns), marks=tuple(marks))

    def pass_time(self, by: timedelta) -> list[JobSetTurn]:
        """Let time pass for the JobSet and its Jobs, then continue."""
        for job in self.jobs.values():
            job.pass_time(by)
            _start(job)
        self.play.now += by
        return self._follow(self.play.take(*self._reported()))

    def living(self, name: str) -> int:
        """Return how many pods of a Job have not ended."""
        return len(self.jobs[name].living())

    def _wait(self) -> timedelta | None:
        """The time until anything is due if nothing changes."""
        if self.play.status.finished is not None:
            return None
        waits = [self.play.wait, *(job.wait for job in self.jobs.values())]
        return min((wait for wait in waits if wait is not None), default=None)

    def _targets(self, outcome: JobSetOutcome) -> list[str]:
        named = [
            job.name
            for job in self.play.children.values()
            if outcome.replicated_job in (None, job.replicated_job)
            and outcome.job_index in (None, int(job.name.rpartition("-")[2]))
            and any(outcome.pod.index in (None, pod.index) for pod in self.jobs[job.name].living())
        ]
        all_of_them = outcome.pod.every and outcome.job_index is None
        return named if all_of_them else named[:1]

    def _follow(self, turns: list[JobSetTurn]) -> list[JobSetTurn]:
        """Start the Jobs that were created, end those that are gone, until the JobSet has nothing more to do."""
        while True:
            for name in [name for name in self.jobs if name not in self.play.children]:
                del self.jobs[name]
            changed = [job for job in self.play.children.values() if self._is_new(job) or self._is_switched(job)]
            if not changed:
                return turns
            for job in changed:
                self._begin(job)
            turns += self.play.take(*self._reported())

    def _is_new(self, job: ChildJob) -> bool:
        return job.name not in self.jobs or self.attempts[job.name] != _attempt(job)

    def _is_switched(self, job: ChildJob) -> bool:
        return self.jobs[job.name].counters.spec.suspended != job.spec.suspended

    def _begin(self, job: ChildJob) -> None:
        """Create the pods of a new Job; update a suspended or resumed one."""
        if self._is_new(job):
            own = self._job(job.name)
            counters = open_job(job.spec, choices=own.choices)
            self.jobs[job.name] = Play(counters=counters, name=job.name, now=self.play.now, marks=self.marks())
            self.attempts[job.name] = _attempt(job)
        play = self.jobs[job.name]
        play.counters.spec = job.spec
        play.see()
        _start(play)

    def _job(self, name: str) -> JobManifest:
        replicated = self.play.children[name].replicated_job or ""
        return self.play.jobset.jobs.get(replicated) or JobManifest(name=name, spec=self.play.children[name].spec)

    def _reported(self) -> Iterator[ChildJob]:
        """The Jobs with the status from their own steps."""
        for name, job in self.jobs.items():
            if name in self.play.children:
                yield replace(self.play.children[name], status=job.counters.report())


def _attempt(job: ChildJob) -> str:
    return f"{job.labels.get(RESTART_ATTEMPT)}.{job.labels.get(JOB_RESTART_ATTEMPT)}"


def _start(job: Play) -> None:
    """Let all created pods run and be ready."""
    waiting = [pod for pod in job.living() if not pod.ready and pod.deleted_at is None]
    if waiting:
        job.see(*(replace(pod, phase=RUNNING, conditions=_READY) for pod in waiting))
