"""A job's whole timeline: each run, each failure, and everything in its verdict."""

from collections.abc import Iterable, Iterator

from agent.console.paragraphs import paragraph
from agent.console.terminal import visible
from agent.core.decision.explanation_text import whole
from agent.core.failure_text.times import at
from agent.core.units import counted
from agent.ctl.classify.card import WHOLE, Page, card
from agent.ctl.explain.attempts import Clock, attempts_of, is_numbered, number_of
from agent.ctl.explain.submitted import came_of, notes, orphan_in_words
from agent.store.recorded import RecordedFailure, RecordedRun, RecordedVerdict, Timeline

_INDENT = "  "
_HANGING = 2


def details(timeline: Timeline, *, clock: Clock, page: Page = WHOLE) -> Iterator[str]:
    """The lines, the oldest run first: everything, wrapped to the width of the page."""
    yield from _wrapped([_job(timeline), *_submitted(timeline, clock)], page)
    for run in timeline.runs:
        yield ""
        yield from _wrapped([_run_line(timeline, run)], page)
        for failure in run.failures:
            yield from _card(failure, clock, page)
        yield from _wrapped([*_verdict(run.verdict, clock), *_came_of(timeline, run, clock)], page)


def _wrapped(lines: Iterable[str], page: Page) -> Iterator[str]:
    """The lines; what does not fit continues below, indented by two more."""
    for line in lines:
        text = line.lstrip(" ")
        indent = len(line) - len(text) + _HANGING
        yield from paragraph(line[:indent], line[indent:], indent=indent, columns=page.columns)


def _came_of(timeline: Timeline, run: RecordedRun, clock: Clock) -> Iterator[str]:
    if timeline.submitted is not None and (came := came_of(timeline.submitted, run.run_id, now=clock.now)):
        yield f"{_INDENT}then: {visible(came)}"


def _submitted(timeline: Timeline, clock: Clock) -> Iterator[str]:
    """What people did to the job, and the runs that the scheduler leased."""
    job = timeline.submitted
    if job is None:
        return
    name = f" as {visible(job.client_id)}" if job.client_id else ""
    yield f"{_INDENT}{at(job.submitted_at, clock.zone)} submitted by {visible(job.submitted_by)}{name}"
    for run in job.runs:
        granted = ", granted by a person" if run.granted else ""
        closed = "" if run.closed_at is None else f", closed {at(run.closed_at, clock.zone)} ({run.closed_by})"
        yield (
            f"{_INDENT}{at(run.opened_at, clock.zone)} run {run.index + 1} ({visible(run.run_id)}) leased to cluster "
            f"{visible(run.cluster)}{granted}{closed}"
        )
    for asked in job.requests:
        refused = f" (refused: {visible(asked.refused)})" if asked.refused else ""
        reason = f": {visible(asked.reason)}" if asked.reason else ""
        yield f"{_INDENT}{at(asked.at, clock.zone)} {asked.kind} by {visible(asked.by)}{reason}{refused}"
    for ending in job.endings:
        yield f"{_INDENT}{at(ending.at, clock.zone)} ended: {ending.state}, by {ending.by}"
    for orphan in job.orphans:
        yield f"{_INDENT}orphan: {visible(orphan_in_words(orphan, now=clock.now))}"
    if job.wait:
        yield f"{_INDENT}{visible(job.wait)}"
    yield from (f"{_INDENT}{note}" for note in notes(timeline))


def _job(timeline: Timeline) -> str:
    named = (("queue", timeline.queue), ("job set", timeline.job_set), ("gang", timeline.gang_id))
    names = ", ".join(f"{name} {visible(value)}" for name, value in named if value)
    count = attempts_of(timeline)
    runs = counted(count, "run")
    return f"job {visible(timeline.job_id)}{f' ({names})' if names else ''}: {runs}"


def _run_line(timeline: Timeline, run: RecordedRun) -> str:
    attempt = f", attempt {number_of(timeline, run)}" if is_numbered(timeline) else ""
    node = f" on {visible(run.node)}" if run.node else ""
    phase = f", {run.phase}" if run.phase is not None else ""
    pod = f"{visible(run.cluster)} {visible(run.namespace)}/{visible(run.pod_name)}"
    return f"run {visible(run.run_id)}{attempt}: {pod}{node}{phase}"


def _card(failure: RecordedFailure, clock: Clock, page: Page) -> Iterator[str]:
    yield f"{_INDENT}{at(failure.occurred_at, clock.zone)} {_occurrence(failure)}"
    columns = None if page.columns is None else page.columns - len(_INDENT)
    for line in card("", failure.failure, Page(columns=columns, palette=page.palette)):
        yield f"{_INDENT}{line}".rstrip(" ")


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
