"""Chaos on real servers: pods fail while all they are told through is killed, and a table of what came of it.

Agent, schedulers, Pulsar and kube-apiserver are killed with SIGKILL, at random from a seed that is printed; Postgres,
where verdicts are kept, is not. Exits 1 unless nothing was lost and every run was decided once.
"""

import argparse
import os
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from tests.chaos.whole.course import run
from tests.chaos.whole.outcome import head, row
from tests.chaos.whole.plan import Plan, Victim
from tests.chaos.whole.stage import Site
from tests.servers.availability import NotPrepared, look
from tests.servers.cache import Cache, cache_folder
from tests.servers.catalogue import SERVERS
from tests.servers.control_plane import ControlPlane
from tests.servers.postgres_server import PostgresServer
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import make_namespace

Sites = Callable[[int], Site]
"""A site of its own for the round of this number."""

KILLS = {Victim.AGENT: 10, Victim.SCHEDULER: 10, Victim.PULSAR: 4, Victim.API_SERVER: 4}
"""In each round of the program."""


class NotThere(Exception):
    """A server is not prepared; the text says what does that."""


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Play the rounds; 0 if all hold."""
    given = _parser().parse_args(arguments)

    def say(text: str) -> None:
        out.write(f"{text}\n")
        out.flush()

    say(f"seed {given.seed}: --seed {given.seed} plays the same order and moments")
    try:
        with TemporaryDirectory(prefix="chaos-") as folder, started(Path(folder)) as sites:
            outcomes = []
            for number in range(given.rounds):
                plan = Plan(pods=given.pods, kills=KILLS, seed=given.seed + number)
                outcomes.append(run(plan, sites(number), say=say if given.verbose else _silence))
                say(f"round {number + 1} of {given.rounds}: {'; '.join(outcomes[-1].faults) or 'holds'}")
    except NotThere as why:
        say(str(why))
        return 1
    say("\n".join((head(), *map(row, outcomes))))
    return 0 if all(outcome.holds for outcome in outcomes) else 1


@contextmanager
def started(folder: Path) -> Iterator[Sites]:
    """Servers that end with the context, and sites in them. Raises NotThere."""
    programs = {name: _prepared(name) for name in ("kubernetes", "pulsar", "postgres")}
    with ExitStack() as stack:
        plane = stack.enter_context(ControlPlane(programs["kubernetes"], folder / "kubernetes"))
        pulsar = stack.enter_context(PulsarBroker(programs["pulsar"], folder / "pulsar"))
        postgres = stack.enter_context(PostgresServer(programs["postgres"]))

        def site(number: int) -> Site:
            name = f"chaos-{number}"
            plane.client().create("/api/v1/namespaces", {"metadata": {"name": name}})
            postgres.create_database(name)
            (folder / name).mkdir()
            return Site(
                plane=plane,
                namespace=name,
                pulsar=make_namespace(pulsar),
                store_url=postgres.store_url(name),
                folder=folder / name,
            )

        yield site


def _prepared(name: str) -> Path:
    match look(SERVERS[name], Cache(cache_folder(os.environ))):
        case NotPrepared(why):
            raise NotThere(f"needs a real {name} server: {why}")
        case found:
            return found.folder


def _silence(text: str) -> None:
    del text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.whole", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--pods", type=int, default=2000, help="pods that fail in each round (%(default)s)")
    seed = secrets.randbelow(10**9)
    parser.add_argument("--seed", type=int, default=seed, help="of the first round; the next has the next (drawn)")
    parser.add_argument("--verbose", action="store_true", help="say every kill")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
