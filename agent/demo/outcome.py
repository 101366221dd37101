"""What came of submitted jobs, and whether they ran only when they were allowed to. Pure."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto

from agent.core.lifecycle.state import FINAL, State


class Outcome(Enum):
    """What came of a job. One that was cancelled counts as failed."""

    SUCCEEDED = auto()
    RECOVERED = auto()
    FAILED = auto()
    UNFINISHED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobStanding:
    """How a submitted job stands. ``retries`` counts the runs after the first; rejected ones do not count."""

    job_id: str
    state: State
    retries: int
    ended_at: datetime | None = None

    @property
    def outcome(self) -> Outcome:
        if self.state not in FINAL:
            return Outcome.UNFINISHED
        if self.state is not State.SUCCEEDED:
            return Outcome.FAILED
        return Outcome.RECOVERED if self.retries else Outcome.SUCCEEDED


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedRun:
    """A run that a cluster got. ``pod_uid`` is the pod that was accepted as its own, ``None`` if there is none."""

    job_id: str
    leased_at: datetime
    pod_uid: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Closure:
    """From ``since`` on a job had ended, until a person reopened it."""

    job_id: str
    since: datetime
    until: datetime | None = None

    def holds(self, moment: datetime) -> bool:
        return self.since < moment and (self.until is None or moment < self.until)


@dataclass(frozen=True, slots=True, kw_only=True)
class Witnessed:
    """What the simulators saw: the gated pods that ran, and how many pairs of a job's pods ran at the same time."""

    pods: frozenset[str] = frozenset()
    overlaps: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFigures:
    """The demo's figures about jobs: ``submitted`` is the sum of the four outcomes.

    ``retried`` counts jobs that ran again, ``overlaps`` pairs of pods of one job that ran at the same time,
    ``after_end`` runs that were leased after their job had ended, ``unaccepted`` pods that ran without being accepted.
    """

    submitted: int
    retried: int
    recovered: int
    succeeded: int
    failed_final: int
    unfinished: int
    overlaps: int
    after_end: int
    unaccepted: int

    @property
    def is_sound(self) -> bool:
        """Whether every job ended, and none ran when it was not allowed to."""
        return not (self.unfinished or self.overlaps or self.after_end or self.unaccepted)


def job_figures(
    standings: Mapping[str, JobStanding],
    *,
    missing: int,
    runs: Collection[LeasedRun],
    closures: Iterable[Closure],
    witnessed: Witnessed,
) -> JobFigures:
    """Count. ``missing`` are jobs that should be among the standings; they are unfinished."""
    outcomes = Counter(standing.outcome for standing in standings.values())
    return JobFigures(
        submitted=len(standings) + missing,
        retried=sum(standing.retries > 0 for standing in standings.values()),
        recovered=outcomes[Outcome.RECOVERED],
        succeeded=outcomes[Outcome.SUCCEEDED],
        failed_final=outcomes[Outcome.FAILED],
        unfinished=outcomes[Outcome.UNFINISHED] + missing,
        overlaps=witnessed.overlaps,
        after_end=after_end(runs, closures),
        unaccepted=len(witnessed.pods - {run.pod_uid for run in runs}),
    )


def after_end(runs: Iterable[LeasedRun], closures: Iterable[Closure]) -> int:
    """How many runs were leased while their job had ended."""
    of_job = defaultdict[str, list[Closure]](list)
    for closure in closures:
        of_job[closure.job_id].append(closure)
    return sum(any(closure.holds(run.leased_at) for closure in of_job[run.job_id]) for run in runs)
