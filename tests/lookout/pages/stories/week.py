"""A week of two clusters, as their agents and the scheduler report it: jobs of four queues, a third of which fail.

All of it follows from a seed and the moment at which the week ends: ids, what fails when and where. Failures are
classified by the rules that ship, and decided by ``policy.yaml``, with the code that agents and schedulers run.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Final

from agent.core.failure import Failure
from agent.core.heartbeat import Heartbeat, NodeShape, RunOffer
from agent.core.run_event import RunEvent
from agent.lookout.store.entries import Entry
from agent.lookout.store.recording import record
from agent.store.store import Store
from tests.lookout.pages.stories.jobs import CLUSTER_IDS, NODES, life
from tests.lookout.pages.stories.kinds import NAMESPACES, Kind, kinds

LENGTH: Final = timedelta(days=7)
JOBS: Final = 840

_SEED: Final = 20261126
_FAILING: Final = 0.34
"""The share of jobs of which a run fails."""

_BROKEN_GPU: Final = ("gpu-fell-off-the-bus", 14, timedelta(hours=53), timedelta(hours=8))
"""A node that breaks: how its jobs fail, how many of them, how long before the end it began and how long it lasted."""

_BATCH: Final = 500


def week(end: datetime) -> list[Entry]:
    """Everything that was reported in the week until then, in the order of time."""
    rng = Random(_SEED)  # noqa: S311 - it must repeat, not surprise
    happened: list[tuple[datetime, Entry]] = []
    for number, (at, kind) in enumerate(_starts(end, rng)):
        happened += life(number, at, kind, rng)
    known = sorted((pair for pair in happened if pair[0] <= end), key=lambda pair: pair[0])
    return [*(entry for _, entry in known), *(heartbeat(cluster, end) for cluster in NAMESPACES)]


def store_week(store: Store, end: datetime) -> list[Entry]:
    """Store the week as Lookout does, and return what was reported."""
    entries = week(end)
    for start in range(0, len(entries), _BATCH):
        with store.write() as connection:
            record(connection, entries[start : start + _BATCH])
    return entries


def _starts(end: datetime, rng: Random) -> list[tuple[datetime, Kind | None]]:
    """When jobs are submitted, and how they fail; ``None`` is not at all."""
    begin, every = end - LENGTH, LENGTH / JOBS
    usual = [kind for kind in kinds() if kind.weight]
    starts: list[tuple[datetime, Kind | None]] = []
    for number in range(JOBS):
        fails = rng.random() < _FAILING
        (kind,) = rng.choices(usual, [kind.weight for kind in usual])
        starts.append((begin + every * (number + rng.random()), kind if fails else None))
    name, times, before, lasted = _BROKEN_GPU
    (broken,) = (kind for kind in kinds() if kind.name == name)
    starts += [(end - before + lasted * rng.random(), broken) for _ in range(times)]
    return sorted(starts, key=lambda start: start[0])


def heartbeat(cluster: str, at: datetime) -> Heartbeat:
    """What the agent of a cluster says of itself and its nodes."""
    shape = NodeShape(allocatable=(("cpu", "64"), ("memory", "512Gi")), ready=NODES, total=NODES)
    return Heartbeat(
        cluster_id=CLUSTER_IDS[cluster],
        cluster=cluster,
        epoch=3,
        incarnation="agent-0",
        spool_id="spool",
        last_spooled=4,
        last_acknowledged=4,
        node_shapes=(shape,),
        sent_at=at,
        runs=RunOffer(namespaces=(NAMESPACES[cluster],), max_runs=200),
    )


def failures(entries: Sequence[Entry]) -> Iterator[tuple[RunEvent, Failure]]:
    """The failures that were reported, each with its event."""
    for entry in entries:
        if isinstance(entry, RunEvent) and isinstance(entry.event, Failure):
            yield entry, entry.event
