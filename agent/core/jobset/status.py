"""``status`` of a JobSet."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from agent.core.job.status import JobCondition
from agent.core.jobset.condition import COMPLETED, FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicatedJobStatus:
    """One of ``replicatedJobsStatus``: counts of Jobs, and by job index how often each was restarted alone.

    ``None`` is an absent list; ``job_restarts_counted`` is ``jobRestartsCountTowardsMax``.
    """

    name: str
    ready: int = 0
    succeeded: int = 0
    failed: int = 0
    active: int = 0
    suspended: int = 0
    job_restarts: tuple[int, ...] | None = None
    job_restarts_counted: tuple[int, ...] | None = None

    @property
    def started(self) -> int:
        """How many Jobs are ready or ended (``allReplicasStarted``)."""
        return self.ready + self.succeeded + self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetStatus:
    """The status. ``restarts_counted`` is ``restartsCountTowardsMax``; the in-place attempts are ``None`` at first."""

    restarts: int = 0
    restarts_counted: int = 0
    terminal_state: str = ""
    conditions: tuple[JobCondition, ...] = ()
    replicated_jobs: tuple[ReplicatedJobStatus, ...] = ()
    previous_in_place_attempt: int | None = None
    current_in_place_attempt: int | None = None

    def condition(self, kind: str) -> JobCondition | None:
        return next((condition for condition in self.conditions if condition.type == kind), None)

    @property
    def finished(self) -> JobCondition | None:
        """The condition that ended the JobSet."""
        return next(
            (
                condition
                for condition in self.conditions
                if condition.type in (COMPLETED, FAILED) and condition.status == "True"
            ),
            None,
        )

    def counted(self, *, alone: bool) -> int:
        """Return the restarts that count towards ``maxRestarts``; with ``alone`` also those of single Jobs."""
        single = sum(sum(replicated.job_restarts_counted or ()) for replicated in self.replicated_jobs)
        return self.restarts_counted + (single if alone else 0)

    def replicated(self, name: str) -> ReplicatedJobStatus | None:
        """Return the status of a replicated job."""
        return next((replicated for replicated in self.replicated_jobs if replicated.name == name), None)

    def job_restarts(self, name: str, replicas: int) -> tuple[int, ...]:
        """Return how often each Job of a replicated job was restarted alone; zeros where the status has no count.

        Upstream leaves the list short when a replicated job is scaled up.
        """
        known = self.replicated(name)
        said = () if known is None else known.job_restarts or ()
        return (*said, *(0,) * (replicas - len(said)))

    def with_replicated(self, statuses: Iterable[ReplicatedJobStatus]) -> "JobSetStatus":
        """Return the status with these statuses of replicated jobs."""
        return replace(self, replicated_jobs=tuple(statuses))
