"""What to do next about a job, and who does what by itself."""

from agent.core.decision.next_step import granted, next_step
from agent.core.failure import IN_RUN, Failure, Occurrence
from agent.core.failure_text.step import hint, joined, step
from agent.core.failure_text.successor import by_controller, successor
from agent.core.limit import VerdictAction
from agent.ctl.explain.attempts import is_numbered, number_of
from agent.ctl.explain.outcome import OVER, Outcome, State
from agent.store.recorded import Timeline


def next_of(timeline: Timeline, stands: Outcome) -> str:
    """What to do next, as one sentence."""
    known = stands.known
    match stands.state:
        case State.SUCCEEDED:
            return "nothing: the job succeeded"
        case State.RUNNING | State.PENDING:
            if known is not None and known.failure.occurrence is Occurrence.NEVER_CREATED:
                return joined(hint(known.failure), successor(known.failure))
            if known is not None and known.failure.occurrence in IN_RUN:
                goes_on = f"nothing yet: the run goes on, {successor(known.failure)}"
                return joined(goes_on, f"if it fails: {hint(known.failure)}")
            attempt = f"attempt {number_of(timeline, timeline.runs[-1])}" if is_numbered(timeline) else "the job"
            return f"nothing: {attempt} {'runs' if stands.state is State.RUNNING else 'waits to start'}"
        case _ if known is None:
            return "look at its pod: only that it failed is known so far"
        case _:
            return _after(known.failure, timeline, stands)


def follows(timeline: Timeline, stands: Outcome) -> str:
    """What happens by itself to a job that nobody submitted; empty where ``next_of`` says it, or if it is not known."""
    known = stands.known
    if known is None or timeline.submitted is not None or stands.state not in OVER or is_granted(stands):
        return ""
    if known.failure.pod.controller is not None:
        return successor(known.failure)
    controller = _controller(timeline, known.failure)
    return "" if controller is None else by_controller(controller)


def advised_retry(timeline: Timeline, stands: Outcome) -> str:
    """The retry that a verdict granted to a job that nobody submitted, so that the scheduler does not start it."""
    if stands.verdict is None or timeline.submitted is not None or stands.state not in OVER or not is_granted(stands):
        return ""
    return granted(stands.verdict.verdict.explanation)


def _after(failure: Failure, timeline: Timeline, stands: Outcome) -> str:
    if _is_overruled(timeline, stands):
        return step(failure)
    explanation = None if stands.verdict is None else stands.verdict.verdict.explanation
    return next_step(failure, explanation, controller=_controller(timeline, failure))


def _controller(timeline: Timeline, failure: Failure) -> str | None:
    """Who made the pod. Agents that do not report it give a pod that nobody else made its own uid as the job's id."""
    if failure.pod.controller is None and timeline.job_id == timeline.runs[-1].run_id:
        return ""
    return failure.pod.controller


def is_granted(stands: Outcome) -> bool:
    """Whether the last verdict is Retry."""
    return stands.verdict is not None and stands.verdict.verdict.action is VerdictAction.RETRY


def _is_overruled(timeline: Timeline, stands: Outcome) -> bool:
    """Whether the submitted job has ended although its last verdict was Retry."""
    ended = timeline.submitted is not None and timeline.submitted.ended
    return ended and is_granted(stands)
