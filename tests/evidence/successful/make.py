"""``python -m tests.evidence.successful.make``: runs tools that succeed, and keeps their logs in ``build/successful``.

Runs that have a log are not run again. ``--tool`` runs some of them only, ``--pack`` writes what is committed.
Needs the network, and minutes to hours; a tool that is not installed, or that fails, is reported and left out.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final, TextIO

from agent.core.classify.classifier import compile_rules
from agent.evaluate.false_names import report
from agent.evaluate.successful import WINDOWS, Blame, FalseName
from agent.rule_files import read_rules
from agent.shipped import RULES, shipped
from tests.evidence.successful.pack import made, pack
from tests.evidence.successful.recipe import recipes
from tests.evidence.successful.run import Kitchen, run
from tests.ground.tree import ROOT
from tests.servers.progress import Progress

MOST: Final = 30_000


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Make the logs that are asked for; a tool that fails does not make the whole fail, a false name does: 1."""
    asked = _parser().parse_args(arguments)
    kitchen = Kitchen(work=asked.build / "work", logs=asked.build / "logs")
    wanted = [recipe for recipe in recipes() if recipe.tool in asked.tool or not (asked.tool or asked.pack)]
    say = Progress(out, clock=time.monotonic).say
    with ThreadPoolExecutor(asked.jobs) as pool:
        list(pool.map(partial(run, kitchen=kitchen, say=say), wanted))
    if asked.pack:
        out.write(f"{pack(recipes(), kitchen, most=asked.most)}\n")
    return _check(kitchen, out) if asked.check else 0


def _check(kitchen: Kitchen, out: TextIO) -> int:
    """Report what the shipped rules blame in the whole logs, repeated lines too; 1 if anything, or if there is none."""
    rules = read_rules(shipped(RULES))
    blame = Blame(compile_rules(rules), rules)
    found: list[FalseName] = []
    lines = 0
    for log in made(recipes(), kitchen):
        lines += len(log.lines)
        found += (name for size in WINDOWS for name in blame.false_names(log, size=size))
    out.writelines(f"{line}\n" for line in report(found))
    counted = sum(not name.refused for name in found)
    out.write(f"{lines:,} lines were read: {counted} false names\n")
    return 1 if counted or not lines else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.successful.make", description=__doc__)
    parser.add_argument("--tool", action="append", default=[], help="run this tool only; may be given more than once")
    parser.add_argument("--jobs", type=int, default=2, help="tools at a time (%(default)s)")
    parser.add_argument("--pack", action="store_true", help="then write what is committed")
    parser.add_argument("--check", action="store_true", help="then look for what the shipped rules blame in the logs")
    parser.add_argument("--most", type=int, default=MOST, help="lines of a tool that are packed (%(default)s)")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "successful", help="where all of it goes")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
