"""``python -m tests.cases run FILE... [--only GROUP]...``. Exits 1 if a case failed, 2 if there was none to run."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from agent.settings.base import LogFormat, LogLevel
from agent.telemetry.logs import configure
from tests.cases.run import DATA, run_files


def main(arguments: Sequence[str]) -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m tests.cases", description=__doc__)
    run = parser.add_subparsers(dest="command", required=True).add_parser("run", help="run files of cases")
    run.add_argument("files", nargs="+", type=Path, metavar="FILE")
    run.add_argument("--only", action="extend", nargs="+", default=[], metavar="GROUP", help="run these groups only")
    given = parser.parse_args(arguments)
    configure(LogLevel.ERROR, LogFormat.CONSOLE)
    tally = run_files(given.files, only=given.only, out=sys.stdout)
    if tally.failed:
        return 1
    runnable = any(file.name not in DATA for file in given.files)
    return 2 if runnable and not tally.seen else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
