"""``python -m tests.servers prepare [NAME ...]`` makes servers; ``run NAME`` starts one until it is stopped.

``where NAME`` prints the folder of one that is made; kubectl is in that of ``kubernetes``.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final, TextIO, assert_never

from tests.servers.availability import NotPrepared, Prepared, look
from tests.servers.cache import VARIABLE, Cache, cache_folder
from tests.servers.catalogue import SERVERS
from tests.servers.foreground import run_control_plane, run_postgres, run_pulsar
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError, Server

_JOBS: Final = 2
_INTERRUPTED: Final = 128 + signal.SIGINT


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Do what is asked; 0 if it could be done."""
    asked = _parser().parse_args(arguments)
    cache = Cache(cache_folder(os.environ))
    try:
        if asked.command == "prepare":
            names = tuple(dict.fromkeys(asked.names or SERVERS))
            return prepare_all(names, cache, jobs=asked.jobs, out=out)
        server = SERVERS[asked.name]
        if asked.command == "where":
            return where(server, cache, out=out)
        folder = prepare(server, cache, jobs=asked.jobs, progress=Progress(out, clock=time.monotonic))
    except CannotPrepareError as error:
        out.write(f"{error}\n")
        return 1
    except KeyboardInterrupt:
        out.write("\ninterrupted; what was made so far of it is removed\n")
        return _INTERRUPTED
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return _run(folder, asked, out)


def prepare_all(names: Sequence[str], cache: Cache, *, jobs: int, out: TextIO) -> int:
    """Make what is not there yet of these servers, and say what cannot be made; 0 if all are there."""
    status = 0
    for name in names:
        try:
            prepare(SERVERS[name], cache, jobs=jobs, progress=Progress(out, clock=time.monotonic))
        except CannotPrepareError as error:
            out.write(f"{error}\n")
            status = 1
    return status


def prepare(server: Server, cache: Cache, *, jobs: int, progress: Progress) -> Path:
    """Make a server if it is not there yet, and say how it goes. Raises CannotPrepareError, naming the server."""

    def build(into: Path) -> None:
        progress.say(f"{server.name}: is made now and kept in {cache.folder} ({VARIABLE}); {server.cost}")
        server.build(into, jobs=jobs, progress=progress)

    waiting = partial(progress.say, f"{server.name}: another process makes it; waiting for that")
    try:
        folder = cache.make(server.name, server.key(), build=build, waiting=waiting)
    except CannotPrepareError as error:
        raise CannotPrepareError(f"{server.name} cannot be prepared: {error}") from error
    progress.say(f"{server.name}: prepared")
    return folder


def where(server: Server, cache: Cache, *, out: TextIO) -> int:
    """Say where a server is that is prepared; 1 if it is not."""
    match look(server, cache):
        case Prepared(folder):
            out.write(f"{folder}\n")
            return 0
        case NotPrepared(why):
            sys.stderr.write(f"{server.name}: {why}\n")
            return 1
        case never:
            assert_never(never)


def _run(program: Path, asked: argparse.Namespace, out: TextIO) -> int:
    match asked.name:
        case "kubernetes":
            return run_control_plane(program, out, controllers=asked.controllers, scheduler=asked.scheduler)
        case "postgres":
            return run_postgres(program, out)
        case "pulsar":
            return run_pulsar(program, out, overrides=dict(asked.overrides))
        case never:
            raise ValueError(never)


def _known(name: str) -> str:
    if name not in SERVERS:
        raise argparse.ArgumentTypeError(f"no server {name!r}; there are {', '.join(SERVERS)}")
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.servers", description=__doc__)
    jobs = argparse.ArgumentParser(add_help=False)
    jobs.add_argument("--jobs", type=int, default=_JOBS, help="compilations at a time, about 1 GB each (%(default)s)")
    commands = parser.add_subparsers(dest="command", required=True)
    prepared = commands.add_parser("prepare", parents=[jobs], help="make what is not made yet")
    prepared.add_argument("names", nargs="*", type=_known, metavar="NAME", help=", ".join(SERVERS))
    placed = commands.add_parser("where", help="print the folder of one that is made")
    placed.add_argument("name", type=_known, metavar="NAME", help=", ".join(SERVERS))
    running = commands.add_parser("run", help="start one, until it is interrupted")
    names = running.add_subparsers(dest="name", required=True)
    _add_kubernetes(names.add_parser("kubernetes", parents=[jobs], help="etcd, kube-apiserver and controllers"))
    names.add_parser("postgres", parents=[jobs], help="a server that keeps nothing when it ends")
    _add_pulsar(names.add_parser("pulsar", parents=[jobs], help="a broker that keeps nothing when it ends"))
    return parser


def _add_kubernetes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--controllers",
        type=lambda text: tuple(filter(None, text.split(","))),
        default=("job-controller",),
        help="controllers to run, with commas, by the names kube-controller-manager has for them (job-controller)",
    )
    parser.add_argument("--scheduler", action="store_true", help="run kube-scheduler too")


def _add_pulsar(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        dest="overrides",
        action="append",
        default=[],
        type=_setting,
        metavar="KEY=VALUE",
        help="a setting of broker.conf; may be given more than once",
    )


def _setting(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not (key and equals):
        raise argparse.ArgumentTypeError(f"{text!r} is not KEY=VALUE")
    return key, value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
