"""``failure-agent demo``: the command."""

import dataclasses
import json
import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
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
from agent.demo.closing import afterwards, by_category, example, explain_command, summary, while_it_runs, why_unfinished
from agent.demo.course import DRAIN_SECONDS, LOOKOUT_SECONDS, DemoOutcome, PartFailed, run_demo
from agent.demo.layout import FolderRefused, Layout, demo_folder
from agent.demo.lines import introduction
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


@add(app, "failure-agent demo", "failure-agent demo --wide", "failure-agent demo --for 60s --dir /tmp/demo --json")
def demo(
    *,
    duration: Annotated[
        str, typer.Option("--for", help="How long jobs are submitted, as 60s.", metavar="TIME")
    ] = "30s",
    wide: Annotated[bool, typer.Option("--wide", help="Show cluster, exit code and reason too.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object at the end.")] = False,
    folder: Annotated[Path, typer.Option("--dir", help="Folder for its files.", metavar="FOLDER")] = Path("demo-data"),
) -> None:
    """Run all of it on this machine, with simulated clusters.

    Jobs are submitted, run on two simulated clusters, fail, and run again where the retry policy says so. When time
    is up, the demo waits until all jobs have ended. Exits with code 0 if they have, if every failure was decided once,
    if no job ran twice at the same time or after its end, and if Lookout stored it all; 1 if not, 130 if it was
    interrupted, 143 if it was terminated.
    """
    try:
        with stop_raised():
            code = _run(folder, seconds=_seconds(duration), wide=wide, as_json=as_json)
            sys.stdout.flush()
    except BrokenPipeError:
        code = closed()
    except Stopped as stopped:
        code = stopped.code
    raise typer.Exit(code)


def _run(folder: Path, *, seconds: float, wide: bool, as_json: bool) -> int:
    out = sys.stderr if as_json else sys.stdout
    columns = width(out) or _COLUMNS
    try:
        with demo_folder(folder) as layout:
            out.writelines(f"{line}\n" for line in (*introduction(seconds=seconds, columns=columns), ""))
            began = partial(_write_lines, out, (*while_it_runs(layout.lookout_api, columns=columns), ""))
            outcome = run_demo(layout, seconds=seconds, view=view_on(out, wide=wide), began=began)
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
        out.write("\nInterrupted before there were any figures. Every process has exited.\n")
        return stopped.code
    out.writelines(f"{line}\n" for line in _closing(outcome, layout, out))
    if as_json:
        figures = dataclasses.asdict(outcome.jobs) | dataclasses.asdict(outcome.tally) | _stored(outcome.lookout)
        sys.stdout.write(json.dumps(figures) + "\n")
    if outcome.stopped is not None:
        return outcome.stopped.code
    return Exit.FINE if outcome.is_sound else Exit.FAILED


def _write_lines(out: TextIO, lines: Iterable[str]) -> None:
    out.writelines(f"{line}\n" for line in lines)
    out.flush()


def _stored(lookout: Agreement | None) -> dict[str, int]:
    """What Lookout stored, if that was compared."""
    if lookout is None:
        return {}
    figures = {f"lookout_{name}": number for name, number in lookout.figures.items()}
    return {**figures, "lookout_differences": len(lookout.differences)}


def _closing(outcome: DemoOutcome, layout: Layout, out: TextIO) -> Iterator[str]:
    columns = width(out) or _COLUMNS
    yield ""
    if why := why_unfinished(outcome.jobs.unfinished, interrupted=outcome.stopped is not None, idle=DRAIN_SECONDS):
        yield from wrap(why, columns)
    yield from summary(outcome.tally, outcome.jobs, restarts=outcome.restarts, columns=columns)
    if outcome.lookout is not None:
        yield from outcome.lookout.lines(seconds=LOOKOUT_SECONDS, log=str(layout.lookout_log), columns=columns)
    yield ""
    yield from by_category(outcome.decisions, outcome.standings, columns=width(out))
    yield ""
    yield "Files of every process:"
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
