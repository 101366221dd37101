"""A burst: pods that fail on an API server, until each failure is classified and on disk.

First as many as asked for, as fast as the server takes their statuses; then 100 a second for a while. The server is a
real kube-apiserver where one is prepared (``make servers``), or the simulator; which one is printed, and ``--target``
asks for one. The agent is ``failure-agent cluster`` with the shipped rules. ``--quick`` takes fewer pods; ``--json``
prints one line of JSON last. Exits 1 below a target.
"""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from bench.peer.clusters import Cluster, NoServer, Target, prepared, started
from bench.peer.kubelets import Kubelets
from bench.peer.process import PeerProcess
from tests.servers.cache import Cache, cache_folder

PODS, QUICK_PODS = 10_000, 1_000
STEADY_PODS, QUICK_STEADY_PODS = 3_000, 500
STEADY_PER_SECOND = 100.0
MOST_CPU_SECONDS = 1.0
"""Processor time of the agent for 1,000 failures, watching included."""
MOST_P99_SECONDS = 0.15
"""From the news reaching the agent to the failure being on disk, for 99 of 100."""
_ROOT: Final = Path(__file__).parents[1]
_POLL_SECONDS: Final = 0.02
_PATIENCE_SECONDS: Final = 120.0

Figures = dict[str, Any]


def measure(target: Target, *, quick: bool, cache: Cache) -> dict[str, float]:
    """Both parts. Raises NoServer, and TimeoutError where a failure never reaches the disk."""
    burst, steady = (QUICK_PODS, QUICK_STEADY_PODS) if quick else (PODS, STEADY_PODS)
    with TemporaryDirectory(prefix="bench-") as folder, started(target, folder=Path(folder), cache=cache) as cluster:
        settings = _write_settings(cluster, Path(folder))
        with PeerProcess(Path(sys.executable), ["-m", "bench.subject.agent", str(settings)], folder=_ROOT) as agent:
            kubelets = Kubelets(cluster)
            return _burst(agent, kubelets, burst) | _steady(agent, kubelets, burst, steady)


def _burst(agent: PeerProcess, kubelets: Kubelets, number: int) -> dict[str, float]:
    names = [f"burst-{index}" for index in range(number)]
    kubelets.create(names)
    before = _until(agent, lambda now: now["pods"] >= number)
    began = time.monotonic()
    last = kubelets.fail(names)
    after = _until(agent, lambda now: now["spooled"] >= number)
    return {
        "failures": number,
        "written_per_s": number / (last - began),
        "spooled_after_s": max(0.0, time.monotonic() - last),
        "cpu_s_per_1000": (after["cpu_seconds"] - before["cpu_seconds"]) / number * 1000,
        "busy_ms": after["busy_ms"],
    }


def _steady(agent: PeerProcess, kubelets: Kubelets, spooled: int, number: int) -> dict[str, float]:
    names = [f"steady-{index}" for index in range(number)]
    kubelets.create(names)
    before = _until(agent, lambda now: now["pods"] >= spooled + number)
    began = time.monotonic()
    last = kubelets.fail(names, per_second=STEADY_PER_SECOND)
    after = _until(agent, lambda now: now["spooled"] >= spooled + number)
    took = {bound: count - before["detect_to_spool"][bound] for bound, count in after["detect_to_spool"].items()}
    return {
        "steady_per_s": number / (last - began),
        "p50_s": quantile(took, 0.5),
        "p99_s": quantile(took, 0.99),
    }


def quantile(counts: Mapping[str, float], share: float) -> float:
    """The least bound of a cumulative histogram under which such a share lies."""
    total = counts["+Inf"]
    return min(float(bound) for bound, count in counts.items() if count >= share * total)


def _until(agent: PeerProcess, met: Callable[[Figures], bool]) -> Figures:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while not met(now := agent.ask("figures")):
        if time.monotonic() > deadline:
            raise TimeoutError(f"the agent is not there after {_PATIENCE_SECONDS:.0f} s: {now}")
        time.sleep(_POLL_SECONDS)
    figures: Figures = now
    return figures


def _write_settings(cluster: Cluster, folder: Path) -> Path:
    settings = {
        "cluster": "bench",
        "categories": str(_ROOT / "config" / "error-categories.yaml"),
        "kube": cluster.kube,
        "broker": {"url": f"sqlite:///{folder / 'log.db'}"},
        "spool": {"path": str(folder / "spool.db")},
        "heartbeat": {"interval": "1s"},
        "log": {"level": "error"},
        "health": {"port": 0},
    }
    file = folder / "settings.yaml"
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def verdicts(figures: Mapping[str, float]) -> dict[str, bool]:
    """Each target in words, and whether it is met."""
    cpu, p99 = figures["cpu_s_per_1000"], figures["p99_s"]
    return {
        f"{cpu:.2f} s of processor for 1,000 failures (at most {MOST_CPU_SECONDS})": cpu <= MOST_CPU_SECONDS,
        f"99 of 100 are on disk within {p99 * 1000:.0f} ms (at most {MOST_P99_SECONDS * 1000:.0f})": p99
        <= MOST_P99_SECONDS,
    }


def choose(asked: str | None, cache: Cache) -> Target:
    """The target asked for; else the real server, or the simulator, said aloud, where none is prepared."""
    if asked is not None:
        return Target(asked)
    try:
        prepared(cache)
    except NoServer as why:
        print(f"on the simulator: {why}")
        return Target.SIMULATOR
    return Target.APISERVER


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0] if __doc__ else None)
    parser.add_argument("--target", choices=list(Target), help="which server; the real one where it is prepared")
    parser.add_argument("--quick", action="store_true", help="fewer pods")
    parser.add_argument("--json", action="store_true", help="one line of JSON last")
    given = parser.parse_args(arguments)

    cache = Cache(cache_folder(os.environ))
    target = choose(given.target, cache)
    try:
        figures = measure(target, quick=given.quick, cache=cache)
    except NoServer as why:
        print(why)
        return 1
    met = verdicts(figures)
    print(
        f"{figures['failures']:,} failures on the {target}, {figures['written_per_s']:,.0f} statuses written a second:"
    )
    print(f"all on disk {figures['spooled_after_s']:.2f} s after the last was written")
    for words, is_met in met.items():
        print(f"{'met   ' if is_met else 'MISSED'} {words}")
    if given.json:
        print(json.dumps({"target": target} | {name: round(value, 3) for name, value in figures.items()}))
    return 0 if all(met.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
