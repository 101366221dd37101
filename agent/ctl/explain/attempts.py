"""The attempts of a job as a table, newest first, in the width of a terminal."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo

from agent.console.columns import Column, line, widened
from agent.console.terminal import fit, shorten, visible
from agent.core.evidence import Pod
from agent.core.failure import IN_RUN
from agent.core.failure_text.category import leaf
from agent.core.failure_text.ending import exit_code
from agent.core.failure_text.times import briefly_at, lasted
from agent.core.summary.user_code import has_run
from agent.ctl.explain.outcome import deciding_failure
from agent.store.recorded import RecordedRun, Timeline

_INDENT = 2
_HEADINGS = ("STARTED", "RAN", "NODE", "CATEGORY", "EXIT", "DECISION")
_NODE, _CATEGORY = 2, 3
_LEAST = {_NODE: 6, _CATEGORY: 8}
"""Cells that columns of free text keep; the node gives way before the category."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clock:
    """The present, and the zone in which times are shown; ``None`` is the machine's own."""

    now: datetime
    zone: tzinfo | None = None


def is_numbered(timeline: Timeline) -> bool:
    """Whether attempts have numbers on a card: not where there is only the first."""
    return attempts_of(timeline) > 1 or (timeline.runs[-1].attempt or 0) > 0


def attempts_of(timeline: Timeline) -> int:
    """How many attempts are known of."""
    return len(timeline.runs) + timeline.earlier_runs


def number_of(timeline: Timeline, run: RecordedRun) -> int:
    """Which attempt a run is, from 1: as the scheduler counts its runs, else as its pod says, else in order of time."""
    if timeline.submitted is not None:
        leased = next(
            (submitted_run for submitted_run in timeline.submitted.runs if submitted_run.run_id == run.run_id), None
        )
        if leased is not None:
            return leased.index + 1
    return timeline.earlier_runs + timeline.runs.index(run) + 1 if run.attempt is None else run.attempt + 1


def table(timeline: Timeline, runs: Sequence[RecordedRun], *, clock: Clock, columns: int) -> list[str]:
    """The heading, and a line a run, the newest first. ``runs`` are those of the timeline to show."""
    numbers = is_numbered(timeline)
    rows = [_HEADINGS, *(_cells(run, clock) for run in reversed(runs))]
    shown, gap = _fitting(rows, columns - (4 if numbers else 0))
    names = ["#", *(str(number_of(timeline, run)) for run in reversed(runs))] if numbers else [""] * len(rows)
    width = max(map(len, names))
    first = (Column(width=width, right=True),) if numbers else ()
    lines = [
        line([*([name] if numbers else []), *_cut(row, shown)], (*first, *shown), indent=_INDENT, gap=gap)
        for name, row in zip(names, rows, strict=True)
    ]
    return [fit(text, columns) for text in lines]


def _cells(run: RecordedRun, clock: Clock) -> tuple[str, ...]:
    recorded = deciding_failure(run)
    failure = None if recorded is None else recorded.failure
    code = None if failure is None or failure.occurrence in IN_RUN else exit_code(failure)
    started = (failure and failure.pod.started_at) or run.first_occurred_at
    return (
        briefly_at(started, clock.zone, now=clock.now),
        ran(run, now=clock.now) or "-",
        visible(run.node) or "-",
        _came_to(run),
        "-" if code is None else str(code),
        "-" if run.verdict is None else run.verdict.verdict.action.value,
    )


def _came_to(run: RecordedRun) -> str:
    recorded = deciding_failure(run)
    if recorded is None or recorded.failure.occurrence in IN_RUN:
        return run.phase or ("-" if recorded is None else "running")
    amending = [failure for failure in run.failures if failure.amends == recorded.event_id]
    found = (amending[-1] if amending else recorded).failure.classification
    return visible(leaf(found.category, found.subcategory))


def ran(run: RecordedRun, *, now: datetime) -> str:
    """How long a run ran, or has been running; empty where that is not known, or no container ever did."""
    recorded = deciding_failure(run)
    if recorded is not None and recorded.failure.occurrence not in IN_RUN:
        pod = recorded.failure.pod
        started = None if _never_ran(pod) else pod.started_at
        return "" if started is None else lasted(max((recorded.occurred_at - started).total_seconds(), 0))
    ended = run.phase_at if run.phase in {"succeeded", "failed"} else now
    return "" if ended is None else lasted(max((ended - run.first_occurred_at).total_seconds(), 0))


def _never_ran(pod: Pod) -> bool:
    return bool(pod.containers) and all(has_run(container) is False for container in pod.containers)


def _fitting(rows: Sequence[Sequence[str]], columns: int) -> tuple[tuple[Column, ...], int]:
    """Columns that fit, and the gap between them: the gap shrinks first, then the node, then the category."""
    widths = [column.width for column in widened([Column() for _ in rows[0]], rows)]
    gap = 2
    if sum(widths) + gap * (len(widths) - 1) + _INDENT > columns:
        gap = 1
    too_wide = sum(widths) + gap * (len(widths) - 1) + _INDENT - columns
    for at, least in _LEAST.items():
        given = min(max(too_wide, 0), max(widths[at] - least, 0))
        widths[at] -= given
        too_wide -= given
    return tuple(Column(width=width) for width in widths), gap


def _cut(row: Sequence[str], shown: Sequence[Column]) -> list[str]:
    return [
        shorten(text, column.width) if at == _NODE else fit(text, column.width)
        for at, (text, column) in enumerate(zip(row, shown, strict=True))
    ]
