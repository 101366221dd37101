"""One job in one transaction: as it was loaded, its steps, and what follows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from agent.core.lifecycle.effects import Effect, Step
from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.core.run_event import Identity, PodReference
from agent.store.submitted.held import Held, Memory
from agent.store.submitted.requests import JobRequest
from agent.store.verdicts import NewVerdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """A job as it was loaded, as it is now, and the effects of all steps in between, in order.

    ``verdicts`` are those that steps were taken with, by run id: one is written only if the effects say so. ``memory``
    is that of runs that are opened, by run id; ``pods`` are those that events name, by uid. ``requests`` are what
    people asked for, also what was refused.
    """

    held: Held
    job: SubmittedJob
    effects: tuple[Effect, ...] = ()
    verdicts: Mapping[str, NewVerdict] = field(default_factory=dict)
    memory: Mapping[str, Memory] = field(default_factory=dict)
    pods: Mapping[str, PodReference] = field(default_factory=dict)
    requests: tuple[JobRequest, ...] = ()

    @classmethod
    def of(cls, held: Held) -> "Advanced":
        """A job to which nothing has happened yet."""
        return cls(held=held, job=held.job)

    def by(self, step: Step) -> "Advanced":
        """The job after one more step."""
        return replace(self, job=step.job, effects=(*self.effects, *step.effects))

    def asked(self, request: JobRequest) -> "Advanced":
        """The job with one more request to be recorded."""
        return replace(self, requests=(*self.requests, request))

    def memory_of(self, run_id: str) -> Memory:
        """The memory that this run has instead of what the spec says."""
        return self.memory.get(run_id, self.held.memory.get(run_id, ()))


def identity_of(held: Held, run: JobRun) -> Identity:
    """The identity of a run as the job's row gives it, never labels."""
    given = held.submission
    return Identity(
        job_id=held.job.job_id,
        run_id=run.run_id,
        queue=given.queue,
        job_set=given.job_set,
        gang_id=given.gang_id,
        attempt=run.attempt,
        retry_policies=given.retry_policies,
    )
