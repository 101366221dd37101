"""Starting: processor time of ``failctl`` from its start to its end, beside ``python -c pass`` and ``failctl --help``.

``classify -f`` reads a file with one pod; ``get`` and ``explain`` read a store with one failed job, and ask the API of
a scheduler over it. The time in which an agent reads and compiles its rules, without imports, is measured, too. All
take turns; a figure is the least of the rounds, because whatever else the machine does only adds to it.

The goals are ``GOALS`` in seconds, and no command more than ``MOST_HELPS`` times ``failctl --help``. A slower machine
should not fail, so the seconds are held as ratios, too: a goal is divided by ``PASS_SECONDS``, what ``python -c pass``
takes on the machine that the goals are meant for, and a command by what ``python -c pass`` takes in its run.

``--against REF`` runs another revision of this repository in the same rounds, with the same interpreter and packages,
and prints how many times its cost ours is; it may be given again. What that revision cannot run is left out, which is
said. ``--quick`` takes fewer rounds, and beside ``python -c pass`` it holds nothing to a goal: instead no command may
cost more than in the revision that we keep up with (``bench.peer.revision``). ``--json`` prints one line of JSON last.
Exits 1 below a target.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from itertools import product
from typing import Final

from bench.peer.child import CommandFailed
from bench.peer.failctl import (
    AGENT,
    ALL,
    CLASSIFY,
    EXPLAIN,
    EXPLAIN_BY_API,
    GET,
    GET_BY_API,
    HELP,
    PASS,
    Contestant,
    ready,
)
from bench.peer.revision import KEPT, THIS, NoRevision, unpacked
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_most

ROUNDS, QUICK_ROUNDS = 20, 6
GOALS: Final = {CLASSIFY: 0.35, GET: 0.35, EXPLAIN: 0.35, GET_BY_API: 0.25, EXPLAIN_BY_API: 0.25, AGENT: 0.18}
"""Seconds; that of the rules is what they take, 0.155 s, and a tenth to spare."""
PASS_SECONDS: Final = 0.009
MOST_HELPS: Final = 4.0

COMMANDS: Final = tuple(name for name in GOALS if name != AGENT)

Costs = Mapping[str, float]
"""Seconds of processor by command."""


def measure(rounds: int, *, against: Sequence[str]) -> dict[str, Costs]:
    """What each command costs in this tree, and in other revisions. Raises NoRevision and CommandFailed."""
    with ExitStack() as running:
        revisions = [THIS, *(running.enter_context(unpacked(name)) for name in against)]
        contestants = [running.enter_context(ready(revision)) for revision in revisions]
        if unable := [name for name in ALL if name not in contestants[0].commands]:
            raise CommandFailed(f"this tree cannot run {'; '.join(unable)}")
        return take_turns(contestants, rounds)


def take_turns(contestants: Sequence[Contestant], rounds: int) -> dict[str, Costs]:
    """The least cost of each command by revision; the shortest runs before each of the others, too."""
    found: dict[str, dict[str, float]] = {contestant.revision.name: {} for contestant in contestants}
    turns = [turn for name in ALL for turn in (PASS, name)]
    for name, contestant in [*product(turns, contestants)] * rounds:
        if name in contestant.commands:
            costs = found[contestant.revision.name]
            costs[name] = min(costs.get(name, math.inf), contestant.seconds(name))
    return dict(found)


def verdicts(costs: Costs) -> list[Held]:
    """What is held to targets: ratios of costs in the same rounds."""
    passes = [
        at_most(f"{name}, beside {PASS}", costs[name] / costs[PASS], target=goal / PASS_SECONDS)
        for name, goal in GOALS.items()
    ]
    return [*passes, *_beside_help(costs)]


def quick_verdicts(costs: Costs, kept: Costs) -> list[Held]:
    """What the quick form is held to: what commands cost in the revision that we keep up with. Raises CommandFailed."""
    if unable := [name for name in GOALS if name not in kept]:
        raise CommandFailed(f"{KEPT} cannot run {'; '.join(unable)}: name a later revision that we keep up with")
    beside = [at_most(f"{name}, beside {KEPT}", costs[name] / kept[name], target=1.0) for name in GOALS]
    return [*beside, *_beside_help(costs)]


def _beside_help(costs: Costs) -> list[Held]:
    return [at_most(f"{name}, beside {HELP}", costs[name] / costs[HELP], target=MOST_HELPS) for name in COMMANDS]


def table(found: Mapping[str, Costs]) -> str:
    """The figures for people: milliseconds, as ratios, and of other revisions with how many times that ours is."""
    costs, others = found[THIS.name], {name: costs for name, costs in found.items() if name != THIS.name}
    head = f"{'ms of processor':<24}{'ours':>8}{'x pass':>8}{'x help':>8}"
    rows = [head + "".join(f"{name:>24}" for name in others)]
    for name, seconds in costs.items():
        beside = f"{seconds / costs[PASS]:>8.2f}{seconds / costs[HELP]:>8.2f}"
        cells = "".join(f"{_against(seconds, other.get(name)):>24}" for other in others.values())
        rows.append(f"{name:<24}{seconds * 1e3:>8.1f}{beside}{cells}")
    return "\n".join(rows)


def _against(seconds: float, other: float | None) -> str:
    return "-" if other is None else f"{other * 1e3:.1f} ({seconds / other:.2f}x)"


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    parser = options(__doc__, quick="fewer rounds")
    parser.add_argument(
        "--against", action="append", default=[], metavar="REF", help="another revision, to measure in turns with ours"
    )
    given = parser.parse_args(arguments)
    others = dict.fromkeys([KEPT, *given.against] if given.quick else given.against)
    try:
        found = measure(QUICK_ROUNDS if given.quick else ROUNDS, against=list(others))
        print(table(found))
        held = quick_verdicts(found[THIS.name], found[KEPT]) if given.quick else verdicts(found[THIS.name])
    except (NoRevision, CommandFailed) as why:
        return report_not_run(why, given=given)
    return report(held, {"seconds": found}, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
