"""A job's whole timeline: each run, each failure, and everything in its verdict."""

from collections.abc import Iterator

from agent.console.terminal import visible
from agent.core.decision.explanation_text import whole
from agent.core.failure_text.times import at
from agent.ctl.classify.card import card
from agent.ctl.explain.attempts import Clock, attempts_of, is_numbered, number_of
from agent.store.recorded import RecordedFailure, RecordedRun, RecordedVerdict, Timeline

_INDENT = "  "


def details(timeline: Timeline, *, clock: Clock) -> Iterator[str]:
    """The lines, the oldest run first; whole, however long."""
    yield _job(timeline)
    for run in timeline.runs:
        yield ""
        yield _run_line(timeline, run)
        for failure in run.failures:
            yield from _card(failure, clock)
        yield from _verdict(run.verdict, clock)


def _job(timeline: Timeline) -> str:
    named = (("queue", timeline.queue), ("job set", timeline.job_set), ("gang", timeline.gang_id))
    names = ", ".join(f"{name} {visible(value)}" for name, value in named if value)
    count = attempts_of(timeline)
    runs = "1 run" if count == 1 else f"{count} runs"
    return f"job {visible(timeline.job_id)}{f' ({names})' if names else ''}: {runs}"


def _run_line(timeline: Timeline, run: RecordedRun) -> str:
    attempt = f", attempt {number_of(timeline, run)}" if is_numbered(timeline) else ""
    node = f" on {visible(run.node)}" if run.node else ""
    phase = f", {run.phase}" if run.phase is not None else ""
    pod = f"{visible(run.cluster)} {visible(run.namespace)}/{visible(run.pod_name)}"
    return f"run {visible(run.run_id)}{attempt}: {pod}{node}{phase}"


def _card(failure: RecordedFailure, clock: Clock) -> Iterator[str]:
    name = f"{at(failure.occurred_at, clock.zone)} {_occurrence(failure)}"
    for line in card(name, failure.failure):
        yield _INDENT + line


def _occurrence(recorded: RecordedFailure) -> str:
    occurrence = recorded.failure.occurrence.value
    return occurrence if recorded.amends is None else f"later evidence on {occurrence}"


def _verdict(verdict: RecordedVerdict | None, clock: Clock) -> Iterator[str]:
    if verdict is None:
        yield f"{_INDENT}no verdict"
        return
    for number, line in enumerate(whole(verdict.verdict.explanation)):
        label = f"{at(verdict.decided_at, clock.zone)} verdict: " if number == 0 else _INDENT
        yield f"{_INDENT}{label}{visible(line)}"
