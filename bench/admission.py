"""Admission: what it costs to write that a pod failed, without a webhook, with an empty one, and with the agent's.

Pods of Jobs of 12 KB, of which the shipped rules know three of four with proof, fail on a real kube-apiserver: 50 a
second, the ways in turns, of which the median round counts, and then a thousand at one time. They are written by nodes,
of whose requests the API server lets most wait before it asks (priority and fairness). The agent is ``failure-agent
cluster`` as it is, with informers, spool and event log. The empty webhook is written in Go, knows HTTP/2, and lets
everything through; the marking one gives every pod the same condition, which shows what Kubernetes itself takes to
change an object. Without ``go`` they are left out, which is said. A write is answered in time if it took no more than
200 ms in all, and the pod has its condition where the rules have a proof.

A server is needed (``make servers``). ``--quick`` writes fewer; ``--json`` prints one line of JSON last. Exits 1 below
a target.
"""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Final

from bench.burst import exact_quantile
from bench.peer.clusters import NoServer
from bench.peer.webhooks import Way, Webhooks, started
from bench.peer.writers import End, Writers, Written
from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_least, at_most
from bench.sample.job_pods import ENDS, job_pod
from tests.servers.cache import Cache, cache_folder

PER_SECOND: Final = 50.0
ROUNDS, QUICK_ROUNDS = 3, 1
WRITES, QUICK_WRITES = 500, 200
"""Of one way, in one round."""
AT_ONCE, QUICK_AT_ONCE = 1_000, 200
IN_TIME_SECONDS: Final = 0.2
MOST_P50_MS, MOST_P99_MS = 5.0, 50.0
"""What our webhook adds to a write at 50 failures a second."""
LEAST_IN_TIME: Final = 99.9
"""In a hundred."""
MOST_BESIDE_EMPTY, MOST_BESIDE_MARKING = 2.0, 1.5


@dataclass(frozen=True, slots=True)
class Write:
    """A write, and whether it and the pod's condition came in time."""

    seconds: float
    conditioned: bool

    @property
    def in_time(self) -> bool:
        """Whether nobody waited too long, nor in vain."""
        return self.conditioned and self.seconds <= IN_TIME_SECONDS


Writes = dict[Way, list[Write]]


class Measurement:
    """Writes of all ways, each of pods of its own, which the agent has seen before they fail."""

    def __init__(self, webhooks: Webhooks) -> None:
        self._webhooks = webhooks
        self._random = Random(1)
        self._numbers = count()
        self._made = 0

    async def allow_nodes(self) -> None:
        """Let nodes write statuses, as whom all are written."""
        async with Writers(self._webhooks.cluster) as writers:
            await writers.allow()

    async def steady(self, number: int) -> Writes:
        """So many writes of each way, evenly."""
        return {way: await self._measure(way, number, per_second=PER_SECOND) for way in self._webhooks.ways}

    async def at_once(self, number: int) -> Writes:
        """So many writes of each way at one time."""
        return {way: await self._measure(way, number, per_second=None) for way in self._webhooks.ways}

    async def _measure(self, way: Way, number: int, *, per_second: float | None) -> list[Write]:
        names = [f"{way}-{next(self._numbers)}" for _ in range(number)]
        ends: list[End] = [(name, ENDS[at % len(ENDS)][0]) for at, name in enumerate(names)]
        async with Writers(self._webhooks.cluster) as writers:
            await writers.create([job_pod(name, 0, random=self._random) for name in names])
            self._made += number
            with self._webhooks.asked(way):
                await asyncio.to_thread(self._webhooks.until_agent, lambda now: now["pods"] >= self._made)
                if per_second is None:
                    written = await writers.write_at_once(ends)
                else:
                    written = await writers.write_evenly(ends, per_second=per_second)
        return [_judged(write, ENDS[at % len(ENDS)][1], way) for at, write in enumerate(written)]


def _judged(written: Written, proven: str | None, way: Way) -> Write:
    return Write(written.seconds, conditioned=way is not Way.OURS or proven is None or proven in written.conditions)


def measure(*, quick: bool, cache: Cache) -> dict[str, float]:
    """All figures. Raises NoServer, and TimeoutError where the agent does not see the pods."""
    rounds, number = (QUICK_ROUNDS, QUICK_WRITES) if quick else (ROUNDS, WRITES)
    with TemporaryDirectory(prefix="bench-") as name, started(Path(name), cache) as webhooks:
        measurement = Measurement(webhooks)
        asyncio.run(measurement.allow_nodes())
        steady = [figures(asyncio.run(measurement.steady(number)), "steady") for _ in range(rounds)]
        at_once = asyncio.run(measurement.at_once(QUICK_AT_ONCE if quick else AT_ONCE))
    return medians(steady) | figures(at_once, "at_once")


def medians(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """The median of each figure over the rounds."""
    return {name: median(found[name] for found in rounds) for name in rounds[0]}


def figures(writes: Mapping[Way, Sequence[Write]], load: str) -> dict[str, float]:
    """Milliseconds of each way, what ours adds, and how many of a hundred came in time."""
    found = {}
    for way, some in writes.items():
        for name, share in (("p50", 0.5), ("p99", 0.99)):
            found[f"{load}_{way}_{name}_ms"] = exact_quantile([write.seconds for write in some], share) * 1000
        found[f"{load}_{way}_in_time"] = 100 * mean(write.in_time for write in some)
        found[f"{load}_{way}_conditioned"] = 100 * mean(write.conditioned for write in some)
    for name in ("p50", "p99"):
        found[f"{load}_added_{name}_ms"] = found[f"{load}_ours_{name}_ms"] - found[f"{load}_without_{name}_ms"]
    return found


def verdicts(found: Mapping[str, float]) -> list[Held]:
    """What is held to targets; beside other webhooks only where there are some."""
    held = [
        at_most("added to half of the writes", found["steady_added_p50_ms"], target=MOST_P50_MS, unit="ms"),
        at_most("added to 99 of 100 writes", found["steady_added_p99_ms"], target=MOST_P99_MS, unit="ms"),
        at_least("answered in time", found["steady_ours_in_time"], target=LEAST_IN_TIME, unit="of 100"),
    ]
    for peer, most in ((Way.EMPTY, MOST_BESIDE_EMPTY), (Way.MARKING, MOST_BESIDE_MARKING)):
        if f"steady_{peer}_p50_ms" in found:
            ratio = found["steady_ours_p50_ms"] / found[f"steady_{peer}_p50_ms"]
            held.append(at_most(f"half of the writes, beside a webhook: {peer}", ratio, target=most))
    return held


def table(found: Mapping[str, float]) -> str:
    """The figures for people."""
    rows = [f"{'':<10}{'':<10}{'p50 ms':>9}{'p99 ms':>9}{'in time':>9}{'condition':>11}"]
    for load in ("steady", "at_once"):
        for way in Way:
            prefix = f"{load}_{way}"
            if f"{prefix}_p50_ms" in found:
                times = f"{found[f'{prefix}_p50_ms']:>9.1f}{found[f'{prefix}_p99_ms']:>9.1f}"
                shares = f"{found[f'{prefix}_in_time']:>9.2f}{found[f'{prefix}_conditioned']:>11.2f}"
                rows.append(f"{load.replace('_', ' '):<10}{way:<10}{times}{shares}")
    return "\n".join(rows)


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = options(__doc__, quick="one round, and fewer writes").parse_args(arguments)
    try:
        found = measure(quick=given.quick, cache=Cache(cache_folder(os.environ)))
    except NoServer as why:
        return report_not_run(why, given=given)
    print(table(found))
    return report(verdicts(found), {name: round(value, 2) for name, value in found.items()}, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
