"""What to do next about a job."""

from datetime import datetime

from agent.core.decision.next_step import next_step
from agent.core.failure import IN_RUN, Failure, Occurrence
from agent.core.failure_text.step import hint, joined, step
from agent.core.limit import VerdictAction
from agent.ctl.explain.attempts import is_numbered, number_of
from agent.ctl.explain.outcome import Outcome, State
from agent.store.recorded import Timeline


def next_of(timeline: Timeline, stands: Outcome, *, now: datetime) -> str:
    """What to do next, as one sentence."""
    known = stands.known
    match stands.state:
        case State.SUCCEEDED:
            return "nothing: the job succeeded"
        case State.RUNNING | State.PENDING:
            if known is not None and known.failure.occurrence is Occurrence.NEVER_CREATED:
                return joined(hint(known.failure), "its owner tries again by itself")
            if known is not None and known.failure.occurrence in IN_RUN:
                return joined("nothing yet: the run goes on", f"if it fails: {hint(known.failure)}")
            attempt = f"attempt {number_of(timeline, timeline.runs[-1])}" if is_numbered(timeline) else "the job"
            return f"nothing: {attempt} {'runs' if stands.state is State.RUNNING else 'waits to start'}"
        case _ if known is None:
            return "look at its pod: only that it failed is known so far"
        case _:
            return _after(known.failure, timeline, stands, now=now)


def _after(failure: Failure, timeline: Timeline, stands: Outcome, *, now: datetime) -> str:
    if _is_overruled(timeline, stands):
        return step(failure)
    return next_step(failure, None if stands.verdict is None else stands.verdict.verdict.explanation, now=now)


def _is_overruled(timeline: Timeline, stands: Outcome) -> bool:
    """Whether the submitted job has ended although its last verdict was Retry."""
    ended = timeline.submitted is not None and timeline.submitted.ended
    return ended and stands.verdict is not None and stands.verdict.verdict.action is VerdictAction.RETRY
