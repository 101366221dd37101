"""Chaos for submitted jobs on real servers: they run, fail and run again while all that they depend on is killed.

A round has two agents of one cluster, two schedulers, kube-apiserver with etcd, kube-scheduler, Pulsar and Postgres.
Agents, both schedulers, Pulsar and kube-apiserver are killed with SIGKILL at random moments and started again after
random pauses, by the seed; etcd and Postgres, which keep what was stored, are not. Two nodes have kubelets that run no
programs: they play what the jobs' scripts say, and keep the ledger of containers.

Exits 1 unless no two pods of a job ran at once, every job ended as the sequential model says, and every verdict had its
effect and every effect its verdict.
"""

import argparse
import secrets
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from tests.chaos.loop.course import run
from tests.chaos.loop.outcome import Outcome, summary
from tests.chaos.loop.plan import Plan
from tests.chaos.whole.__main__ import NotThere, started


def main(arguments: Sequence[str], out: TextIO, progress: TextIO) -> int:
    """Play the rounds; 0 if all hold."""
    given = _parser().parse_args(arguments)

    def say(text: str) -> None:
        progress.write(f"{text}\n")
        progress.flush()

    say(f"seed {given.seed}: --seed {given.seed} plays the same jobs, order and moments")
    outcomes: list[Outcome] = []
    try:
        with _folder(given.dir) as folder, started(folder) as sites:
            for number in range(given.rounds):
                plan = Plan(jobs=given.jobs, kills=given.kills, seed=given.seed + number)
                site = sites(number)
                if number == 0:
                    site.plane.run_scheduler()
                outcomes.append(run(plan, site, say=say))
                say("\n".join(_words(number, outcomes[-1])))
    except NotThere as why:
        say(str(why))
        return 1
    holds = all(outcome.holds for outcome in outcomes)
    text = summary(outcomes, seed=given.seed) if given.json else "holds" if holds else "does NOT hold"
    out.write(f"{text}\n")
    return 0 if holds else 1


@contextmanager
def _folder(given: Path | None) -> Iterator[Path]:
    """Where the processes keep their files: what is given stays."""
    if given is not None:
        given.mkdir(parents=True)
        yield given.resolve()
        return
    with TemporaryDirectory(prefix="chaos-") as folder:
        yield Path(folder)


def _words(number: int, outcome: Outcome) -> Sequence[str]:
    said = f"round {number + 1}: {outcome.jobs} jobs in {outcome.seconds:.0f} s: {dict(outcome.figures)}"
    return said, *(f"  {finding}" for finding in outcome.findings.words())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.loop", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1, help="(%(default)s)")
    parser.add_argument("--jobs", type=int, default=500, help="in each round (%(default)s)")
    parser.add_argument("--kills", type=int, default=10, help="of each victim in each round (%(default)s)")
    seed = secrets.randbelow(10**9)
    parser.add_argument("--seed", type=int, default=seed, help="of the first round; the next has the next (drawn)")
    parser.add_argument("--dir", type=Path, help="a new folder, in which the logs stay (default: a temporary one)")
    parser.add_argument("--json", action="store_true", help="print the figures of all rounds as one line of JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout, sys.stderr))
