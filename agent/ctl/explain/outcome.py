"""The state of a job: the result of its newest run, and the failure that caused it."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.failure import HALTS, IN_RUN, UNDECIDED, Failure
from agent.core.lifecycle.state import State as Submitted
from agent.core.run_event import RunPhase
from agent.core.summary.internal import was_refused
from agent.store.recorded import RecordedFailure, RecordedRun, RecordedVerdict, Timeline


class State(StrEnum):
    """The state of a job by its newest run. A retry that was granted is none: it may be that nobody starts it."""

    FAILED = "failed"
    HALTED = "halted"
    RUNNING = "running"
    PENDING = "pending"
    SUCCEEDED = "succeeded"


OVER = frozenset({State.FAILED, State.HALTED})

HELD = frozenset({Submitted.QUEUED, Submitted.RETRY_WAITING, Submitted.STOPPING, Submitted.CANCELLED})
"""The states of submitted jobs in which no pod does the work."""


def state_word(timeline: Timeline, stands: "Outcome | None") -> str:
    """The state of a job for people: of a submitted one that of its submission."""
    if timeline.submitted is not None:
        return timeline.submitted.state
    return "" if stands is None else stands.state.value


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The state of a job, and its last failure: of ``run``, which need not be the newest.

    ``failure`` is the one that the verdict was made on, ``later`` its amendment after that.
    """

    state: State
    run: RecordedRun
    failure: RecordedFailure | None = None
    later: RecordedFailure | None = None
    verdict: RecordedVerdict | None = None

    @property
    def known(self) -> RecordedFailure | None:
        """The failure with the latest evidence."""
        return self.later or self.failure


def outcome(timeline: Timeline) -> Outcome:
    """The state of the job, of which there must be a run."""
    newest = timeline.runs[-1]
    state = _state(newest)
    run = newest if state in OVER else next((run for run in reversed(timeline.runs) if run.failures), newest)
    failure = deciding_failure(run)
    later = None if failure is None else _later(run, failure)
    return Outcome(state=state, run=run, failure=failure, later=later, verdict=run.verdict)


def deciding_failure(run: RecordedRun) -> RecordedFailure | None:
    """What the verdict was made on; before there is one the first end or halt, else the last that decides nothing."""
    if not run.failures:
        return None
    if run.verdict is not None:
        by_id = (failure for failure in run.failures if failure.event_id == run.verdict.event_id)
        if (found := next(by_id, None)) is not None:
            return found
    return _first_end(run) or run.failures[-1]


def _is_halt(failure: Failure) -> bool:
    """Whether the run had to be stopped; one that was refused never began."""
    return failure.occurrence in HALTS and not was_refused(failure)


def _first_end(run: RecordedRun) -> RecordedFailure | None:
    ends = (
        failure for failure in run.failures if failure.amends is None and failure.failure.occurrence not in UNDECIDED
    )
    return next(ends, None)


def _later(run: RecordedRun, failure: RecordedFailure) -> RecordedFailure | None:
    amending = [amendment for amendment in run.failures if amendment.amends == failure.event_id]
    return amending[-1] if amending else None


def _state(run: RecordedRun) -> State:
    if run.phase == RunPhase.SUCCEEDED:
        return State.SUCCEEDED
    end = _first_end(run)
    if run.verdict is not None or end is not None:
        return State.FAILED if end is None or not _is_halt(end.failure) else State.HALTED
    match run.phase:
        case RunPhase.FAILED:
            return State.FAILED
        case RunPhase.RUNNING:
            return State.RUNNING
        case _:
            restarted = any(failure.failure.occurrence in IN_RUN for failure in run.failures)
            return State.RUNNING if restarted else State.PENDING
