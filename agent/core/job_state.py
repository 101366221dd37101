"""The state of a job, by its latest run. The runs of a job are in the order in which they were first seen."""

from enum import StrEnum

from agent.core.limit import VerdictAction
from agent.core.run_event import RunPhase


class JobState(StrEnum):
    """The state of a job; ``running`` includes a job whose latest run has not begun.

    ``recovered``: a run failed, and a later one succeeded. ``waiting``: the job was submitted, the verdict on its
    latest run is Retry, and no later run was seen. ``still-failed``: the latest run failed, or has to be stopped, and
    nothing follows it, as far as is known: the scheduler starts only submitted jobs again, whatever the verdict.
    """

    RUNNING = "running"
    SUCCEEDED = "succeeded"
    RECOVERED = "recovered"
    WAITING = "waiting"
    STILL_FAILED = "still-failed"


def job_state(
    phase: RunPhase | None, *, action: VerdictAction | None, failed_before: bool, is_submitted: bool
) -> JobState:
    """The state of a job from its latest run's phase and verdict, and whether another run failed."""
    if phase is RunPhase.SUCCEEDED:
        return JobState.RECOVERED if failed_before else JobState.SUCCEEDED
    if action is VerdictAction.RETRY and is_submitted:
        return JobState.WAITING
    failed = phase is RunPhase.FAILED or action is not None
    return JobState.STILL_FAILED if failed else JobState.RUNNING
