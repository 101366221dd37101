"""The gauges of the cluster agent, brought up to date with each heartbeat."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from agent.cluster.pods.backlog import Backlog
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.spool.spool import SpoolState
from agent.cluster.time_check import measure
from agent.cluster.watch.informers import Informers
from agent.process.server_clock import ServerClock
from agent.telemetry import cluster_metrics as metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauges:
    """The state of spool, pods, clock, reflectors and queues. ``queues``: the length of each, by what it waits for.

    ``refused``: the last disk error of the spool; ``None`` while it accepts entries. ``others`` bring their own gauges
    up to date.
    """

    pods: PodRegistry
    informers: Informers
    backlog: Backlog
    refused: Callable[[], str | None]
    queues: Mapping[str, Callable[[], int]]
    clock: ServerClock
    others: Sequence[Callable[[], None]] = ()

    def update(self, state: SpoolState) -> None:
        oldest = state.oldest_waiting
        age = 0.0 if oldest is None else max(0.0, (self.clock() - oldest).total_seconds())
        metrics.SPOOL_ROWS.set(state.waiting)
        metrics.SPOOL_BYTES.set(state.bytes)
        metrics.SPOOL_FULL.set(self.refused() is not None)
        metrics.SPOOL_REJECTED.set(state.rejected)
        metrics.DAMAGED_SPOOLS.set(state.damaged)
        metrics.BACKLOG_PODS.set(len(self.backlog))
        metrics.STANDBY_BUFFERED.set(state.buffered)
        metrics.OLDEST_UNPUBLISHED_SECONDS.set(age)
        metrics.HELD_PODS.set(self.pods.held())
        measure(self.clock)
        self.informers.measure()
        for what, length in self.queues.items():
            metrics.QUEUED.labels(what).set(length())
        for measure_others in self.others:
            measure_others()
