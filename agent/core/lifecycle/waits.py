"""Why a job waits, as data; people see one reason, with its numbers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from agent.core.lifecycle.job import NextRun, Orphan, SubmittedJob
from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.state import State
from agent.core.lifecycle.succession import held_until, holding
from agent.core.run_event import StopAnswer


@dataclass(frozen=True, slots=True, kw_only=True)
class ForStop:
    """For the stop of this run's pod since ``since``; at most until ``until``, or without limit if ``None``.

    ``gone``: the pod's object does not exist any more, and nothing proved that its containers ended.
    """

    run_id: str
    cluster: str
    uid: str
    pod_name: str
    node: str
    since: datetime
    until: datetime | None
    gone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForTime:
    """For its time: the delay of a retry, or of the next try after a cluster ``rejected`` the run.

    ``index`` is that of the run, from 0.
    """

    index: int
    until: datetime
    rejected: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForCluster:
    """For a cluster that takes runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetriesStopped:
    """For ``retries.stopped``, which holds every retry and fails none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NameIsTaken:
    """For the name of its pod, which an earlier pod of ours with this uid has."""

    cluster: str
    run_id: str
    uid: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ForOrphan:
    """For a pod under the name of a run that nobody started: it may run.

    ``run_id``: the open run, whose own pod cannot be created while it is there; ``None``: it holds the next run.
    """

    cluster: str
    uid: str
    pod_name: str
    node: str
    since: datetime
    run_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForAnswer:
    """For the cluster's answer to the create or the start of this run."""

    cluster: str
    run_id: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ForHeartbeat:
    """For a heartbeat of the silent cluster that has this run; the last one came at ``since``."""

    cluster: str
    run_id: str
    since: datetime


class Doubt(StrEnum):
    """Why nothing follows from a list that has no pod of a run."""

    UNREAD = "unread"
    """What the broker had before the list may not be consumed yet, or the broker does not say."""
    LOST = "lost"
    """A message that may be about the run is lost."""
    DEAD = "dead"
    """All that came before was considered, and something about the run may be a dead letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotListed:
    """The latest list of a cluster, as of ``as_of``, does not have the recorded pod of an open run."""

    as_of: datetime
    doubt: Doubt


@dataclass(frozen=True, slots=True, kw_only=True)
class ForProof:
    """For a proof that the pod of this run is gone."""

    cluster: str
    run_id: str
    pod_name: str
    node: str
    not_listed: NotListed


Wait = ForProof | ForStop | ForTime | ForCluster | RetriesStopped | NameIsTaken | ForOrphan | ForAnswer | ForHeartbeat

NONE_SILENT: Final[Mapping[str, datetime]] = MappingProxyType({})


def why_it_waits(
    job: SubmittedJob,
    now: datetime,
    *,
    retries_stopped: bool,
    silent: Mapping[str, datetime] = NONE_SILENT,
    not_listed: NotListed | None = None,
) -> Wait | None:
    """Why nothing happens to the job now. ``ForCluster``: the next run may be leased.

    ``silent`` has the clusters whose lease is over, with the time of the last heartbeat. ``not_listed`` is about the
    open run; ``None``: its pod is listed, or it is not known whether it is.
    """
    if job.next is None:
        open_run = job.open_run
        return _why_it_stops(job, now) if open_run is None else _why_open(job, open_run, silent, not_listed)
    return _what_holds(job, now) or _why_not_leased(job.next, now, retries_stopped=retries_stopped)


def _what_holds(job: SubmittedJob, now: datetime) -> Wait | None:
    held, orphan = holding(job, now), job.holding_orphan
    if held is not None:
        return _for_stop(held)
    return None if orphan is None else _for_orphan(orphan)


def _why_not_leased(following: NextRun, now: datetime, *, retries_stopped: bool) -> Wait:
    if following.not_before is not None and now < following.not_before:
        return ForTime(index=following.index, until=following.not_before, rejected=following.rejected)
    return RetriesStopped() if retries_stopped and following.index > 0 else ForCluster()


def _why_it_stops(job: SubmittedJob, now: datetime) -> Wait | None:
    held = holding(job, now) if job.state is State.STOPPING else None
    return None if held is None else _for_stop(held)


def _why_open(
    job: SubmittedJob, run: JobRun, silent: Mapping[str, datetime], not_listed: NotListed | None
) -> Wait | None:
    since = silent.get(run.cluster)
    if since is not None:
        return ForHeartbeat(cluster=run.cluster, run_id=run.run_id, since=since)
    if not_listed is not None and run.uid is not None:
        return ForProof(
            cluster=run.cluster, run_id=run.run_id, pod_name=run.pod_name, node=run.node, not_listed=not_listed
        )
    namesakes = (orphan for orphan in job.orphans if (orphan.cluster, orphan.pod_name) == (run.cluster, run.pod_name))
    orphan = next(namesakes, None)
    # A recorded pod has the name itself.
    return _why_not_begun(run) if orphan is None or run.uid is not None else _for_orphan(orphan, run_id=run.run_id)


def _why_not_begun(run: JobRun) -> Wait | None:
    if run.name_held is not None:
        name = run.name_held
        return NameIsTaken(cluster=run.cluster, run_id=run.run_id, uid=name.uid, since=name.since)
    if run.phase is None:
        return ForAnswer(cluster=run.cluster, run_id=run.run_id, since=run.opened_at)
    return None


def _for_orphan(orphan: Orphan, run_id: str | None = None) -> ForOrphan:
    return ForOrphan(
        cluster=orphan.cluster,
        uid=orphan.uid,
        pod_name=orphan.pod_name,
        node=orphan.node,
        since=orphan.since,
        run_id=run_id,
    )


def _for_stop(run: JobRun) -> ForStop:
    return ForStop(
        run_id=run.run_id,
        cluster=run.cluster,
        uid=run.uid or "",
        pod_name=run.pod_name,
        node=run.node,
        since=run.opened_at if run.closed is None else run.closed.at,
        until=held_until(run),
        gone=run.answered is StopAnswer.GONE,
    )
