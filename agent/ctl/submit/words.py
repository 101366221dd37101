"""Submitted jobs of the API, in words."""

from typing import Final

from agent.api.v1 import job_pb2 as pb
from agent.console.terminal import visible

_PREFIX: Final = "JOB_STATE_"


def state_word(state: int) -> str:
    """As people read it: ``retry-waiting``."""
    known = state in pb.JobState.values()
    return pb.JobState.Name(state).removeprefix(_PREFIX).lower().replace("_", "-") if known else "unknown"


def ended_words(job: pb.Job) -> str:
    """How a job ended: ``succeeded``, or ``failed, by verdict``."""
    by = f", by {visible(job.ended_by)}" if job.state != pb.JOB_STATE_SUCCEEDED else ""
    return f"{state_word(job.state)}{by}"
