"""``python -m tests.chaos``: 2,000 failing pods, the agent killed ten times and the API server five; 1 on any loss."""

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from tests.chaos.course import Plan, real_in, run, table
from tests.servers.availability import NotPrepared, look
from tests.servers.cache import Cache, cache_folder
from tests.servers.catalogue import SERVERS
from tests.servers.control_plane import ControlPlane

NAMESPACE = "chaos"


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Play it and say how it went: 0 if every failure was reported exactly once."""
    given = _parser().parse_args(arguments)
    plan = Plan(pods=given.pods, agent_kills=given.agent_kills, server_kills=given.server_kills, seed=given.seed)
    server = look(SERVERS["kubernetes"], Cache(cache_folder(os.environ)))
    if isinstance(server, NotPrepared):
        out.write(f"needs a real API server: {server.why}\n")
        return 1

    def say(text: str) -> None:
        out.write(f"{text}\n")
        out.flush()

    with (
        TemporaryDirectory(prefix="chaos-") as folder,
        ControlPlane(server.folder, Path(folder) / "kubernetes") as plane,
    ):
        plane.client().create("/api/v1/namespaces", {"metadata": {"name": NAMESPACE}})
        outcome = run(plan, real_in(Path(folder), plane, NAMESPACE), plane, say=say)
    say(table(outcome))
    say("every failure was reported exactly once" if outcome.holds else "NOT every failure was reported exactly once")
    return 0 if outcome.holds else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--pods", type=int, default=2000, help="pods that fail (%(default)s)")
    parser.add_argument("--agent-kills", type=int, default=10, help="(%(default)s)")
    parser.add_argument("--server-kills", type=int, default=5, help="(%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="another order and other moments (%(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
