"""``failure-agent demo``: the command."""

import dataclasses
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TextIO

import typer

from agent.console.errors import report_error
from agent.console.exits import closed
from agent.console.paragraphs import wrap
from agent.console.program import add, make_command_app
from agent.console.program_paths import ProgramPaths
from agent.console.terminal import visible, width
from agent.ctl.addresses import DEMO_STORE
from agent.demo.agreement import Agreement
from agent.demo.closing import (
    afterwards,
    by_category,
    example,
    explain_command,
    summary,
    while_it_stays,
    why_unfinished,
)
from agent.demo.course import DRAIN_SECONDS, LOOKOUT_SECONDS, DemoOutcome, PartFailed, run_demo
from agent.demo.layout import FolderRefused, Layout, demo_folder
from agent.demo.opening import introduction, where_to_look
from agent.demo.staying import is_watched, stay
from agent.demo.submitting import SubmissionRefused
from agent.demo.view import view_on
from agent.process.exits import Exit
from agent.process.stopping import Stopped, stop_raised
from agent.settings.base import parse_duration
from agent.settings.environment import PREFIX
from agent.store.errors import StoreError

_LEAST_SECONDS = 5.0
_COLUMNS = 80
"""Cells of a line of prose where the output is no terminal."""

app = make_command_app("demo")


def _seconds(text: str) -> float:
    try:
        seconds = parse_duration(text).total_seconds()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if seconds < _LEAST_SECONDS:
        raise typer.BadParameter(f"at least {_LEAST_SECONDS:g}s")
    return seconds


@add(
    app, "failure-agent demo", "failure-agent demo --wide --stay", "failure-agent demo --for 60s --dir /tmp/demo --json"
)
def demo(
    *,
    duration: Annotated[
        str, typer.Option("--for", help="How long jobs are submitted, as 60s.", metavar="TIME")
    ] = "30s",
    wide: Annotated[bool, typer.Option("--wide", help="Show cluster, exit code and reason too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object at the end.")] = False,
    folder: Annotated[Path, typer.Option("--dir", help="Folder for its files.", metavar="FOLDER")] = Path("demo-data"),
    stays: Annotated[
        bool | None,
        typer.Option(
            "--stay/--no-stay",
            help="Run on when all jobs have ended, until Enter or Ctrl-C, to look at the pages and retry jobs. The "
            "default on a terminal, but not with --json or under CI=true.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Run all of it on this machine, with simulated clusters.

    Jobs are submitted, run on two simulated clusters, fail, and run again where the retry policy says so. Lookout shows
    them in a browser meanwhile, at the address that the demo prints. When time is up, the demo waits until all jobs
    have ended. Exits with code 0 if they have, if every failure was decided once, if no job ran twice at the same time
    or after its end, and if Lookout stored it all; 1 if not. If it is stopped before: 130 if it was interrupted, 143 if
    it was terminated.
    """
    try:
        with stop_raised():
            shown = _Shown(out=sys.stderr if as_json else sys.stdout, wide=wide, stays=_stays(stays, as_json=as_json))
            code = _run(folder, seconds=_seconds(duration), shown=shown, as_json=as_json)
            sys.stdout.flush()
    except BrokenPipeError:
        code = closed()
    except Stopped as stopped:
        code = stopped.code
    raise typer.Exit(code)


def _stays(asked: bool | None, *, as_json: bool) -> bool:  # noqa: FBT001 - what the option says
    return (not as_json and is_watched(sys.stdin, sys.stdout)) if asked is None else asked


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shown:
    """How the demo is shown. ``stays``: until somebody has seen enough."""

    out: TextIO
    wide: bool
    stays: bool

    @property
    def columns(self) -> int:
        return width(self.out) or _COLUMNS

    def write(self, lines: Iterable[str]) -> None:
        self.out.writelines(f"{line}\n" for line in lines)
        self.out.flush()


def _run(folder: Path, *, seconds: float, shown: _Shown, as_json: bool) -> int:
    try:
        with demo_folder(folder) as layout:
            shown.write((*introduction(seconds=seconds, columns=shown.columns), ""))
            outcome = _course(layout, seconds, shown)
    except FolderRefused as error:
        report_error(sys.stderr, str(error), code=Exit.USAGE)
        return Exit.USAGE
    except (PartFailed, SubmissionRefused, StoreError) as error:
        report_error(sys.stderr, str(error), code=Exit.FAILED)
        return Exit.FAILED
    except OSError as error:
        if error.filename is None:  # the output
            raise
        message = f"cannot write in {visible(str(error.filename))}: {error.strerror}; name another folder with --dir"
        report_error(sys.stderr, message, code=Exit.USAGE)
        return Exit.USAGE
    except Stopped as stopped:
        shown.write(("", "Interrupted before there were any figures. Every process has exited."))
        return stopped.code
    shown.write(_afterwards(outcome, layout, shown.columns))
    if as_json:
        figures = dataclasses.asdict(outcome.jobs) | dataclasses.asdict(outcome.tally) | _stored(outcome.lookout)
        sys.stdout.write(json.dumps(figures) + "\n")
    if outcome.stopped is not None:
        return outcome.stopped.code
    return Exit.FINE if outcome.is_sound else Exit.FAILED


def _course(layout: Layout, seconds: float, shown: _Shown) -> DemoOutcome:
    """The demo itself, and then as long as somebody looks at it."""
    api = layout.lookout_api

    def began() -> None:
        shown.write((*where_to_look(api, pages=_has_pages(), columns=shown.columns), ""))

    def ended(outcome: DemoOutcome, tick: Callable[[], None]) -> None:
        shown.write(_results(outcome, layout, shown))
        if shown.stays and outcome.stopped is None:
            shown.write(("", *while_it_stays(api, columns=shown.columns)))
            stay(sys.stdin if sys.stdin.isatty() else None, tick)

    view = view_on(shown.out, wide=shown.wide, address=api)
    return run_demo(layout, seconds=seconds, view=view, began=began, ended=ended)


def _has_pages() -> bool:
    from agent.lookout.api import pages  # noqa: PLC0415 - it brings the web server, which this process does not run

    return pages.are_built()


def _stored(lookout: Agreement | None) -> dict[str, int]:
    """What Lookout stored, if that was compared."""
    if lookout is None:
        return {}
    figures = {f"lookout_{name}": number for name, number in lookout.figures.items()}
    return {**figures, "lookout_differences": len(lookout.differences)}


def _results(outcome: DemoOutcome, layout: Layout, shown: _Shown) -> Iterator[str]:
    columns = shown.columns
    yield ""
    if why := why_unfinished(outcome.jobs.unfinished, interrupted=outcome.stopped is not None, idle=DRAIN_SECONDS):
        yield from wrap(why, columns)
    yield from summary(outcome.tally, outcome.jobs, restarts=outcome.restarts, columns=columns)
    if outcome.lookout is not None:
        yield from outcome.lookout.lines(seconds=LOOKOUT_SECONDS, log=str(layout.lookout_log), columns=columns)
    yield ""
    yield from by_category(outcome.decisions, outcome.standings, columns=width(shown.out))


def _afterwards(outcome: DemoOutcome, layout: Layout, columns: int) -> Iterator[str]:
    yield ""
    yield "Every process has exited. Their files:"
    yield f"  {visible(str(layout.folder))}"
    yield from afterwards(layout.lookout_api, columns=columns)
    job_id = example(outcome.decisions)
    if job_id is not None:
        yield "Ask why a job failed:"
        yield f"  {explain_command(ProgramPaths.current().spell('failctl'), job_id, where=_where(layout))}"


def _where(layout: Layout) -> tuple[str, ...]:
    """Options that name the demo's store, unless a command finds it in this folder without them."""
    found_anyway = f"{PREFIX}STORE__URL" not in os.environ and layout.store == Path.cwd() / DEMO_STORE
    return () if found_anyway else ("--store", layout.store_url)
