"""Indexed Jobs: what a step costs by how many indexes there are, regular and per-index side by side (KEP-3850).

``--quick`` takes fewer rounds and leaves the largest Jobs out; ``--json`` prints one line of JSON last. Exits 1 below
a target.
"""

import gc
import sys
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from statistics import median

from agent.core.job.advance import advance
from agent.core.job.backoff import Pace
from agent.core.job.counters import Counters, open_job
from agent.core.job.defaults import defaulted
from agent.core.job.effects import CreatePod
from agent.core.job.pod import JobPod
from agent.core.job.words import INDEXED, MAX_INT32, NEVER, JobSpec, Template
from bench.report.command import options, report
from bench.report.held import Held, at_most

SIZES = (10, 100, 1_000, 10_000, 100_000)
QUICK_SIZES = (10, 100, 1_000, 10_000)
SHARES = (0, 10, 50, 100)
ROUNDS, QUICK_ROUNDS = 7, 3
MANY, ROUNDS_OF_MANY = 10_000, 3
"""From so many indexes a round is long enough to need fewer of them."""
MOST_RATIO = 1.5
RATIO_FROM = 1_000
CHANGES, CHANGES_AT, MOST_MS = 1_000, 100_000, 50.0

NOW = datetime(2026, 1, 1, tzinfo=UTC)
LATER = NOW + timedelta(hours=1)
PACE = Pace(base=timedelta(milliseconds=10), most=timedelta(milliseconds=10))
"""As in the KEP's benchmark, so that regular and per-index can be compared."""


def spec(size: int, *, per_index: bool) -> JobSpec:
    """An Indexed Job of so many indexes, all at work at once."""
    return defaulted(
        JobSpec(
            completion_mode=INDEXED,
            completions=size,
            parallelism=size,
            backoff_limit=MAX_INT32,
            backoff_limit_per_index=1 if per_index else None,
            template=Template(restart_policy=NEVER),
        )
    )


def pod(index: int, phase: str, *, generation: int = 0) -> JobPod:
    """The pod of an index."""
    return JobPod(
        uid=f"{index}-{generation}", index=index, phase=phase, failure_count=generation, created_at=NOW, tracked=True
    )


def running(size: int, *, per_index: bool) -> Counters:
    """A Job all of whose pods are at work."""
    counters = open_job(spec(size, per_index=per_index), pods=[pod(at, "Running") for at in range(size)], pace=PACE)
    advance(counters, (), now=NOW)
    return counters


def ended(indexes: Sequence[int], share: int) -> list[JobPod]:
    """These pods as they ended, ``share`` of a hundred Failed, evenly spread."""
    return [pod(at, "Failed" if at * share // 100 != (at + 1) * share // 100 else "Succeeded") for at in indexes]


def course(counters: Counters, pods: Sequence[JobPod]) -> None:
    """Pods end; those that failed are made anew, as their effects say."""
    _, effects = advance(counters, pods, now=LATER)
    while made := [effect.index for effect in effects if isinstance(effect, CreatePod) and effect.index is not None]:
        _, effects = advance(counters, [pod(index, "Pending", generation=1) for index in made], now=LATER)


@dataclass(frozen=True)
class Figures:
    """What one course costs: milliseconds of the processor, and bytes allocated at the most."""

    ms: float
    bytes: int


def timed(size: int, share: int, *, per_index: bool) -> float:
    """Milliseconds that one course takes of the processor."""
    counters, pods = running(size, per_index=per_index), ended(range(size), share)
    gc.collect()
    gc.disable()
    started = time.process_time()
    course(counters, pods)
    spent = (time.process_time() - started) * 1e3
    gc.enable()
    return spent


def timed_pair(size: int, share: int) -> tuple[float, float]:
    """Milliseconds of a regular Job and of one with limits per index, one right after the other."""
    return timed(size, share, per_index=False), timed(size, share, per_index=True)


def allocated(size: int, share: int, *, per_index: bool) -> int:
    """Bytes that one course allocates at the most, beyond what there was."""
    counters, pods = running(size, per_index=per_index), ended(range(size), share)
    gc.collect()
    tracemalloc.start()
    course(counters, pods)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def changes_ms(share: int) -> float:
    """Milliseconds for 1,000 changes, spread over a Job of 100,000 indexes with per-index limits."""
    counters = running(CHANGES_AT, per_index=True)
    places = range(0, CHANGES_AT, CHANGES_AT // CHANGES)
    failed = [pod(at, finished.phase) for at, finished in zip(places, ended(range(CHANGES), share), strict=True)]
    gc.collect()
    gc.disable()
    started = time.process_time()
    advance(counters, failed, now=LATER)
    spent = (time.process_time() - started) * 1e3
    gc.enable()
    return spent


Table = Mapping[tuple[int, int], tuple[Figures, Figures, float]]
"""By number of indexes and share of failures: regular, per-index, and the ratio of their times."""


def measure(sizes: Sequence[int], rounds: int) -> Table:
    """Regular and per-index, in turns; the ratio is the median of the rounds' own ratios."""
    found = {}
    for size in sizes:
        for share in SHARES:
            pairs = [timed_pair(size, share) for _ in range(min(rounds, ROUNDS_OF_MANY) if size >= MANY else rounds)]
            ratio = median(after / before for before, after in pairs)
            regular = Figures(min(regular for regular, _ in pairs), allocated(size, share, per_index=False))
            per_index = Figures(min(per_index for _, per_index in pairs), allocated(size, share, per_index=True))
            found[size, share] = (regular, per_index, ratio)
    return found


def table(figures: Table) -> str:
    """The figures for people."""
    head = f"{'indexes':>8}{'failed %':>9}{'regular ms':>12}{'per-index ms':>14}{'ratio':>7}"
    rows = [f"{head}{'regular KiB':>13}{'per-index KiB':>15}{'ratio':>7}"]
    for (size, share), (regular, per_index, ratio) in figures.items():
        times = f"{size:>8}{share:>9}{regular.ms:>12.2f}{per_index.ms:>14.2f}{ratio:>7.2f}"
        sizes = f"{regular.bytes / 1024:>13.0f}{per_index.bytes / 1024:>15.0f}{per_index.bytes / regular.bytes:>7.2f}"
        rows.append(times + sizes)
    return "\n".join(rows)


def document(figures: Table, changes: Mapping[int, float]) -> dict[str, object]:
    """The figures for programs."""
    rows = [
        {
            "indexes": size,
            "failed_percent": share,
            "regular": asdict(regular),
            "per_index": asdict(per_index),
            "time_ratio": ratio,
            "bytes_ratio": per_index.bytes / regular.bytes,
        }
        for (size, share), (regular, per_index, ratio) in figures.items()
    ]
    return {"table": rows, "changes_ms": {str(share): ms for share, ms in changes.items()}}


def verdicts(figures: Table, changes: Mapping[int, float]) -> list[Held]:
    """What is held to targets."""
    held = []
    for (size, share), (regular, per_index, ratio) in figures.items():
        if size >= RATIO_FROM:
            words = f"per-index beside regular, {size} indexes, {share} % failed"
            held.append(at_most(f"time, {words}", ratio, target=MOST_RATIO))
            held.append(at_most(f"bytes, {words}", per_index.bytes / regular.bytes, target=MOST_RATIO))
    for share, ms in changes.items():
        name = f"{CHANGES} changes at {CHANGES_AT} indexes, {share} % failed"
        held.append(at_most(name, ms, target=MOST_MS, unit="ms"))
    return held


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = options(__doc__, quick="fewer rounds, and no more than 10,000 indexes").parse_args(arguments)
    rounds = QUICK_ROUNDS if given.quick else ROUNDS
    figures = measure(QUICK_SIZES if given.quick else SIZES, rounds)
    changes = {share: min(changes_ms(share) for _ in range(rounds)) for share in SHARES}
    print(table(figures))
    return report(verdicts(figures, changes), document(figures, changes), given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
