"""A decision or a recovery as a line of a table, at any width, and what the table shows."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, assert_never

from agent.console.columns import Column, line
from agent.console.paragraphs import wrap
from agent.console.terminal import shorten, visible
from agent.core.failure_text.times import age
from agent.demo.readings import Decision, Recovery

Row = Decision | Recovery
"""What has a line of its own."""

RECOVERED: Final = "recovered"
_ID: Final = 8
"""Characters of a job's id, from its end: ``failctl explain`` knows the job by them."""
_TIME: Final = Column(heading="TIME", width=8)
_JOB: Final = Column(heading="JOB", width=_ID)
_ATTEMPT: Final = Column(heading="#", width=2, right=True)
_FAULT: Final = Column(heading="FAULT", width=8)
_LONGEST_CATEGORY: Final = 26
_SHORTEST_CATEGORY: Final = 8
_IN_SHORT: Final = len(RECOVERED)
"""Cells of ``retry``, ``fail`` or ``recovered``, and of the heading."""
_IN_FULL: Final = 15
"""Cells of ``retry at once`` or ``retry in 10 min``."""
_NARROW: Final = 60
_INDENT: Final = 9
"""Where the reason begins: under the job."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """What of a decision fits in a line: all but the time always does. ``category`` and ``decision`` are cells."""

    columns: int | None
    has_time: bool
    gap: int
    category: int
    decision: int

    @property
    def shown(self) -> tuple[Column, ...]:
        time = (_TIME,) if self.has_time else ()
        category = Column(heading="CATEGORY", width=self.category)
        return (*time, _JOB, _ATTEMPT, category, _FAULT, Column(heading="DECISION", width=self.decision))


def shape_for(columns: int | None) -> Shape:
    """The shape for a terminal of ``columns`` cells, or for a pipe (``None``).

    With less room the gaps shrink, then the decision loses when the next run starts, then the category its middle;
    below 60 the time is left out.
    """
    if columns is None:
        return Shape(columns=None, has_time=True, gap=2, category=_LONGEST_CATEGORY, decision=_IN_FULL)
    has_time = columns >= _NARROW
    for gap, decision in ((2, _IN_FULL), (1, _IN_FULL), (1, _IN_SHORT)):
        rest = _rest(has_time=has_time, gap=gap, decision=decision)
        if rest + _LONGEST_CATEGORY <= columns:
            return Shape(columns=columns, has_time=has_time, gap=gap, category=_LONGEST_CATEGORY, decision=decision)
    category = max(columns - _rest(has_time=has_time, gap=1, decision=_IN_SHORT), _SHORTEST_CATEGORY)
    return Shape(columns=columns, has_time=has_time, gap=1, category=category, decision=_IN_SHORT)


def _rest(*, has_time: bool, gap: int, decision: int) -> int:
    """Cells of a line without its category."""
    widths = [_JOB.width, _ATTEMPT.width, _FAULT.width, decision, *([_TIME.width] if has_time else [])]
    return sum(widths) + gap * len(widths)


def headings(shape: Shape) -> str:
    """The line above the decisions."""
    return line([column.heading for column in shape.shown], shape.shown, gap=shape.gap)


def decision_line(row: Row, shape: Shape) -> str:
    """The row; of a category that does not fit the middle is left out, but whole for a pipe."""
    return line(_cells(row, shape), shape.shown, gap=shape.gap)


def reason_lines(row: Row, shape: Shape) -> Iterator[str]:
    """The rest of a row, in as many lines as it needs."""
    text = visible(_reason(row))
    columns = None if shape.columns is None else shape.columns - _INDENT
    yield from (" " * _INDENT + part for part in ([text] if columns is None else wrap(text, columns)))


def _reason(row: Row) -> str:
    match row:
        case Decision():
            return f"{row.cluster}, {_exit(row)}: {row.headline_text}"
        case Recovery():
            return f"run {row.attempt + 1} of the job succeeded"
        case _ as unreachable:
            assert_never(unreachable)


def in_few_words(row: Row) -> str:
    """What was decided, and for a retry when; or that the job recovered."""
    if isinstance(row, Recovery):
        return RECOVERED
    if row.delay_seconds is None:
        return row.action.value
    delay = timedelta(seconds=round(row.delay_seconds))
    return f"{row.action.value} {f'in {age(delay)}' if delay else 'at once'}"


def outcome_word(row: Row) -> str:
    """What was decided, in one word; or that the job recovered."""
    return RECOVERED if isinstance(row, Recovery) else row.action.value


def _number(attempt: int | None) -> str:
    """From 1, as ``failctl explain`` counts; events count from 0."""
    return "-" if attempt is None else str(attempt + 1)


def _cells(row: Row, shape: Shape) -> list[str]:
    at = row.ended_at if isinstance(row, Recovery) else row.decided_at
    decision = row.last if isinstance(row, Recovery) else row
    category = visible(decision.category)
    return [
        *([at.astimezone().strftime("%H:%M:%S")] if shape.has_time else []),
        decision.job_id[-_ID:],
        _number(row.attempt),
        category if shape.columns is None else shorten(category, shape.category),
        decision.origin.value,
        in_few_words(row) if shape.decision == _IN_FULL else outcome_word(row),
    ]


def _exit(decision: Decision) -> str:
    return "no exit code" if decision.exit_code is None else f"exit {decision.exit_code}"
