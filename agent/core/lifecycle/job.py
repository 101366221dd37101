"""A submitted job with its runs: one value, as its rows hold it."""

from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import takewhile

from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A pod without our gate that no run has recorded, found at ``since``.

    Its namespace, its cluster and ``pod_name`` are those of a run of the job. It has the name also when it does not
    run: if it has ended, or a person is sure of it.
    """

    cluster: str
    uid: str
    pod_name: str
    node: str
    since: datetime
    may_run: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class NextRun:
    """The run that waits to be leased. ``granted``: by a person, outside all budgets.

    ``rejected`` is the reason why a cluster rejected the run before it; empty if none did.
    """

    index: int = 0
    attempt: int = 0
    not_before: datetime | None = None
    granted: bool = False
    rejected: str = ""


class EndedBy(StrEnum):
    """What ended a job."""

    SUCCESS = "success"
    VERDICT = "verdict"
    CANCEL = "cancel"
    NEVER_RETRY = "never-retry"
    LIMIT = "limit"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How the job ended; at most one for each ``opening``, which counts how often a person reopened the job."""

    state: State
    by: EndedBy
    at: datetime
    opening: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmittedJob:
    """A submitted job. A run is open, or ``next`` waits to be leased, or the job has an ``ending``.

    ``orphans`` are pods under the names of its runs.
    """

    job_id: str
    state: State = State.QUEUED
    runs: tuple[JobRun, ...] = ()
    next: NextRun | None = NextRun()
    ending: Ending | None = None
    opening: int = 0
    never_retry: bool = False
    orphans: tuple[Orphan, ...] = ()

    @property
    def latest(self) -> JobRun | None:
        """The latest run that no cluster rejected."""
        return next((run for run in reversed(self.runs) if not run.was_rejected), None)

    @property
    def open_run(self) -> JobRun | None:
        """The open run; there is at most one, the last."""
        return self.runs[-1] if self.runs and self.runs[-1].is_open else None

    @property
    def rejections(self) -> int:
        """How often clusters rejected the run that waits: the time until the next try grows with it."""
        return sum(1 for _ in takewhile(lambda run: run.was_rejected, reversed(self.runs)))

    @property
    def holding_orphan(self) -> Orphan | None:
        """The first orphan that holds the next run."""
        return next((orphan for orphan in self.orphans if orphan.may_run), None)

    def run(self, run_id: str) -> JobRun | None:
        return next((run for run in self.runs if run.run_id == run_id), None)

    def run_of_pod(self, uid: str, *, cluster: str) -> JobRun | None:
        """The run whose recorded pod this is."""
        return next((run for run in self.runs if run.uid == uid and run.cluster == cluster), None)

    def with_run(self, changed: JobRun) -> "SubmittedJob":
        """The job with this run in place of the one of the same id."""
        return replace(self, runs=tuple(changed if run.run_id == changed.run_id else run for run in self.runs))
