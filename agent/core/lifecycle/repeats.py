"""Which command of a run is due again after a time without an answer."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from agent.core.lifecycle.effects import Command, Create, Start, Stop
from agent.core.lifecycle.run import JobRun

FIRST_REPEAT: Final = timedelta(seconds=60)
LONGEST_REPEAT: Final = timedelta(hours=1)


def unanswered(run: JobRun) -> Command | None:
    """The command that the agent has not answered; at most one for each run."""
    if run.uid is None:
        return create_of(run) if run.is_open else None
    if run.is_open:
        return start_of(run, run.uid) if run.phase is None else None
    return stop_of(run, run.uid) if run.may_still_live and run.answered is None else None


def due_at(run: JobRun) -> datetime | None:
    """When that command is sent again, 60 s after the first time, then twice as long each time, at most an hour."""
    return None if unanswered(run) is None else run.sent_at + interval(run.sent)


def due_again(run: JobRun, now: datetime) -> Command | None:
    """The command to send again now."""
    due = due_at(run)
    return unanswered(run) if due is not None and due <= now else None


def interval(sent: int) -> timedelta:
    """How long to wait for the answer to a command that was sent this often."""
    # Six doublings exceed the hour; without the bound the power of a large count would overflow.
    return min(FIRST_REPEAT * (1 << min(sent - 1, 6)), LONGEST_REPEAT)


def sent_now(run: JobRun, now: datetime) -> JobRun:
    """The run, for which a new command is sent now."""
    return replace(run, sent_at=now, sent=1)


def sent_again(run: JobRun, now: datetime) -> JobRun:
    return replace(run, sent_at=now, sent=run.sent + 1)


def create_of(run: JobRun) -> Create:
    return Create(cluster=run.cluster, run_id=run.run_id, index=run.index, attempt=run.attempt)


def start_of(run: JobRun, uid: str) -> Start:
    return Start(cluster=run.cluster, run_id=run.run_id, uid=uid)


def stop_of(run: JobRun, uid: str) -> Stop:
    return Stop(cluster=run.cluster, run_id=run.run_id, uid=uid)
