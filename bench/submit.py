"""Submit to running: how long after a job is submitted its container runs, with our scheduling gate and without.

The gate costs one round trip through the broker: the pod is created behind it, its uid goes to the scheduler, and the
start comes back. Beside the jobs whose pods have the gate run as many whose pods have none: a webhook of the simulated
cluster takes it off as the pod is created, so that agent, scheduler, broker and store do the same for both, in turns.
Agent and scheduler are ``failure-agent cluster`` and ``scheduler`` as they are, with their default settings; containers
start as soon as a pod may be bound. The broker is a real Pulsar where it is prepared (``make servers``), or the event
log; which one is printed, and ``--broker`` asks for one. The store is a SQLite file.

``--quick`` takes fewer jobs; ``--json`` prints one line of JSON last. Exits 1 below a target.
"""

import json
import os
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import yaml

from agent.client import jobs, resources
from agent.client.jobs import JobClient
from agent.simulator.assignment import SCRIPT_ANNOTATION
from bench.burst import choose_broker, exact_quantile
from bench.peer import places
from bench.peer.places import Broker, NotThere
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_most
from tests.child import PIPE, Child
from tests.cluster.process import AgentProcess
from tests.scheduler.process import SchedulerProcess
from tests.servers.cache import Cache, cache_folder
from tests.servers.client import Client
from tests.servers.patience import until

JOBS, QUICK_JOBS = 300, 60
"""Of each kind."""
PER_SECOND: Final = 10.0
MOST_TIMES: Final = {"p50": 2.0, "p99": 2.0}
"""How many times as long it may take with the gate."""
_PATIENCE_SECONDS: Final = 120.0
_QUEUE: Final = yaml.safe_dump(
    {"apiVersion": "armadaproject.io/v1", "kind": "Queue", "metadata": {"name": "bench"}, "spec": {}}
)


class Kind(StrEnum):
    """Whether the pods of a job have the gate; also the name of the script that they play."""

    GATED = "gated"
    UNGATED = "ungated"


SCRIPTS: Final = [
    {
        "name": kind.value,
        "kind": "success",
        "source": "none: it starts at once, because the time of a kubelet is not what is measured",
        "steps": [
            {"bind": "shared"},
            {"running": ["main"]},
            {"after": "1s", "exited": {"main": {"exitCode": 0, "reason": "Completed"}}, "phase": "Succeeded"},
        ],
        **({} if kind is Kind.GATED else {"injected": {"spec": {"schedulingGates": None}}}),
    }
    for kind in Kind
]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A cluster, and the API of the scheduler that sends it runs."""

    cluster: Client
    jobs: JobClient

    def started(self) -> Mapping[str, datetime]:
        """When the first container of each job started."""
        ledger = self.cluster.get("/simulator/containers")["containers"]
        return {container["job_id"]: datetime.fromisoformat(container["started_at"]) for container in reversed(ledger)}


def measure(broker: Broker, *, number: int, cache: Cache) -> dict[Kind, list[float]]:
    """Seconds from the call that submits to the start of the container. Raises NotThere, TimeoutError."""
    with (
        TemporaryDirectory(prefix="bench-") as name,
        places.started(folder := Path(name), cache=cache) as there,
        ready(folder, broker_url=there.broker(broker)) as site,
    ):
        _submit_all(site, 5)  # not measured: what connects and compiles does so once
        at = _submit_all(site, number)
        started = site.started()
        return {
            kind: [(started[job_id] - moment).total_seconds() for job_id, moment in of_kind.items()]
            for kind, of_kind in at.items()
        }


def _submit_all(site: Site, number: int) -> dict[Kind, dict[str, datetime]]:
    """Submit as many of each kind in turns, and wait until all have started; when each was submitted."""
    at: dict[Kind, dict[str, datetime]] = {kind: {} for kind in Kind}
    for turn in range(number * len(Kind)):
        kind = tuple(Kind)[turn % len(Kind)]
        moment = datetime.now(UTC)
        (submitted,) = site.jobs.submit(_job(kind))
        at[kind][submitted.job_id] = moment
        time.sleep(max(0.0, 1 / PER_SECOND - (datetime.now(UTC) - moment).total_seconds()))
    waiting = {job_id for of_kind in at.values() for job_id in of_kind}
    until(lambda: waiting <= site.started().keys(), "every job started", seconds=_PATIENCE_SECONDS)
    return at


def _job(kind: Kind) -> str:
    job = {
        "namespace": "default",
        "annotations": {SCRIPT_ANNOTATION: kind.value},
        "podSpec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]},
    }
    return yaml.safe_dump({"queue": "bench", "jobSetId": "bench", "jobs": [job]})


@contextmanager
def ready(folder: Path, *, broker_url: str) -> Iterator[Site]:
    """An agent and a scheduler at work, until the context ends."""
    with ExitStack() as stack:
        cluster = stack.enter_context(_simulated(folder))
        scheduler = SchedulerProcess(
            _settings(
                folder / "scheduler.yaml",
                broker={"url": broker_url},
                store={"url": f"sqlite:///{folder}/store.db"},
                api={"port": 0},
                health={"port": 0},
            ),
            log=folder / "scheduler.log",
        )
        stack.callback(scheduler.end)
        until(scheduler.is_ready, "the scheduler ready", seconds=_PATIENCE_SECONDS)
        agent = AgentProcess(_agent_settings(folder, cluster, broker_url), log=folder / "agent.log")
        stack.callback(agent.kill)
        until(agent.is_ready, "the agent ready", seconds=_PATIENCE_SECONDS)
        (served,) = [line["port"] for line in scheduler.logged() if line["event"] == "the API is served"]
        address = f"127.0.0.1:{served}"
        with resources.connect(address, who="bench") as api:
            api.create(_QUEUE)
        yield Site(cluster=cluster, jobs=stack.enter_context(jobs.connect(address, who="bench")))


@contextmanager
def _simulated(folder: Path) -> Iterator[Client]:
    scripts = folder / "scripts.yaml"
    scripts.write_text(yaml.safe_dump({"scripts": SCRIPTS}))
    with Child([sys.executable, "-m", "agent.simulator", "--scripts", str(scripts)], stdout=PIPE) as simulator:
        yield Client(url=json.loads(simulator.line())["url"], tls=None, token=None)


def _agent_settings(folder: Path, cluster: Client, broker_url: str) -> Path:
    return _settings(
        folder / "agent.yaml",
        cluster="bench",
        kube={"url": cluster.url},
        broker={"url": broker_url},
        spool={"path": str(folder / "spool.db")},
        run={"namespaces": ["default"], "maxRuns": 10_000},
        health={"port": 0},
    )


def _settings(file: Path, **given: object) -> Path:
    file.write_text(yaml.safe_dump(given))
    return file


def figures(seconds: Mapping[Kind, Sequence[float]]) -> dict[str, float]:
    """The quantiles of both kinds in milliseconds, and how many times as long it takes with the gate."""
    shares = {"p50": 0.5, "p99": 0.99}
    found = {
        f"{kind}_{name}_ms": exact_quantile(seconds[kind], share) * 1e3
        for kind in Kind
        for name, share in shares.items()
    }
    return found | {f"{name}_ratio": found[f"gated_{name}_ms"] / found[f"ungated_{name}_ms"] for name in shares}


def table(found: Mapping[str, float], *, broker: Broker) -> str:
    """The figures for people."""
    of_kinds = (f"{f'{kind}, ms':<32}{found[f'{kind}_p50_ms']:>10.0f}{found[f'{kind}_p99_ms']:>10.0f}" for kind in Kind)
    ratios = f"{'times as long with the gate':<32}{found['p50_ratio']:>10.2f}{found['p99_ratio']:>10.2f}"
    return "\n".join((f"{f'submit to running, {broker}':<32}{'p50':>10}{'p99':>10}", *of_kinds, ratios))


def verdicts(found: Mapping[str, float], *, broker: Broker) -> list[Held]:
    """What is held to targets; figures through another broker have other names."""
    return [
        at_most(f"{name} with the gate, beside without, {broker}", found[f"{name}_ratio"], target=most)
        for name, most in MOST_TIMES.items()
    ]


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = _parser().parse_args(arguments)
    cache = Cache(cache_folder(os.environ))
    broker = choose_broker(given.broker, cache)
    try:
        found = figures(measure(broker, number=QUICK_JOBS if given.quick else JOBS, cache=cache))
    except NotThere as why:
        return report_not_run(why, given=given)
    print(table(found, broker=broker))
    return report(verdicts(found, broker=broker), {"broker": broker, **found}, given=given)


def _parser() -> ArgumentParser:
    parser = options(__doc__, quick="fewer jobs")
    parser.add_argument("--broker", choices=list(Broker), help="which broker; Pulsar where it is prepared")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
