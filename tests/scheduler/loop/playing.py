"""Plays the outcomes on a stage: submits the jobs, asks what people ask, and waits until all have ended."""

import time
from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.state import FINAL, State
from tests.scheduler.loop.outcomes import REQUESTS, SCRIPTS, Asked, Request

_PATIENCE: Final = 120.0
_POLL_SECONDS: Final = 0.05

Jobs = Mapping[str, SubmittedJob]
"""The jobs by the names of their scripts."""


class Stage(Protocol):
    """A scheduler, and what it talks to."""

    def submit(self, scripts: Sequence[str]) -> None:
        """Submit a job for each script."""

    def begin(self) -> None:
        """Have the agent begin, and with it the runs."""

    def jobs(self) -> Jobs:
        """The jobs as the store has them."""

    def ask(self, request: Request, job: SubmittedJob) -> None:
        """Ask as a person does."""

    def tend(self, jobs: Jobs) -> None:
        """Do what is to happen outside the loop when the jobs stand so."""

    def repeat_commands(self) -> None:
        """Have the agent obey every command that it ever got once more, and wait for what follows from that."""

    def lived(self) -> Mapping[str, int]:
        """How many pods of each job had containers that ran."""

    def assert_followed(self) -> None:
        """Whoever follows the job events knows of all jobs what the store has."""

    def overlaps(self) -> Sequence[object]:
        """Where two pods of a job ran at once."""


def play(stage: Stage) -> Jobs:
    """The jobs when all have ended."""
    stage.submit([*SCRIPTS])
    left = dict(REQUESTS)
    _ask(stage, stage.jobs(), left)
    stage.begin()
    until = time.monotonic() + _PATIENCE
    while True:
        jobs = stage.jobs()
        _ask(stage, jobs, left)
        if not left and all(job.state in FINAL for job in stage.jobs().values()):
            return stage.jobs()
        stage.tend(jobs)
        assert time.monotonic() < until, {script: job for script, job in jobs.items() if job.state not in FINAL}
        time.sleep(_POLL_SECONDS)


def about_to_vanish(jobs: Jobs) -> JobRun | None:
    """The run whose pod is to vanish now: it runs, and nothing else does."""
    others = (job for script, job in jobs.items() if script != "vanishes")
    job = jobs["vanishes"]
    is_time = job.state is State.RUNNING and len(job.runs) == 1 and all(other.state in FINAL for other in others)
    return job.latest if is_time else None


def _ask(stage: Stage, jobs: Jobs, left: dict[str, Asked]) -> None:
    """Make the requests for which it is time."""
    for script, asked in [*left.items()]:
        if jobs[script].state is asked.when:
            stage.ask(asked.request, jobs[script])
            del left[script]
