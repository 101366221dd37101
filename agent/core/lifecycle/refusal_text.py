"""Why a person's request changes nothing, in words."""

from typing import assert_never

from agent.core.lifecycle.effects import Refusal, Refused
from agent.core.lifecycle.job import Ending, SubmittedJob


def refusal_in_words(refused: Refused, job: SubmittedJob) -> str:
    """One sentence without its full stop."""
    match refused.why:
        case Refusal.RUN_OPEN:
            run = job.open_run
            number = "" if run is None else f" {run.index + 1}"
            return f"run{number} is {job.state}, so there is nothing to retry yet"
        case Refusal.QUEUED:
            return "its first run has not begun, so there is nothing to retry"
        case Refusal.NEEDS_AGAIN:
            return "it succeeded; --again runs it again"
        case Refusal.ENDED:
            return f"it has ended: {ending_in_words(refused.ending)}" if refused.ending else "it has ended"
        case (
            Refusal.UNKNOWN_UID
            | Refusal.UNKNOWN_RUN
            | Refusal.RUN_CLOSED
            | Refusal.NOTHING_TO_LEASE
            | Refusal.WAITS
            | Refusal.NEVER_RETRY
            | Refusal.LOST_CLUSTER_WAITS
            | Refusal.NOT_WAITING
            | Refusal.GRANTED_BY_PERSON
        ):
            return refused.why.replace("-", " ")
        case _ as unreachable:
            assert_never(unreachable)


def ending_in_words(ending: Ending) -> str:
    """How a job ended, such as ``failed, by verdict``."""
    return f"{ending.state}, by {ending.by}"
