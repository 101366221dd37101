"""A run of a benchmark as a process of its own, and again where it misses a target."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, assert_never

import msgspec

from bench.report.held import Held, are_met, lines, medians


@dataclass(frozen=True, slots=True)
class Measured:
    """What the benchmark holds to targets."""

    held: tuple[Held, ...]


@dataclass(frozen=True, slots=True)
class NotRun:
    """There are no figures, and why."""

    why: str


Outcome = Measured | NotRun
_ENDS: Final = (0, 1)
"""The exit codes of a benchmark that has measured: all targets are met, or not."""


class _Answer(msgspec.Struct, frozen=True):
    """The part of the line of JSON that all benchmarks have."""

    held: tuple[Held, ...] = ()
    not_run: str = ""


def run(program: Path, options: Sequence[str]) -> Outcome:
    """Run a benchmark. What it prints goes to standard error, all but its line of JSON."""
    command = [sys.executable, str(program), "--json", *options]
    last = ""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, encoding="utf-8") as process:
        for line in process.stdout or ():
            sys.stderr.write(last)
            sys.stderr.flush()
            last = line
    try:
        answer = msgspec.json.decode(last, type=_Answer)
    except msgspec.DecodeError:
        sys.stderr.write(last)
        answer = _Answer()
    if answer.not_run:
        return NotRun(answer.not_run)
    if not answer.held or process.returncode not in _ENDS:
        return NotRun(f"it gave no figures, and ended with exit code {process.returncode}")
    return Measured(answer.held)


def settle(measure: Callable[[], Outcome], *, floor: float, again: int) -> Outcome:
    """What is measured; if a figure is below the floor, the median of each figure over this and so many more runs."""
    first = measure()
    if isinstance(first, NotRun) or are_met(first.held, floor):
        return first
    runs = [first.held]
    for _ in range(again):
        more = measure()
        if isinstance(more, NotRun):
            return more
        runs.append(more.held)
    return Measured(medians(runs))


def failures(outcomes: Mapping[str, Outcome], *, floor: float) -> Iterator[str]:
    """A line about each figure below the floor, and about each program without figures, by the name of the program."""
    for program, outcome in outcomes.items():
        match outcome:
            case NotRun(why):
                yield f"NOT RUN {program}: {why}"
            case Measured(held):
                below = [figure for figure in held if figure.share < floor]
                yield from (f"{program}: {line}" for line in lines(below, floor))
            case never:
                assert_never(never)
