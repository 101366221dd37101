"""Waits until jobs have ended, and says what happens to them meanwhile."""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Final, TextIO

from agent.api.v1 import job_pb2 as pb
from agent.client.errors import ApiUnreachable
from agent.client.jobs import JobClient
from agent.console.exits import NotFoundError
from agent.console.terminal import visible

_PREFIX: Final = "JOB_STATE_"
FINAL: Final = frozenset({pb.JOB_STATE_SUCCEEDED, pb.JOB_STATE_FAILED, pb.JOB_STATE_CANCELLED})
EVERY_SECONDS: Final = 1.0

PATIENCE: Final = 600
"""How often in a row the scheduler may not answer: it may be restarted, and jobs go on meanwhile."""

_AT_ONCE: Final = 1_000
"""The most jobs of one call."""

_SPAN: Final = re.compile(r"\d+ (s|min|h|d)\b")


def state_word(state: int) -> str:
    """As people read it: ``retry-waiting``."""
    known = state in pb.JobState.values()
    return pb.JobState.Name(state).removeprefix(_PREFIX).lower().replace("_", "-") if known else "unknown"


def ended_words(job: pb.Job) -> str:
    """How a job ended: ``succeeded``, or ``failed, by verdict``."""
    by = f", by {visible(job.ended_by)}" if job.state != pb.JOB_STATE_SUCCEEDED else ""
    return f"{state_word(job.state)}{by}"


def wait_for(
    client: JobClient, names: Mapping[str, str], *, err: TextIO, sleep: Callable[[float], None] = time.sleep
) -> Mapping[str, pb.Job]:
    """Look at jobs, by id with the names to show, until all have ended. Raises ApiError and NotFoundError."""
    ended: dict[str, pb.Job] = {}
    said: dict[str, str] = {}
    silent = 0
    while left := [job_id for job_id in names if job_id not in ended]:
        try:
            found = _look(client, left)
        except ApiUnreachable:
            silent += 1
            if silent > PATIENCE:
                raise
            found = {}
        else:
            silent = 0
        for job_id, job in found.items():
            _say(names[job_id], job, said, err)
            if job.state in FINAL:
                ended[job_id] = job
        if len(ended) < len(names):
            sleep(EVERY_SECONDS)
    return ended


def _look(client: JobClient, job_ids: Sequence[str]) -> Mapping[str, pb.Job]:
    parts = [job_ids[start : start + _AT_ONCE] for start in range(0, len(job_ids), _AT_ONCE)]
    found = {job.job_id: job for part in parts for job in client.get(part)}
    gone = [job_id for job_id in job_ids if job_id not in found]
    if gone:
        raise NotFoundError(f"the scheduler no longer has the job {visible(gone[0])}")
    return found


def _say(name: str, job: pb.Job, said: dict[str, str], err: TextIO) -> None:
    """Say how a job stands, unless nothing has changed but the time."""
    state = state_word(job.state)
    stands = f"{state}: {job.wait}" if job.wait else state
    timeless = _SPAN.sub("", stands)
    if said.get(job.job_id) != timeless:
        said[job.job_id] = timeless
        err.write(f"{visible(name)}: {visible(stands)}\n")
        err.flush()
