"""A Kubernetes API server and kubelet to try things on: ``failure-agent simulator``, ``python -m agent.simulator``.

It serves pods, nodes, events, leases and namespaces over plain HTTP on 127.0.0.1: list (paged, selectors), watch
(resume, bookmarks, streamed lists, 410), get, create, replace, patch, delete (grace, finalizers, preconditions), pod
logs. A workload file makes it create pods and play failure scripts on them; ``--record`` is where it writes down which
runs ended. What it does, it does as a real server: both play ``tests/contract``.

What it does not do: other resources and API groups, discovery and OpenAPI, authentication and authorisation, TLS,
most of admission, quota, server-side apply, dry run, field management, protobuf, tables, ``resourceVersion`` of lists
(always the newest), watch of one object by path, deletion of collections and of namespaces, eviction and binding
subresources, following logs, full validation and defaults of a pod, the whole of strategic merge, scheduling by
capacity, node heartbeats, restart back-off times, aggregation of events. Its bookmarks come as from a server whose
etcd reports progress: also where nothing of the kind changed.
Its state is in memory: a restart is a new history under a newer resourceVersion, of which old watches hear 410.
"""

import argparse
import asyncio
import json
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from agent.simulator.durations import seconds
from agent.simulator.plan import Plan, PlanError, load_plan
from agent.simulator.script import ScriptError, load_scripts
from agent.simulator.server import BOOKMARK_SECONDS
from agent.simulator.simulation import CannotListen, Options, Simulation
from agent.simulator.store import HISTORY

_USAGE = 2


class UsageError(Exception):
    """Options that do not go together, or a value that is none."""


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT. The first line printed is JSON: where it serves. Returns the exit code."""
    arguments = _parser().parse_args(argv)
    try:
        asyncio.run(_serve(_prepare(arguments)))
    except (PlanError, ScriptError, UsageError, CannotListen) as error:
        sys.stderr.write(f"failure-agent simulator: {error}\n")
        return _USAGE
    return 0


def _prepare(arguments: argparse.Namespace) -> Options:
    plan, files = (None, ()) if arguments.workload is None else load_plan(arguments.workload)
    changes = {
        name: value
        for name, value in (("duration", arguments.duration), ("rate", arguments.rate), ("seed", arguments.seed))
        if value is not None
    }
    return Options(
        cluster=arguments.cluster,
        port=arguments.port,
        plan=_changed(plan, changes),
        scripts=load_scripts((*files, *arguments.scripts)),
        record=arguments.record,
        history=arguments.history,
        bookmark_seconds=arguments.bookmarks,
        speed=arguments.speed,
    )


def _changed(plan: Plan | None, changes: dict[str, object]) -> Plan | None:
    if plan is None:
        if changes:
            raise UsageError("--for, --rate and --seed need --workload")
        return None
    return msgspec.structs.replace(plan, **changes)


async def _serve(options: Options) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with Simulation(options) as simulation:
        sys.stdout.write(json.dumps({"url": simulation.url, "cluster": options.cluster}) + "\n")
        sys.stdout.flush()
        await simulation.run(stop.wait)


def _duration(text: str) -> str:
    """``text``, once it is known to be a duration. Raises ValueError."""
    seconds(text)
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="failure-agent simulator", description=(__doc__ or "").partition("\n")[0])
    add = parser.add_argument
    add("--port", type=int, default=0, help="where to serve, on 127.0.0.1; 0 is any free port, which is printed")
    add("--cluster", default="simulated", help="the cluster's name; the uid of kube-system follows from it")
    add("--workload", type=Path, metavar="FILE", help="which jobs to make; without it none are")
    add("--scripts", type=Path, action="append", default=[], metavar="FILE", help="more failure scripts; repeatable")
    add("--record", type=Path, metavar="FILE", help="append a JSON line for every run that ends")
    add("--for", dest="duration", type=_duration, metavar="TIME", help="make jobs for so long, as 60s; then only serve")
    add("--rate", type=float, help="new jobs a second")
    add("--seed", type=int, help="another course of the same workload")
    add("--bookmarks", type=seconds, default=BOOKMARK_SECONDS, metavar="TIME", help="how often a watch gets a bookmark")
    add("--history", type=int, default=HISTORY, help="changes of a kind that a watch can start from")
    add("--speed", type=float, default=1.0, help="play scripts so many times faster")
    return parser


if __name__ == "__main__":
    sys.exit(main())
