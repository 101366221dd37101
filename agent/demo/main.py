"""``failure-agent demo``: the command."""

import dataclasses
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from agent.console.complaints import complain
from agent.console.program import add, make_command_app
from agent.demo.course import PartFailed, run_demo
from agent.demo.layout import FolderTaken, Layout, make_layout
from agent.demo.tally import Tally
from agent.demo.view import error_stream, summary, view_on
from agent.process.exits import Exit
from agent.settings.base import parse_duration

_LEAST_SECONDS = 5.0

app = make_command_app("demo")


def _seconds(text: str) -> float:
    try:
        seconds = parse_duration(text).total_seconds()
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    if seconds < _LEAST_SECONDS:
        raise typer.BadParameter(f"at least {_LEAST_SECONDS:g}s")
    return seconds


@add(app, "failure-agent demo", "failure-agent demo --for 60s --dir /tmp/demo --json")
def demo(
    *,
    duration: Annotated[str, typer.Option("--for", help="How long, as 60s.", metavar="TIME")] = "30s",
    as_json: Annotated[bool, typer.Option("--json", help="Print the figures as one JSON object at the end.")] = False,
    folder: Annotated[Path, typer.Option("--dir", help="Folder for its files.", metavar="FOLDER")] = Path("demo-data"),
) -> None:
    """Run all of it on this machine, with simulated clusters.

    Watch failures happen on two simulated clusters, and be decided. Exits with code 0 if every failure was decided
    once, 1 if not, 130 if it was interrupted.
    """
    raise typer.Exit(_played(folder, seconds=_seconds(duration), as_json=as_json))


def _played(folder: Path, *, seconds: float, as_json: bool) -> int:
    out = error_stream() if as_json else sys.stdout
    try:
        layout = make_layout(folder)
        out.write(f"Two simulated clusters, an agent each, and a scheduler, for {seconds:g} s.\n")
        outcome = run_demo(layout, seconds=seconds, view=view_on(out))
    except FolderTaken as error:
        complain(sys.stderr, str(error), code=Exit.USAGE)
        return Exit.USAGE
    except PartFailed as error:
        complain(sys.stderr, str(error), code=Exit.FAILED)
        return Exit.FAILED
    except KeyboardInterrupt:
        out.write("\nStopped; every part has ended.\n")
        return 130
    out.writelines(line + "\n" for line in (*summary(outcome.tally, restarts=outcome.restarts), *_files(layout)))
    if as_json:
        sys.stdout.write(json.dumps(_figures(outcome.tally)) + "\n")
    return Exit.FINE if outcome.tally.is_sound else Exit.FAILED


def _figures(tally: Tally) -> dict[str, object]:
    return dataclasses.asdict(tally)


def _files(layout: Layout) -> list[str]:
    return [
        f"Files are in {layout.folder}: store.db, event-log.db, logs/, and a folder for each cluster.",
        f"Ask why:  failctl explain JOB --store {layout.store_url}",
    ]
