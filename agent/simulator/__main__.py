"""A Kubernetes API server and kubelet to try things on: ``failure-agent simulator``, ``python -m agent.simulator``.

It serves pods, nodes, events, leases and namespaces over plain HTTP on 127.0.0.1: list (paged, selectors), watch
(resume, bookmarks, streamed lists, 410), get, create, replace, patch, delete (grace, finalizers, preconditions),
binding, pod logs. A pod with scheduling gates is not bound. A workload file makes it create pods and play failure
scripts on them; ``--record`` is where it writes down which runs ended, and ``/simulator/containers`` shows which
containers ran when, also of pods that are gone. What it does, it does as a real server: both play ``tests/contract``.
kubectl works with it, by the kubeconfig that ``--kubeconfig`` writes: get, describe, create, apply, label, delete,
logs, wait, and watches.

What it does not do: other resources and API groups, schemas in OpenAPI, validation of fields that are asked for
(``fieldValidation``), authentication and authorisation, TLS, most of admission, quota, server-side apply, dry runs
(refused, but of creations), field management, protobuf, descriptions of columns, ``resourceVersion`` of lists (always
the newest), watch of one object by path, deletion of collections and of what is in a deleted namespace, the eviction
subresource, following logs, full validation and defaults of a pod, changes of a gated pod's node selector and
affinity, the whole of strategic merge, scheduling by capacity, node heartbeats, restart back-off times, aggregation of
events. Its bookmarks come as from a server whose etcd reports progress: also where nothing of the kind changed.
Its state is in memory: a restart is a new history under a newer resourceVersion, of which old watches hear 410.
"""

import asyncio
import json
import signal
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.program import add, make_command_app, run_program
from agent.simulator.kubeconfig import write_kubeconfig
from agent.simulator.plan import Plan, PlanError, load_plan
from agent.simulator.script import Script, ScriptError, load_scripts
from agent.simulator.server import BOOKMARK_SECONDS
from agent.simulator.simulation import CannotListen, Options, Simulation
from agent.simulator.store import HISTORY
from agent.simulator.times import Clocks, seconds

app = make_command_app("simulator")


def _duration(text: str) -> str:
    """``text``, once it is known to be a duration."""
    _seconds(text)
    return text


def _seconds(text: str) -> float:
    try:
        return seconds(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def _skew(text: str) -> str:
    """``text``, once it is known to be a duration, perhaps with a sign."""
    _seconds(text.removeprefix("-"))
    return text


def _signed(text: str) -> timedelta:
    duration = timedelta(seconds=seconds(text.removeprefix("-")))
    return -duration if text.startswith("-") else duration


Port = Annotated[
    int, typer.Option("--port", help="Where to serve, on 127.0.0.1; 0: any free one, printed.", metavar="PORT")
]
Cluster = Annotated[
    str, typer.Option("--cluster", help="Its name; the uid of kube-system follows from it.", metavar="NAME")
]
Workload = Annotated[Path | None, typer.Option("--workload", help="Which jobs to make; default: none.", metavar="FILE")]
Scripts = Annotated[list[Path] | None, typer.Option("--scripts", help="More failure scripts.", metavar="FILE")]
Namespaces = Annotated[
    list[str] | None, typer.Option("--namespace", help="A namespace next to default; may be repeated.", metavar="NAME")
]
Record = Annotated[
    Path | None, typer.Option("--record", help="Append a JSON line for every run that ends.", metavar="FILE")
]
Kubeconfig = Annotated[
    Path | None, typer.Option("--kubeconfig", help="Write a kubeconfig there, for kubectl.", metavar="FILE")
]
Duration = Annotated[
    str | None,
    typer.Option("--for", help="Make jobs for so long, as 60s; then only serve.", metavar="TIME", parser=_duration),
]
Rate = Annotated[float | None, typer.Option("--rate", help="New jobs a second.", metavar="NUMBER")]
Seed = Annotated[int | None, typer.Option("--seed", help="Another course of the same workload.", metavar="NUMBER")]
Bookmarks = Annotated[
    str, typer.Option("--bookmarks", help="How often a watch gets a bookmark.", metavar="TIME", parser=_duration)
]
Changes = Annotated[
    int, typer.Option("--history", help="Changes of a kind that a watch can start from.", metavar="COUNT")
]
Skew = Annotated[
    str,
    typer.Option(
        "--clock-skew",
        help="How far the clock of the server is ahead of this machine's; -1h: behind.",
        metavar="TIME",
        parser=_skew,
    ),
]
Spread = Annotated[
    str,
    typer.Option(
        "--node-clocks",
        help="Give nodes ten different clocks, at most so far off the server's.",
        metavar="TIME",
        parser=_duration,
    ),
]
NoGates = Annotated[
    bool, typer.Option("--no-gates", help="Drop scheduling gates of new pods, as a server that does not know them.")
]
Speed = Annotated[float, typer.Option("--speed", help="Play scripts faster by this factor.", metavar="NUMBER")]


@add(
    app,
    "failure-agent simulator --workload workload.yaml",
    "failure-agent simulator --workload workload.yaml --for 60s --rate 5",
    "failure-agent simulator --scripts scripts.yaml --kubeconfig kubeconfig",
)
def simulator(  # noqa: PLR0913 - an argument an option
    *,
    port: Port = 0,
    cluster: Cluster = "simulated",
    workload: Workload = None,
    scripts: Scripts = None,
    namespaces: Namespaces = None,
    record: Record = None,
    kubeconfig: Kubeconfig = None,
    duration: Duration = None,
    rate: Rate = None,
    seed: Seed = None,
    bookmarks: Bookmarks = f"{BOOKMARK_SECONDS:g}s",
    history: Changes = HISTORY,
    speed: Speed = 1.0,
    clock_skew: Skew = "0s",
    node_clocks: Spread = "0s",
    no_gates: NoGates = False,
) -> None:
    """Serve a simulated cluster over HTTP.

    A pod plays the script that its annotation simulator.failure-agent.dev/script names. Several names, as in "oom,
    success", are for the runs of a job: which one a pod is, its label failure-agent.dev/run-index says, from 0.
    GET /simulator/containers shows which containers ran when, also of pods that are gone, and where two pods of a job
    ran at the same time.

    Until SIGTERM or SIGINT. The first line printed is JSON: where it serves, and where the kubeconfig is.
    """

    def run() -> Exit:
        changes = {"duration": duration, "rate": rate, "seed": seed}
        plan, loaded = _read(workload, changes, scripts or ())
        options = Options(
            cluster=cluster,
            port=port,
            plan=plan,
            scripts=loaded,
            namespaces=("default", *(namespaces or ())),
            record=record,
            history=history,
            bookmark_seconds=seconds(bookmarks),
            speed=speed,
            clocks=Clocks(skew=_signed(clock_skew), spread=_signed(node_clocks)),
            gates=not no_gates,
        )
        return _run(options, kubeconfig)

    end(run)


def _read(
    workload: Path | None, changes: Mapping[str, object], scripts: Sequence[Path]
) -> tuple[Plan | None, Mapping[str, Script]]:
    """Read the files. Raises UsageError for one that cannot be used, and for changes of a plan that is not there."""
    try:
        plan, files = (None, ()) if workload is None else load_plan(workload)
        return _changed(plan, changes), load_scripts((*files, *scripts))
    except (PlanError, ScriptError) as error:
        raise UsageError(str(error)) from error


def _changed(plan: Plan | None, changes: Mapping[str, object]) -> Plan | None:
    given = {name: value for name, value in changes.items() if value is not None}
    if plan is None and given:
        raise UsageError("--for, --rate and --seed need --workload")
    return None if plan is None else msgspec.structs.replace(plan, **given)


def _run(options: Options, kubeconfig: Path | None) -> Exit:
    try:
        asyncio.run(_serve(options, kubeconfig))
    except CannotListen as error:
        raise UsageError(str(error)) from error
    return Exit.FINE


async def _serve(options: Options, kubeconfig: Path | None) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    async with Simulation(options) as simulation:
        _say_where(simulation.url, options.cluster, kubeconfig)
        await simulation.run(stop.wait)


def _say_where(url: str, cluster: str, kubeconfig: Path | None) -> None:
    served = {"url": url, "cluster": cluster}
    if kubeconfig is not None:
        write_kubeconfig(kubeconfig, cluster=cluster, url=url)
        served["kubeconfig"] = str(kubeconfig.resolve())
    sys.stdout.write(json.dumps(served) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    run_program(app, name="failure-agent simulator")
