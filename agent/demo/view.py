"""How decisions are shown: a live table on a terminal, plain lines anywhere else."""

import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Protocol, Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from agent.demo.readings import Decision
from agent.demo.tally import Tally

_ROOM_FOR_FRAME = 8
_STYLES = {"infra": "cyan", "platform": "blue", "user": "yellow", "unknown": "white"}


class View(Protocol):
    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None: ...

    def show(self, decisions: Sequence[Decision], *, fresh: Sequence[Decision], tally: Tally, state: str) -> None:
        """``decisions`` are all so far, ``fresh`` those not shown before."""


class LiveTable:
    """The newest decisions in a table that fills the terminal."""

    def __init__(self, out: TextIO) -> None:
        self._console = Console(file=out, highlight=False, markup=False)
        self._live = Live(console=self._console, refresh_per_second=4, transient=False)

    def __enter__(self) -> Self:
        self._live.__enter__()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._live.__exit__(kind, error, at)

    def show(self, decisions: Sequence[Decision], *, fresh: Sequence[Decision], tally: Tally, state: str) -> None:
        del fresh
        room = max(self._console.height - _ROOM_FOR_FRAME, 3)
        table = Table(title=Text(counts(tally)), caption=Text(state), expand=True)
        for heading in ("TIME", "CLUSTER", "JOB", "RUN", "CATEGORY", "EXIT"):
            table.add_column(heading, no_wrap=True)
        table.add_column("VERDICT, AND WHY", no_wrap=True, overflow="ellipsis", ratio=1)
        for decision in decisions[-room:]:
            style = _STYLES.get(decision.origin, "white")
            table.add_row(*(Text(cell, style=style if i == 4 else "") for i, cell in enumerate(cells(decision))))  # noqa: PLR2004  # the category
        self._live.update(table)


class PlainLines:
    """Every decision on a line of its own, for pipes and files."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._out.flush()

    def show(self, decisions: Sequence[Decision], *, fresh: Sequence[Decision], tally: Tally, state: str) -> None:
        del decisions, tally, state
        self._out.writelines("  ".join(cells(decision)) + "\n" for decision in fresh)
        self._out.flush()


def view_on(out: TextIO) -> View:
    """The live table where ``out`` is a terminal, else plain lines."""
    return LiveTable(out) if out.isatty() else PlainLines(out)


def cells(decision: Decision) -> tuple[str, ...]:
    """One decision as the columns of the table."""
    return (
        decision.decided_at.astimezone().strftime("%H:%M:%S"),
        decision.cluster,
        decision.job_id[-8:],
        "-" if decision.attempt is None else str(decision.attempt),
        f"{decision.category} ({decision.origin})",
        "-" if decision.exit_code is None else str(decision.exit_code),
        decision.headline_text,
    )


def counts(tally: Tally) -> str:
    """The figures in one line."""
    waiting = f", {tally.lost} to be decided" if tally.lost else ""
    return f"{tally.failures} failures of {tally.kinds} kinds, {tally.decided} decided{waiting}"


def summary(tally: Tally, *, restarts: int) -> list[str]:
    """The end of the demo, in words."""
    p99 = tally.p99_detect_to_decision_ms
    lines = [
        f"{tally.failures} runs failed, of {tally.kinds} kinds; {tally.in_run} restarts in place on top",
        f"{tally.classified} classified by a rule, {tally.decided} decided",
        f"{tally.lost} lost, {tally.duplicates} decided twice",
    ]
    if tally.unexpected:
        lines.append(f"{tally.unexpected} verdicts on pods that the simulators did not end")
    if p99 is not None:
        lines.append(f"from detection to decision: 99 % within {p99:.0f} ms")
    if restarts:
        lines.append(f"parts that died and were restarted: {restarts}")
    return lines


def error_stream() -> TextIO:
    """Where messages for people go when stdout is for programs."""
    return sys.stderr
