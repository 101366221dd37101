"""Watching a hundred thousand pods: the whole agent beside the informers of client-go and of the `kubernetes` package.

Pods of 15 KB with four containers each and Armada's identity, 5 % of them restarted, full rings of events on 2 %; then
changes to 20,000. Every contestant has its own process and an API server of its own on the same machine, one after the
other, ours before and after client-go. The agent classifies, spools and publishes meanwhile; informers only fill their
caches, as our reflector does that runs alone. ``ours_s`` is the reflector's time, ``agent_s`` the whole agent's, and
``ours_mb`` the whole agent's memory. The server streams lists, as kube-apiserver does from 1.34 on; ``--no-streams``
has one that does not, whose whole list client-go takes in one answer. Without ``go`` that peer is left out, which is
said. ``--quick`` has a tenth of the pods, and other targets; ``--json`` prints one line of JSON last. Exits 1 below a
target.

The agent takes 115 MB before it knows a pod, 29 of them for the rules that ship. At 100,000 pods that is more than half
of its memory, at 10,000 most of it, so the quick targets of memory are what 10,000 pods hold: 126 MB, and client-go
takes 4 times as much. All restarted containers end with the same message, as those of one job often do. It takes 24
times as long as our reflector alone, which is done so soon that a busy second processor makes that 11 times. Without
``go`` the quick targets are beside the ``kubernetes`` package at 500 pods: it takes 4 to 5 times as long as the whole
agent, and 1.7 times its memory.
"""

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Final, NamedTuple

from bench.peer.program import INFORMER, find_peer
from bench.peer.watching import Watching, watch_officially, watch_ours, watch_with_go, watch_with_reflector
from bench.report.command import options, report
from bench.report.held import Held, at_least, at_most
from tests.servers.cache import Cache, cache_folder

PODS, QUICK_PODS = 100_000, 10_000
CHANGES, QUICK_CHANGES = 20_000, 2_000
OFFICIAL_PODS, QUICK_OFFICIAL_PODS = 5_000, 500
MOST_MB, QUICK_MOST_MB = 200.0, 135.0
"""Resident memory of the whole agent, at its highest."""
MOST_STALL_MS = 100.0
"""The longest the agent may work without its event loop coming round."""


class Ratios(NamedTuple):
    """How many times our time and memory a peer takes at least."""

    sync: float
    memory: float


BESIDE_GO: Final = Ratios(sync=10.0, memory=15.0)
QUICK_BESIDE_GO: Final = Ratios(sync=8.0, memory=3.6)
QUICK_BESIDE_OFFICIAL: Final = Ratios(sync=3.5, memory=1.6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Everybody's figures, of ours as many as it ran; ``ours_small`` is beside ``official``, with as many pods."""

    ours: tuple[Watching, ...]
    reflector: tuple[Watching, ...]
    ours_small: Watching
    official: Watching
    go: Watching | None

    def figures(self) -> dict[str, float]:
        """What ``--json`` prints."""
        found = {
            "ours_s": mean(watching.seconds for watching in self.reflector),
            "agent_s": mean(watching.seconds for watching in self.ours),
            "ours_mb": max(watching.peak_mb for watching in self.ours),
            "ours_changes_per_s": mean(watching.changes_per_s for watching in self.ours),
            "ours_busy_ms": max(watching.busy_ms for watching in self.ours),
            "ours_stall_ms": max(watching.stall_ms for watching in self.ours),
            "official_s": self.official.seconds,
            "official_mb": self.official.peak_mb,
            "ours_beside_official_s": self.ours_small.seconds,
            "ours_beside_official_mb": self.ours_small.peak_mb,
        }
        if self.go is not None:
            found |= {"go_s": self.go.seconds, "go_mb": self.go.peak_mb, "go_changes_per_s": self.go.changes_per_s}
        return {name: round(value, 2) for name, value in found.items()}


def measure(*, quick: bool, streams: bool = True) -> Result:
    """Everybody in turn; ours again after client-go, unless it is to be quick."""
    pods, changes = (QUICK_PODS, QUICK_CHANGES) if quick else (PODS, CHANGES)
    small = QUICK_OFFICIAL_PODS if quick else OFFICIAL_PODS
    program = find_peer(INFORMER, Cache(cache_folder(os.environ)))
    ours_small, official = watch_ours(small, small, streams=streams), watch_officially(small)
    ours, reflector = [watch_ours(pods, changes, streams=streams)], [watch_with_reflector(pods, streams=streams)]
    go = None
    if program is not None:
        go = watch_with_go(program, pods, changes, streams=streams)
    if go is not None and not quick:
        reflector.append(watch_with_reflector(pods, streams=streams))
        ours.append(watch_ours(pods, changes, streams=streams))
    return Result(ours=tuple(ours), reflector=tuple(reflector), ours_small=ours_small, official=official, go=go)


def verdicts(figures: Mapping[str, float], *, quick: bool) -> list[Held]:
    """Figures with targets: of the agent alone, and compared with client-go, else with the `kubernetes` package."""
    most = QUICK_MOST_MB if quick else MOST_MB
    alone = [
        at_most("memory of the agent", figures["ours_mb"], target=most, unit="MB"),
        at_most("longest work of the event loop", figures["ours_busy_ms"], target=MOST_STALL_MS, unit="ms"),
    ]
    if "go_s" in figures:
        ratios = Ratios(figures["go_s"] / figures["ours_s"], figures["go_mb"] / figures["ours_mb"])
        return [*alone, *_beside("client-go", ratios, QUICK_BESIDE_GO if quick else BESIDE_GO)]
    if quick:
        ratios = Ratios(
            figures["official_s"] / figures["ours_beside_official_s"],
            figures["official_mb"] / figures["ours_beside_official_mb"],
        )
        return [*alone, *_beside("the kubernetes package", ratios, QUICK_BESIDE_OFFICIAL)]
    return alone


def _beside(peer: str, ratios: Ratios, least: Ratios) -> list[Held]:
    return [
        at_least(f"sync beside {peer}", ratios.sync, target=least.sync),
        at_least(f"memory beside {peer}", ratios.memory, target=least.memory),
    ]


def table(result: Result, *, quick: bool) -> str:
    """The figures for people."""
    pods, small = (QUICK_PODS, QUICK_OFFICIAL_PODS) if quick else (PODS, OFFICIAL_PODS)
    rows = [(f"ours, {small:,} pods", result.ours_small), (f"kubernetes package, {small:,} pods", result.official)]
    rows += [(f"ours, {pods:,} pods", watching) for watching in result.ours]
    rows += [(f"our reflector alone, {pods:,} pods", watching) for watching in result.reflector]
    rows += [(f"client-go, {pods:,} pods", result.go)] if result.go is not None else []
    head = f"{'':<34}{'sync s':>8}{'cpu s':>8}{'peak MB':>9}{'changes/s':>11}{'worked ms':>11}{'stalled ms':>12}"
    return "\n".join([head, *(_row(name, watching) for name, watching in rows)])


def _row(name: str, watching: Watching) -> str:
    timed = f"{watching.busy_ms:>11.0f}{watching.stall_ms:>12.0f}" if watching.busy_ms else f"{'-':>11}{'-':>12}"
    changes = f"{watching.changes_per_s:>11,.0f}" if watching.changes_per_s else f"{'-':>11}"
    return f"{name:<34}{watching.seconds:>8.1f}{watching.cpu_seconds:>8.1f}{watching.peak_mb:>9.0f}{changes}{timed}"


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    parser = options(__doc__, quick="a tenth of the pods, and other targets")
    parser.add_argument("--no-streams", action="store_true", help="a server that does not stream lists")
    given = parser.parse_args(arguments)
    result = measure(quick=given.quick, streams=not given.no_streams)
    figures = result.figures()
    print(table(result, quick=given.quick))
    return report(verdicts(figures, quick=given.quick), figures, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
