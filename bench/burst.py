"""A burst: pods that fail on an API server, until each failure is on disk, with the broker, and decided in the store.

First as many as asked for, as fast as the server takes their statuses; then as many while the agent is frozen, so that
it sees all of them at once when it goes on; then 100 a second for a while. API server and broker are a real
kube-apiserver and a real Pulsar where they are prepared (``make servers``), or the simulator and the event log; which
ones is printed, and ``--target`` and ``--broker`` ask for one. Agent and scheduler are ``failure-agent cluster`` and
``scheduler`` as they are, with the shipped rules; the store is a SQLite file or, with ``--store``, a real Postgres.
``--quick`` takes fewer pods; ``--json`` prints one line of JSON last. Exits 1 below a target.
"""

import math
import os
import signal
import sys
import time
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final, NamedTuple

from bench.peer import clusters, line, places
from bench.peer.arrivals import Arrivals
from bench.peer.clusters import NoServer, Target
from bench.peer.kubelets import Kubelets
from bench.peer.line import TOPIC, Line, until
from bench.peer.places import Broker, Database, NotThere
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_most
from tests.servers.cache import Cache, cache_folder

PODS, QUICK_PODS = 10_000, 1_000
STEADY_PODS, QUICK_STEADY_PODS = 3_000, 500
STEADY_PER_SECOND = 100.0
MOST_CPU_SECONDS = 1.0
"""Processor time of the agent for 1,000 failures, watching included."""
MOST_P99_SECONDS = 0.15
"""From the news reaching the agent to the failure being on disk, for 99 of 100."""
MOST_PUBLISH_P99_SECONDS = 0.25
"""From the news reaching the agent to a subscriber having the failure from the broker, for 99 of 100."""
MOST_DECIDED_SECONDS = 20.0
"""From all failures being there to be seen until the last is decided: of a burst, and seen all at once."""
_PATIENCE_SECONDS: Final = 120.0
_POLL_SECONDS: Final = 0.02


class Servers(NamedTuple):
    """The servers that the measurement uses."""

    target: Target
    broker: Broker
    database: Database


def measure(servers: Servers, *, quick: bool, cache: Cache) -> dict[str, float]:
    """Both parts. Raises NoServer, NotThere, and TimeoutError where a failure never gets to its end."""
    burst, steady = (QUICK_PODS, QUICK_STEADY_PODS) if quick else (PODS, STEADY_PODS)
    with (
        TemporaryDirectory(prefix="bench-") as name,
        clusters.started(servers.target, folder=(folder := Path(name)), cache=cache) as cluster,
        places.started(folder, cache=cache) as there,
        line.started(cluster, there, broker=servers.broker, database=servers.database, folder=folder) as path,
    ):
        kubelets = Kubelets(cluster)
        return (
            _burst(path, kubelets, burst)
            | _at_once(path, kubelets, burst, burst)
            | _steady(path, kubelets, 2 * burst, steady)
        )


def _burst(path: Line, kubelets: Kubelets, number: int) -> dict[str, float]:
    names = [f"burst-{index}" for index in range(number)]
    kubelets.create(names)
    before = until(path.agent, lambda now: now["pods"] >= number)
    began = time.monotonic()
    last = kubelets.fail(names)
    after = until(path.agent, lambda now: now["spooled"] >= number)
    spooled = time.monotonic()
    until(path.agent, lambda now: now["published"] >= number)
    published = time.monotonic()
    until(path.scheduler, lambda now: now["decided"] >= number)
    decided = time.monotonic()
    _check(path, number)
    return {
        "failures": number,
        "written_per_s": number / (last - began),
        "spooled_after_s": spooled - last,
        "published_after_s": published - last,
        "decided_after_s": decided - last,
        "cpu_s_per_1000": (after["cpu_seconds"] - before["cpu_seconds"]) / number * 1000,
        "busy_ms": after["busy_ms"],
    }


def _at_once(path: Line, kubelets: Kubelets, before: int, number: int) -> dict[str, float]:
    names = [f"once-{index}" for index in range(number)]
    kubelets.create(names)
    until(path.agent, lambda now: now["pods"] >= before + number)
    os.kill(path.agent.pid, signal.SIGSTOP)
    kubelets.fail(names)
    os.kill(path.agent.pid, signal.SIGCONT)
    seen = time.monotonic()
    until(path.agent, lambda now: now["spooled"] >= before + number)
    spooled = time.monotonic()
    until(path.scheduler, lambda now: now["decided"] >= before + number)
    decided = time.monotonic()
    _check(path, before + number)
    return {"at_once_spooled_s": spooled - seen, "at_once_decided_s": decided - seen}


def _steady(path: Line, kubelets: Kubelets, before: int, number: int) -> dict[str, float]:
    names = [f"steady-{index}" for index in range(number)]
    kubelets.create(names)
    agent = until(path.agent, lambda now: now["pods"] >= before + number)
    scheduler = path.scheduler.ask("figures")
    with Arrivals(path.broker_url, topic=TOPIC, pods="steady-") as arrivals:
        began = time.monotonic()
        last = kubelets.fail(names, per_second=STEADY_PER_SECOND)
        spooled = until(path.agent, lambda now: now["spooled"] >= before + number)
        decided = until(path.scheduler, lambda now: now["decided"] >= before + number)
        _wait_for(arrivals, number)
    _check(path, before + number)
    disk = _since(agent["detect_to_spool"], spooled["detect_to_spool"])
    verdict = _since(scheduler["detect_to_decision"], decided["detect_to_decision"])
    return {
        "steady_per_s": number / (last - began),
        "p50_s": quantile(disk, 0.5),
        "p99_s": quantile(disk, 0.99),
        "publish_p50_s": exact_quantile(arrivals.seconds, 0.5),
        "publish_p99_s": exact_quantile(arrivals.seconds, 0.99),
        "decision_p50_s": quantile(verdict, 0.5),
        "decision_p99_s": quantile(verdict, 0.99),
    }


def quantile(counts: Mapping[str, float], share: float) -> float:
    """The least bound of a cumulative histogram under which such a share lies."""
    total = counts["+Inf"]
    return min(float(bound) for bound, count in counts.items() if count >= share * total)


def exact_quantile(values: Sequence[float], share: float) -> float:
    """The least of the values that such a share of them does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def _since(before: Mapping[str, float], after: Mapping[str, float]) -> dict[str, float]:
    return {bound: count - before[bound] for bound, count in after.items()}


def _wait_for(arrivals: Arrivals, number: int) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while len(arrivals.seconds) < number:
        if time.monotonic() > deadline:
            raise TimeoutError(f"{len(arrivals.seconds)} of {number} came from the broker")
        time.sleep(_POLL_SECONDS)


def _check(path: Line, number: int) -> None:
    if (found := path.decided()) != number:
        raise TimeoutError(f"the store has verdicts on {found} runs, not on {number}")


def verdicts(servers: Servers, figures: Mapping[str, float]) -> list[Held]:
    """What is held to targets; figures on other servers have other names."""
    on = " -> ".join(servers)
    decided, at_once = figures["decided_after_s"], figures["at_once_decided_s"]
    disk, broker = figures["p99_s"] * 1000, figures["publish_p99_s"] * 1000
    return [
        at_most(f"processor for 1,000 failures, {on}", figures["cpu_s_per_1000"], target=MOST_CPU_SECONDS, unit="s"),
        at_most(f"99 of 100 on disk, {on}", disk, target=MOST_P99_SECONDS * 1000, unit="ms"),
        at_most(f"99 of 100 from the broker, {on}", broker, target=MOST_PUBLISH_P99_SECONDS * 1000, unit="ms"),
        at_most(f"all decided after the last was written, {on}", decided, target=MOST_DECIDED_SECONDS, unit="s"),
        at_most(f"all decided after all were seen at once, {on}", at_once, target=MOST_DECIDED_SECONDS, unit="s"),
    ]


def choose(asked: str | None, cache: Cache) -> Target:
    """The target asked for; else the real server, or the simulator, said aloud, where none is prepared."""
    if asked is not None:
        return Target(asked)
    try:
        clusters.prepared(cache)
    except NoServer as why:
        print(f"on the simulator: {why}")
        return Target.SIMULATOR
    return Target.APISERVER


def choose_broker(asked: str | None, cache: Cache) -> Broker:
    """The broker asked for; else Pulsar, or the event log, said aloud, where none is prepared."""
    if asked is not None:
        return Broker(asked)
    try:
        places.prepared("pulsar", cache)
    except NotThere as why:
        print(f"through the event log: {why}")
        return Broker.EVENT_LOG
    return Broker.PULSAR


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = _parser().parse_args(arguments)
    cache = Cache(cache_folder(os.environ))
    servers = Servers(choose(given.target, cache), choose_broker(given.broker, cache), Database(given.store))
    try:
        figures = measure(servers, quick=given.quick, cache=cache)
    except (NoServer, NotThere) as why:
        return report_not_run(why, given=given)
    print(table(servers, figures))
    document = servers._asdict() | {name: round(value, 3) for name, value in figures.items()}
    return report(verdicts(servers, figures), document, given=given)


def table(servers: Servers, figures: Mapping[str, float]) -> str:
    """The figures without a target, for people."""
    after = ", ".join(f"{what} {figures[f'{what}_after_s']:.2f} s" for what in ("spooled", "published", "decided"))
    decision = ", ".join(f"{share} of 100 within {figures[f'decision_p{share}_s'] * 1000:.0f} ms" for share in (50, 99))
    return "\n".join(
        (
            f"{figures['failures']:,} failures, {' -> '.join(servers)}, {figures['written_per_s']:,.0f} a second",
            f"after the last was written, the last was {after}",
            f"seen all at once, the last was spooled {figures['at_once_spooled_s']:.2f} s after",
            f"at {figures['steady_per_s']:.0f} a second: decided {decision}",
            f"from the broker, 50 of 100 within {figures['publish_p50_s'] * 1000:.0f} ms",
        )
    )


def _parser() -> ArgumentParser:
    parser = options(__doc__, quick="fewer pods")
    parser.add_argument("--target", choices=list(Target), help="which API server; the real one where it is prepared")
    parser.add_argument("--broker", choices=list(Broker), help="which broker; Pulsar where it is prepared")
    parser.add_argument("--store", choices=list(Database), default=Database.SQLITE, help="which store (%(default)s)")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
