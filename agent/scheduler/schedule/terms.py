"""What the scheduling pass goes by: settings, policies and queues as they are now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from agent.core.lifecycle.names import PodNames
from agent.core.lifecycle.run import GracefulShutdown, LostCluster, RunTerms
from agent.core.queue import Queue
from agent.json_reader.reader import read_value
from agent.scheduler.consume.batch import DecisionInputs
from agent.settings.scheduler import RunSettings

POD_GRACE: Final = timedelta(seconds=30)
"""The grace period of a pod that names none (Kubernetes)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PassTerms:
    """``retries_stopped`` holds all retries; ``inputs`` have policies and queues."""

    inputs: DecisionInputs
    runs: RunSettings
    retries_stopped: bool = False

    @property
    def names(self) -> PodNames:
        """The names of the pods of runs that are leased now: without retry policies, those that Armada gives."""
        return PodNames(prefix=self.runs.pod_name_prefix, by_run=self.inputs.settings.enabled)

    def queues(self) -> Mapping[str, Queue]:
        """By name."""
        return self.inputs.catalog.queues

    def queue(self, name: str) -> Queue | None:
        return self.inputs.catalog.queues.get(name)

    def of_run(self, queue: str, pod: bytes) -> RunTerms:
        """The terms of a run that is leased now: what its queue says, else the settings."""
        known = self.queue(queue) or Queue(name=queue)
        return RunTerms(
            lost_cluster=LostCluster(known.lost_cluster or self.runs.lost_cluster),
            graceful_shutdown=GracefulShutdown(known.graceful_shutdown or self.runs.graceful_shutdown),
            grace=max(self.runs.grace_period, _grace_of(read_value(pod))),
        )


def _grace_of(pod: Mapping[str, Any]) -> timedelta:
    seconds = pod["spec"].get("terminationGracePeriodSeconds")
    return POD_GRACE if seconds is None else timedelta(seconds=seconds)
