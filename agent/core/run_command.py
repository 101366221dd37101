"""Commands to the agent of a cluster: what is to happen to the pod of one run, or that all of them be listed.

Every command may be lost, late or repeated, and is then harmless: a create makes a pod that waits behind our gate, and
the others name the uid of the pod.
"""

from datetime import datetime, timedelta

from msgspec import Struct

from agent.core.lifecycle.run import GracefulShutdown, LostCluster
from agent.core.run_event import PodReference


class CreateRun(Struct, frozen=True, gc=False, kw_only=True):
    """Make the pod of the run behind our gate, unless it is there.

    ``pod`` is a JSON object with the ``spec`` of the pod and, in ``metadata``, the labels and annotations that were
    submitted. ``index`` counts from 0 the runs of the job that may have had a pod. ``lost_cluster``,
    ``graceful_shutdown`` and ``grace`` are fixed for the run, for scheduler and agent alike.
    """

    queue: str
    job_set: str
    namespace: str
    pod_name: str
    index: int
    pod: bytes
    lost_cluster: LostCluster
    graceful_shutdown: GracefulShutdown
    grace: timedelta


class StartRun(Struct, frozen=True, gc=False):
    """Remove our gate from this very pod."""

    pod: PodReference


class StopRun(Struct, frozen=True, gc=False):
    """Delete this very pod, and answer with ``run_event.RunStopped``."""

    pod: PodReference


class DiscardRun(Struct, frozen=True, gc=False):
    """Delete this very pod if it still has our gate; no answer."""

    pod: PodReference


CommandContent = CreateRun | StartRun | StopRun | DiscardRun
"""What is to happen."""


class ListRuns(Struct, frozen=True, gc=False, kw_only=True):
    """Answer with a list of all pods of runs (``run_event.RunsListed``)."""

    cluster_id: str
    issued_at: datetime


class RunCommand(Struct, frozen=True, gc=False, kw_only=True):
    """One command about a run.

    ``cluster_id`` is the uid of the namespace ``kube-system`` of the cluster that it is for. ``issued_at`` is by the
    clock of the scheduler's store.
    """

    cluster_id: str
    job_id: str
    run_id: str
    issued_at: datetime
    command: CommandContent
