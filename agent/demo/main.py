"""``failure-agent demo``: the command."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.demo.course import PartFailed, run_demo
from agent.demo.layout import FolderTaken, Layout, make_layout
from agent.demo.tally import Tally
from agent.demo.view import error_stream, summary, view_on
from agent.process.exits import Exit
from agent.settings.base import parse_duration

_LEAST_SECONDS = 5.0


def main(argv: Sequence[str]) -> int:
    """Run the demo. Returns the exit code: 0 every failure decided once, 1 not so, 2 wrong usage, 130 interrupted."""
    given = _parser().parse_args(argv)
    out = error_stream() if given.json else sys.stdout
    try:
        layout = make_layout(given.dir)
        out.write(f"Two simulated clusters, an agent each, and a scheduler, for {given.seconds:g} s.\n")
        outcome = run_demo(layout, seconds=given.seconds, view=view_on(out))
    except FolderTaken as error:
        sys.stderr.write(f"failure-agent demo: {error}\n")
        return Exit.USAGE
    except PartFailed as error:
        sys.stderr.write(f"failure-agent demo: {error}\n")
        return Exit.FAILED
    except KeyboardInterrupt:
        out.write("\nStopped; every part has ended.\n")
        return 130
    out.writelines(line + "\n" for line in (*summary(outcome.tally, restarts=outcome.restarts), *_files(layout)))
    if given.json:
        sys.stdout.write(json.dumps(_figures(outcome.tally)) + "\n")
    return Exit.FINE if outcome.tally.is_sound else Exit.FAILED


def _figures(tally: Tally) -> dict[str, object]:
    return dataclasses.asdict(tally)


def _files(layout: Layout) -> list[str]:
    return [
        f"Files are in {layout.folder}: store.db, event-log.db, logs/, and a folder for each cluster.",
        f"Ask why:  failctl explain JOB --store {layout.store_url}",
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="failure-agent demo", description="Watch failures happen on two simulated clusters, and be decided."
    )
    add = parser.add_argument
    add("--for", dest="seconds", type=_seconds, default=30.0, metavar="TIME", help="how long, as 60s; default 30s")
    add("--json", action="store_true", help="print the figures as one JSON object on the last line")
    add("--dir", type=Path, default=Path("demo-data"), help="folder for its files; default ./demo-data")
    return parser


def _seconds(text: str) -> float:
    try:
        seconds = parse_duration(text).total_seconds()
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
    if seconds < _LEAST_SECONDS:
        raise argparse.ArgumentTypeError(f"at least {_LEAST_SECONDS:g}s")
    return seconds
